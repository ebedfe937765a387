package store

import "os"

// mkfifo has a directory for a pipe where there are no pipes in directories.
func mkfifo(path string) error { return os.Mkdir(path, 0o700) }
