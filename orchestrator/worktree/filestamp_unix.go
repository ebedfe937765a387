//go:build unix

package worktree

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// fileStamp distinguishes two states of a file without reading it. The kernel sets the time of
// change, and no owner of the file can set it back.
type fileStamp struct {
	ino, size      uint64
	mode           uint32
	mtime, changed int64 // nanoseconds; of a directory neither, since gates make files in it
}

func stampOf(path string, e fs.DirEntry) (fileStamp, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return fileStamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	mode := uint32(st.Mode) //nolint:unconvert // of 16 bits on Darwin
	if e.IsDir() {
		return fileStamp{ino: st.Ino, mode: mode}, nil
	}
	return fileStamp{
		ino: st.Ino, size: uint64(max(st.Size, 0)), mode: mode, mtime: st.Mtim.Nano(),
		changed: st.Ctim.Nano(),
	}, nil
}
