//go:build unix

package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Locate finds the program as the child's own environment would, and says what is wrong if it
// cannot.
func Locate(name, dir string, env []string) (string, error) {
	if err := checkDir(dir); err != nil {
		return "", err
	}
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, checkProgram(path)
	}
	var found error
	for _, d := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(d) {
			continue // a program of that name in the work would be run instead of the real one
		}
		path := filepath.Join(d, name)
		err := checkProgram(path)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && found == nil {
			found = err
		}
	}
	if found != nil {
		return "", found
	}
	return "", fmt.Errorf("%w on PATH; install it, or give the program's full path", errNotFound)
}

// errNotFound reads better than the system's words, and is the same to errors.Is.
var errNotFound error = notFound{}

type notFound struct{}

func (notFound) Error() string        { return "not found" }
func (notFound) Is(target error) bool { return target == fs.ErrNotExist }

func checkDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the directory is gone: %w; create it, or start elsewhere", err)
	case err != nil:
		return fmt.Errorf("enter the directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s is a file: %w; name a directory", dir, syscall.ENOTDIR)
	}
	return nil
}

func checkProgram(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: %w; install it, or correct the path", path, errNotFound)
	case err != nil:
		return fmt.Errorf("look at the program: %w", err)
	case info.IsDir():
		return fmt.Errorf("%s is a directory: %w; name a program", path, syscall.EISDIR)
	case unix.Access(path, unix.X_OK) != nil || info.Mode()&0o111 == 0:
		return fmt.Errorf("%s: %w; make it executable with chmod +x", path, syscall.EACCES)
	}
	return nil
}

func lookup(env []string, name string) string {
	value := ""
	for _, e := range env {
		if k, v, ok := strings.Cut(e, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// explainExec says what the kernel's refusal means for a program that was there a moment ago.
func explainExec(errno syscall.Errno, l *launch) error {
	switch errno {
	case unix.ENOEXEC:
		return fmt.Errorf("%s: %w; it is not made for %s/%s, or is a script without a #! line",
			l.path, errno, runtime.GOOS, runtime.GOARCH)
	case unix.ENOENT:
		if err := checkDir(l.dir); err != nil {
			return err
		}
		if err := checkProgram(l.path); err != nil {
			return err
		}
		return fmt.Errorf(
			"%s: %w: the interpreter in its first line, or its loader, is missing; install that",
			l.path, errNotFound)
	case unix.EACCES, unix.EPERM:
		return fmt.Errorf(
			"%s: %w; look at its mode, its directories' modes, and for a mount with noexec", l.path,
			errno)
	case unix.E2BIG:
		return fmt.Errorf(
			"%w: arguments and environment are too large; pass long texts on stdin or in a file",
			errno)
	case unix.EMFILE, unix.ENFILE:
		return &machineryError{fmt.Errorf("fork: %w", errno)}
	case unix.EAGAIN, unix.ENOMEM:
		return &machineryError{fmt.Errorf(
			"fork: %w; the system has no room for another process, look at ulimit -u and free "+
				"memory",
			errno)}
	}
	return fmt.Errorf("%s: %w", l.path, errno)
}
