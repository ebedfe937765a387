//go:build !linux

package git

import "os"

// opened cannot be determined here, so the file counts as open.
func opened(string, os.FileInfo) bool { return true }
