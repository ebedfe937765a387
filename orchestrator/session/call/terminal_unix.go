//go:build unix

package call

import (
	"errors"
	"syscall"
)

// ReaderGone reports whether a write failed because the reader has closed its end.
func ReaderGone(err error) bool { return errors.Is(err, syscall.EPIPE) }

// legacy is false: every terminal here obeys escape sequences, or says by TERM that it does not.
func legacy(uintptr) bool { return false }
