//go:build linux || darwin

package tamper

import (
	"golang.org/x/sys/unix"

	"autobuild/internal/safefile"
)

// statFiles calls each for the files of a folder. It returns false, and has looked at none or at
// some of them, where the directory is not the one that was listed.
func statFiles(f *folder, each func(name string, e entry)) bool {
	open, err := safefile.OpenDir(f.Path)
	if err != nil {
		return false
	}
	defer open.Close() //nolint:errcheck // only read
	dir := int(open.Fd())
	var s unix.Stat_t
	if err := unix.Fstat(dir, &s); err != nil || s.Ctim.Nano() != f.Stamp {
		return false
	}
	for _, name := range f.Files {
		if err := unix.Fstatat(dir, name, &s, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return false
		}
		each(name, entry{s.Ctim.Nano(), s.Mtim.Nano(), uint64(s.Nlink)}) //nolint:unconvert // its size differs between processors
	}
	return true
}
