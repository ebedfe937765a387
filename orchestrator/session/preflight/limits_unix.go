//go:build unix

package preflight

import "golang.org/x/sys/unix"

// FreeSpace is how many bytes and files can still be written below dir; ok is false where the
// limits are unknown.
func FreeSpace(dir string) (bytes, files uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, false
	}
	files = uint64(s.Ffree) //nolint:unconvert // its width differs between systems
	if s.Files == 0 {       // the file system has no fixed number of inodes
		files = ^uint64(0)
	}
	return uint64(s.Bavail) * uint64(s.Bsize), files, true //nolint:unconvert // their widths differ between systems
}

// LargestFile is how many bytes a file of this process or its children may have.
func LargestFile() (bytes uint64, ok bool) {
	var l unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_FSIZE, &l)
	return uint64(l.Cur), err == nil //nolint:unconvert // its width differs between systems
}

// Descriptors is how many files this process may have open.
func Descriptors() (n uint64, ok bool) {
	var l unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l)
	return uint64(l.Cur), err == nil //nolint:unconvert // its width differs between systems
}
