package render

import (
	"cmp"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// stamp is a moment where the reader lives: resets are waited for by people.
func (s Style) stamp(t time.Time, layout string) string {
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format(layout + " MST")
}

// moment is a time of day, with the date where the day differs from the other moment's, and how far it is away.
func (s Style) moment(t, now time.Time) string {
	const day, full = "15:04", "2006-01-02 15:04"
	text := s.stamp(t, full)
	if s.stamp(t, time.DateOnly) == s.stamp(now, time.DateOnly) {
		text = s.stamp(t, day)
	}
	if !t.After(now) {
		return text
	}
	return text + " (in " + duration(t.Sub(now).Round(time.Second)) + ")"
}

// held says how many phases a limit keeps waiting: "; 3 phases wait".
func held(phases int) string {
	switch phases {
	case 0:
		return ""
	case 1:
		return "; 1 phase waits"
	}
	return "; " + count(phases, "phase") + " wait"
}

// waits tells that an attempt has met a limit: whose, until when, and what that keeps waiting. An agent that hands over at once
// is no limit.
func (n *narrator) waits(f *failure.Diagnosis, d *failure.Decision) {
	e := n.event
	until := e.Until
	if until.IsZero() {
		until = d.Until
	}
	if until.IsZero() {
		n.phase("next", warn, n.show("another agent, spends no attempt: "+string(f.Type)+": "+f.Message))
		return
	}
	what, verb := "usage limit", "resets "
	if f.Type == failure.TransportError {
		what = "no way to its model"
	}
	if f.Until.IsZero() || f.Type == failure.TransportError {
		verb = "tried again "
	}
	text := cmp.Or(e.Account, "the agent") + ": " + what + ", " + verb + n.style.moment(until, e.Time) + held(e.Waiting)
	n.phase("waiting", warn, n.show(text+": "+f.Message))
}

// waitsOn repeats what is waited for, with the time that is left.
func (n *narrator) waitsOn() {
	if e := n.event; e.Waiting > 0 {
		n.say(whole, "waiting", warn, n.show(cmp.Or(e.Account, "the agent")+": waited for until "+n.style.moment(e.Until, e.Time)+held(e.Waiting)))
	}
}

// instead names those that work while the agent of a run cannot: ", else codex".
func instead(c state.Config) string {
	text := ""
	for _, name := range c.Fallbacks {
		text += ", else " + name
	}
	return text
}
