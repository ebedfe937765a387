package local

import (
	"fmt"
	"time"
)

const (
	// Within setBack a clock that was set back stands still until it catches up; beyond it, time
	// follows the runtime clock.
	setBack = time.Second
	large   = time.Minute // a larger jump is reported
)

// clock is the time of a run. It follows the wall clock forward, because limits reset at wall-clock
// times. When the wall clock is set back, it goes on by the runtime clock. Its readings may repeat
// and never decrease.
type clock struct {
	runtime func() time.Time     // stands still while the machine sleeps
	wall    func() time.Time     // may be set, by anyone, to anything
	slept   func() time.Duration // total sleep of the machine; nil where unknown

	last   time.Time     // the last reading
	at     time.Time     // by the runtime's clock
	behind time.Duration // of the wall clock, below zero, as far as that is known
	asleep time.Duration // as far as that is known
	jumps  []string      // not reported yet
}

func newClock(wall func() time.Time, slept func() time.Duration) *clock {
	c := &clock{runtime: runtime, wall: wall, slept: slept}
	if c.wall == nil {
		c.wall = c.runtime
	}
	if slept != nil {
		c.asleep = slept()
	}
	c.last, c.at = c.wall(), c.runtime()
	return c
}

// runtime is the clock of timers.
func runtime() time.Time {
	return time.Now()
}

// now returns the time, and notes a jump of the wall clock.
func (c *clock) now() time.Time {
	wall, at := c.wall(), c.runtime()
	even := c.last.Add(at.Sub(c.at)) // as if the wall clock had not been set
	moved := wall.Round(0).Sub(even.Round(0))
	c.note(moved)
	switch {
	case moved < -setBack:
		wall = even
	case wall.Round(0).Before(c.last.Round(0)):
		wall = c.last // until the wall clock comes by again
	}
	c.last, c.at = wall, at
	return wall
}

// note finds out why the wall clock jumped: the machine slept, or the clock was set.
func (c *clock) note(moved time.Duration) {
	var slept time.Duration
	if c.slept != nil {
		all := c.slept()
		slept, c.asleep = all-c.asleep, all
	}
	if slept > large {
		c.jumps = append(c.jumps,
			fmt.Sprintf(
				"the machine slept %s; deadlines count the time awake alone, and usage limits "+
					"are looked at again",
				hours(slept)))
		moved -= slept
	}
	switch {
	case moved > large && c.slept == nil:
		c.jumps = append(c.jumps, "the machine slept, or its clock was set forward: by "+
			hours(moved))
	case moved > large:
		c.jumps = append(c.jumps,
			fmt.Sprintf("the clock was set forward by %s; deadlines count the time awake alone",
				hours(moved)))
	case moved < c.behind-large:
		c.jumps = append(c.jumps,
			fmt.Sprintf("the clock was set back by %s; this run goes on by the time it had",
				hours(c.behind-moved)))
	}
	c.behind = min(moved, 0)
}

// hours words a jump for people: "7 h 58 min".
func hours(d time.Duration) string {
	d = d.Round(time.Minute)
	h, m := int(d/time.Hour), int(d%time.Hour/time.Minute)
	switch {
	case h == 0:
		return fmt.Sprintf("%d min", m)
	case h >= 100:
		return fmt.Sprintf("%d days", h/24)
	}
	return fmt.Sprintf("%d h %d min", h, m)
}

// takeJumps says once, in words for the user, what has become of the wall clock since the last
// call.
func (c *clock) takeJumps() []string {
	c.now()
	jumps := c.jumps
	c.jumps = nil
	return jumps
}
