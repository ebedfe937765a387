package store

import (
	"errors"
	"syscall"
)

// The two ways of lseek that tell data and holes apart.
const seekData, seekHole = 3, 4

// unknown reports whether the file system does not tell holes.
func unknown(err error) bool { return err != nil && !errors.Is(err, syscall.ENXIO) }
