package tamper

import (
	"io/fs"
	"syscall"
)

// inode returns the fields that no program can set: when a file's inode last changed, and which one
// it is.
func inode(info fs.FileInfo) (ctime int64, ino, dev uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctimespec.Nano(), s.Ino, uint64(s.Dev)
	}
	return 0, 0, 0
}
