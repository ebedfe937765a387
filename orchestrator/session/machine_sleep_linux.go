package session

import (
	"time"

	"golang.org/x/sys/unix"
)

// slept is all the sleep of this machine since it was started: the difference of two clocks, of
// which one counts sleep.
func slept() time.Duration {
	var all, awake unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &all) != nil ||
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil {
		return 0
	}
	return max(0, time.Duration(all.Nano()-awake.Nano())) // they are read one after the other
}

// sleepKnown is slept where the system can report it.
func sleepKnown() func() time.Duration { return slept }
