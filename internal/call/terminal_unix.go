//go:build unix

package call

import (
	"errors"
	"syscall"
)

// ReaderGone reports whether a write failed because nobody reads any more.
func ReaderGone(err error) bool { return errors.Is(err, syscall.EPIPE) }

// legacy is false: every terminal here obeys escape sequences, or says by TERM that it does not.
func legacy(uintptr) bool { return false }
