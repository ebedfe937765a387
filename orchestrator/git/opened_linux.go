package git

import (
	"os"
	"path/filepath"
	"syscall"
)

// opened reports whether a process of this machine has the file open; where that cannot be found
// out, one has. A git holds its lock file open until it has written it.
func opened(path string, info os.FileInfo) bool {
	own, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(own.Uid) != os.Geteuid() { // another user's: /proc does not show its files
		return true
	}
	fds, err := filepath.Glob("/proc/[0-9]*/fd/[0-9]*")
	if err != nil || len(fds) == 0 {
		return true
	}
	for _, fd := range fds {
		name, err := os.Readlink(fd) // looking at the file itself might wait for a dead file server
		if err != nil || filepath.Base(name) != filepath.Base(path) {
			continue
		}
		if has, err := os.Stat(fd); err == nil && os.SameFile(has, info) {
			return true
		}
	}
	return false
}
