// Package safefile is the one way by which autobuild opens, replaces and removes a file that
// another program could have made. It opens regular files only, never waits for a FIFO, a device or
// a lease, bounds what is read, gives up on a file system that does not answer, and removes behind
// no link.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Patience bounds every call of this package.
const Patience = 10 * time.Second

const leaseTries = 1000

// The usual limits, in bytes.
const (
	Small = 1 << 20  // a configuration, a marker, a link
	Large = 64 << 20 // a document
)

// NotRegularError reports that a path leads to something other than a regular file.
type NotRegularError struct {
	Path string
	Mode fs.FileMode
}

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("%s is %s, not a regular file", e.Path, Kind(e.Mode))
}

// Is matches fs.ErrInvalid.
func (e *NotRegularError) Is(target error) bool { return target == fs.ErrInvalid }

// TooLargeError reports that a file has more bytes than its reader takes.
type TooLargeError struct {
	Path        string
	Size, Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, more than the %d that are read", e.Path, e.Size, e.Limit)
}

// Kind names the type of file of a mode.
func Kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m.IsRegular():
		return "a regular file"
	}
	return "a special file"
}

// Read returns the content of the regular file to which path leads, of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	return within(path, func() ([]byte, error) {
		f, err := open(path, os.O_RDONLY, 0)
		return content(f, err, path, limit)
	}, nil)
}

// ReadPlain is Read that refuses a path whose last element is a symbolic link.
func ReadPlain(path string, limit int64) ([]byte, error) {
	return within(path, func() ([]byte, error) {
		f, err := openPlain(path, os.O_RDONLY, 0)
		return content(f, err, path, limit)
	}, nil)
}

// ReadIn is ReadPlain for a name below root. No link in it leads out of root.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	return within(name, func() ([]byte, error) {
		f, err := openIn(root, name, os.O_RDONLY, 0)
		return content(f, err, name, limit)
	}, nil)
}

// Open opens the regular file to which path leads for reading.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is os.OpenFile for regular files: it creates regular files only, and refuses any other
// existing file.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return within(path, func() (*os.File, error) { return open(path, flag, perm) }, drop)
}

// OpenPlain is OpenFile that refuses a path whose last element is a symbolic link.
func OpenPlain(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return within(path, func() (*os.File, error) { return openPlain(path, flag, perm) }, drop)
}

// OpenIn is OpenPlain for a name below root.
func OpenIn(root *os.Root, name string, flag int, perm fs.FileMode) (*os.File, error) {
	return within(name, func() (*os.File, error) { return openIn(root, name, flag, perm) }, drop)
}

// OpenDir opens a directory, to list or to sync it.
func OpenDir(path string) (*os.File, error) {
	return within(path,
		func() (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|directory, 0) }, drop)
}

// OpenDirIn is OpenDir for a name below root.
func OpenDirIn(root *os.Root, name string) (*os.File, error) {
	return within(name, func() (*os.File, error) {
		return root.OpenFile(name, os.O_RDONLY|directory, 0)
	}, drop)
}

func drop(f *os.File) { _ = f.Close() } // nothing was written

func openPlain(path string, flag int, perm fs.FileMode) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &NotRegularError{Path: path, Mode: info.Mode()}
	}
	return open(path, flag|noFollow, perm)
}

func openIn(root *os.Root, name string, flag int, perm fs.FileMode) (*os.File, error) {
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &NotRegularError{Path: name, Mode: info.Mode()}
	}
	return checked(name,
		func() (*os.File, error) { return root.OpenFile(name, flag|nonBlock, perm) })
}

func open(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return checked(path, func() (*os.File, error) { return os.OpenFile(path, flag|nonBlock, perm) })
}

// checked opens a file and closes it again if it is not a regular one. A file on which another
// process holds a lease is tried again: the kernel takes the lease away, or the deadline comes.
func checked(path string, open func() (*os.File, error)) (*os.File, error) {
	f, err := open()
	for tries := 0; busy(err) && tries < leaseTries; tries++ {
		<-time.After(Patience / leaseTries)
		f, err = open()
	}
	if err != nil {
		if mode, special := kindOf(path, err); special {
			return nil, &NotRegularError{Path: path, Mode: mode}
		}
		return nil, err //nolint:wrapcheck // the path is in it
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{Path: path, Mode: info.Mode()}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// content reads an open file and closes it.
func content(f *os.File, err error, path string, limit int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer drop(f)
	info, err := f.Stat()
	if err != nil {
		return nil, err //nolint:wrapcheck // the path is in it
	}
	if info.Size() > limit {
		return nil, &TooLargeError{Path: path, Size: info.Size(), Limit: limit}
	}
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit: // it grew
			return nil, &TooLargeError{Path: path, Size: int64(len(data)), Limit: limit}
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err //nolint:wrapcheck // the path is in it
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

// within does the work off the caller's goroutine, so that a file system that does not answer does
// not block the caller. A late result is dropped.
func within[T any](path string, work func() (T, error), drop func(T)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		v, err := work()
		answers <- answer{v, err}
	}()
	patience := time.NewTimer(Patience)
	defer patience.Stop()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-patience.C:
	}
	if drop != nil {
		go func() {
			if a := <-answers; a.err == nil {
				drop(a.value)
			}
		}()
	}
	var none T
	return none, &fs.PathError{Op: "open", Path: path, Err: os.ErrDeadlineExceeded}
}

// ReadDirIn lists a directory below root, of at most limit entries, in no order.
func ReadDirIn(root *os.Root, name string, limit int) ([]fs.DirEntry, error) {
	return readDir(root, name, func(d *os.File) ([]fs.DirEntry, error) { return d.ReadDir(limit) })
}

// NamesIn is ReadDirIn for names alone: no entry is looked at.
func NamesIn(root *os.Root, name string, limit int) ([]string, error) {
	return readDir(root, name, func(d *os.File) ([]string, error) { return d.Readdirnames(limit) })
}

func readDir[E any](root *os.Root, name string, read func(*os.File) ([]E, error)) ([]E, error) {
	return within(name, func() ([]E, error) {
		d, err := root.OpenFile(name, os.O_RDONLY|directory, 0)
		if err != nil {
			return nil, err //nolint:wrapcheck // the path is in it
		}
		defer drop(d)
		entries, err := read(d)
		if errors.Is(err, io.EOF) { // it is empty
			err = nil
		}
		return entries, err
	}, nil)
}

// Entries is a limit for directories that autobuild fills itself.
const Entries = 1 << 20

// Write replaces the content of the file at path, which is made where it is missing. It is not
// durable and not atomic: see package atomicfile.
func Write(path string, data []byte, perm fs.FileMode) error {
	f, err := OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// NonBlock is the flag by which an open waits for no FIFO, for those that open files themselves.
const NonBlock = nonBlock
