package store

import (
	"io/fs"
	"os"
)

// lockAlone always succeeds: supervisors hold their children in job objects, which end with them, so that nobody of
// a killed run is left to wait for.
func lockAlone(*os.File) (bool, error) { return true, nil }

func lockShared(*os.File) error { return nil }

// ours leaves ownership to the access control lists.
func ours(fs.FileInfo) bool { return true }
