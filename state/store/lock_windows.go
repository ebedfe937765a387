package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Errors of the system that package syscall has no names for.
const (
	errSharing        = syscall.Errno(32)
	errHandleDiskFull = syscall.Errno(39)
	errDiskFull       = syscall.Errno(112)
)

// lockAlone always succeeds: children are in job objects, which end with the process that made
// them, so that agents and gates of a killed run are gone already.
func lockAlone(*os.File) (bool, error) { return true, nil }

func lockShared(*os.File) error { return nil }

// ours leaves ownership to the access control lists.
func ours(fs.FileInfo) bool { return true }

// diskFull reports whether the disk was full.
func diskFull(err error) bool {
	return errors.Is(err, errDiskFull) || errors.Is(err, errHandleDiskFull)
}

// heldOpen reports whether another program has the file open without sharing it.
func heldOpen(err error) bool { return errors.Is(err, errSharing) }
