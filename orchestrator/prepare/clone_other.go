//go:build !linux

package prepare

import "os"

// cloneFile is not implemented on this system.
func cloneFile(_, _ *os.File) bool { return false }
