package tamper

import (
	"io/fs"
	"syscall"
)

// inode returns the fields that no program can set: when a file's inode last changed, and which one
// it is.
func inode(info fs.FileInfo) (ctime int64, ino, dev uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano(), s.Ino,
			uint64(s.Dev) //nolint:unconvert // its size differs between processors
	}
	return 0, 0, 0
}

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink) //nolint:unconvert // its size differs between processors
	}
	return 1
}

// writable reports whether this process could change what lies below a directory.
func writable(dir string) bool { return syscall.Access(dir, 2) == nil }
