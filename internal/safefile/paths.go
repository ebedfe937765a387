package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Exists reports whether anything lies at path, a dangling link included.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsFile reports whether path leads to a regular file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// IsDir reports whether path is a directory itself, not a link to one.
func IsDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// Resolved is a path without symbolic links, or the path itself where it cannot be resolved.
func Resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// IgnoreMissing is nil for the error of a missing file, and any other error as it is.
func IgnoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// IsBelow reports whether a path without symbolic links lies below a directory.
func IsBelow(path, dir string) bool {
	return strings.HasPrefix(path, Resolved(dir)+string(filepath.Separator))
}

// EscapeGlob makes a path stand for itself in a pattern of filepath.Glob.
func EscapeGlob(path string) string {
	// A class of one character is the escape that every system has.
	if os.PathSeparator == '/' {
		path = strings.ReplaceAll(path, `\`, `\\`)
	}
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// SamePath reports whether two absolute paths are spelled the same; on Windows, case aside:
// programs name a drive or a directory in either case.
func SamePath(a, b string) bool {
	return a == b || os.PathSeparator == '\\' && strings.EqualFold(a, b)
}

// IsSpecial reports whether a file is a pipe, a socket or a device.
func IsSpecial(file fs.FileInfo) bool {
	return file.Mode().Type()&^(fs.ModeDir|fs.ModeSymlink) != 0
}

// Stamp is by what a file is known without reading it: mode, size and time of its last change.
func Stamp(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "absent"
	}
	return fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
}

// IsAmong reports whether a file is one of files, whatever its name.
func IsAmong(files []fs.FileInfo, file fs.FileInfo) bool {
	return slices.ContainsFunc(files, func(f fs.FileInfo) bool { return os.SameFile(f, file) })
}
