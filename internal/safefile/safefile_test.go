//go:build unix

package safefile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"autobuild/internal/safefile"
)

// traps are what a program can leave in a file's place, each with what makes it.
var traps = map[string]func(path string) error{
	"a named pipe":    func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"a directory":     func(path string) error { return os.Mkdir(path, 0o700) },
	"a symbolic link": func(path string) error { return os.Symlink(os.DevNull, path) },
	"a socket": func(path string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err == nil {
			l.SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	},
}

// No way of opening waits for a trap, and each names it.
func TestTrapsAreRefused(t *testing.T) {
	t.Parallel()
	for kind, set := range traps {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "trap") //nolint:usetesting // the path of a socket must be short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			path := filepath.Join(dir, "f")
			if err = set(path); err != nil {
				t.Fatal(err)
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close() //nolint:errcheck // only read from
			for way, open := range ways(path, root) {
				err := open()
				special, ok := errors.AsType[*safefile.NotRegularError](err)
				if !ok {
					t.Errorf("%s: %v", way, err)
				} else if is := safefile.Kind(special.Mode); is != kind && kind != "a symbolic link" {
					t.Errorf("%s: %v, want %s", way, err, kind)
				}
			}
		})
	}
}

func ways(path string, root *os.Root) map[string]func() error {
	opened := func(f *os.File, err error) error {
		if err == nil {
			_ = f.Close()
		}
		return err
	}
	read := func(_ []byte, err error) error { return err }
	ways := map[string]func() error{
		"Read":      func() error { return read(safefile.Read(path, 1)) },
		"ReadPlain": func() error { return read(safefile.ReadPlain(path, 1)) },
		"ReadIn":    func() error { return read(safefile.ReadIn(root, "f", 1)) },
		"Open":      func() error { return opened(safefile.Open(path)) },
	}
	for name, flag := range map[string]int{"write": os.O_WRONLY, "append": os.O_RDWR | os.O_APPEND | os.O_CREATE} {
		ways["OpenPlain to "+name] = func() error { return opened(safefile.OpenPlain(path, flag, 0o600)) }
		ways["OpenIn to "+name] = func() error { return opened(safefile.OpenIn(root, "f", flag, 0o600)) }
	}
	return ways
}

func TestRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	for _, size := range []int{0, 1, 511, 512, 513, 100_000} {
		want := bytes.Repeat([]byte("x"), size)
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := safefile.Read(path, int64(size)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
		_, err := safefile.Read(path, int64(size)-1)
		if large, ok := errors.AsType[*safefile.TooLargeError](err); size > 0 && (!ok || large.Size != int64(size)) {
			t.Errorf("%d bytes, one more than allowed: %v", size, err)
		}
	}
	if _, err := safefile.Read(path+"none", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := safefile.OpenDir(path); err == nil {
		t.Error("a file was opened as a directory")
	}
}

// A file with a hole of any size costs no memory: it is refused by its size.
func TestHolesAreRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 200<<30); err != nil {
		t.Skip("this file system has no such files:", err)
	}
	if _, err := safefile.Read(path, safefile.Large); err == nil {
		t.Error("200 GB were read")
	}
}
