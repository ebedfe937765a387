//go:build unix

package proc

import (
	"fmt"
	"syscall"
)

// Exec makes this process the program at path. It returns only where that is not possible.
func Exec(path string, argv, environ []string) error {
	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, argv, environ))
}
