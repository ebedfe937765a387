//go:build !linux

package session

import "time"

// sleepKnown is nil: this system does not report how long it has slept.
func sleepKnown() func() time.Duration { return nil }
