//go:build unix

package cmd

import "golang.org/x/sys/unix"

// freeSpace is how many bytes and files may still be written below dir; ok is false where the system does not tell.
func freeSpace(dir string) (bytes, files uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, false
	}
	files = uint64(s.Ffree) //nolint:unconvert // its width differs between systems
	if s.Files == 0 {       // a file system that makes them as they are needed
		files = ^uint64(0)
	}
	return uint64(s.Bavail) * uint64(s.Bsize), files, true //nolint:unconvert // their widths differ between systems
}

// largestFile is how many bytes a file of this process or its children may have.
func largestFile() (bytes uint64, ok bool) {
	var l unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_FSIZE, &l)
	return uint64(l.Cur), err == nil //nolint:unconvert // its width differs between systems
}

// descriptors is how many files this process may have open.
func descriptors() (n uint64, ok bool) {
	var l unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l)
	return uint64(l.Cur), err == nil //nolint:unconvert // its width differs between systems
}
