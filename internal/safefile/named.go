package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Missing reports whether a path does not exist, also where an element above it is no directory.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// ReadNamed is Read with errors that leave the path out, for messages that name it.
func ReadNamed(path string, limit int64) ([]byte, error) {
	data, err := Read(path, limit)
	if _, special := errors.AsType[*NotRegularError](err); special {
		return nil, errors.New("it is not a regular file")
	}
	if large, ok := errors.AsType[*TooLargeError](err); ok {
		return nil, fmt.Errorf("it has %d bytes, more than %d", large.Size, limit)
	}
	return data, err
}

// Reason is the cause of a file error without its path, for messages that name it.
func Reason(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err.Error()
	}
	if s, ok := errors.AsType[*os.SyscallError](err); ok {
		return s.Err.Error()
	}
	return err.Error()
}
