package store

import (
	"errors"
	"syscall"
)

// The lseek modes that find data and holes.
const seekData, seekHole = 3, 4

// unknown reports whether the file system cannot report holes.
func unknown(err error) bool { return err != nil && !errors.Is(err, syscall.ENXIO) }
