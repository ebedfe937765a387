//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lockAlone tries to hold f exclusively. The lock belongs to the open file and not to the process,
// so that children that inherit the handle keep it.
func lockAlone(f *os.File) (bool, error) {
	err := flockFile(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// lockShared turns the exclusive lock into a shared one.
func lockShared(f *os.File) error { return flockFile(f, syscall.LOCK_SH) }

func flockFile(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// ours reports whether a file belongs to the user that we run as.
func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(st.Uid) == os.Geteuid()
}

// diskFull reports whether the disk, or what the user may have of it, was full.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// heldOpen is false: on Unix an open file blocks no other process.
func heldOpen(error) bool { return false }
