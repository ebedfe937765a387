package term

import (
	"cmp"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/render"
)

// held says how many phases a limit keeps waiting: "; 3 phases wait".
func held(phases int) string {
	switch phases {
	case 0:
		return ""
	case 1:
		return "; 1 phase waits"
	}
	return "; " + text.Count(phases, "phase") + " wait"
}

// waits reports that an attempt has met a limit: its account, its end, and the phases that wait. An
// agent that hands over at once is no limit.
func (n *narrator) waits(f *failure.Diagnosis, d *failure.Decision) {
	e := n.event
	until := e.Until
	if until.IsZero() {
		until = d.Until
	}
	if until.IsZero() {
		n.phase("next", render.Warn,
			n.show("another agent, spends no attempt: "+string(f.Type)+": "+f.Message))
		return
	}
	what, verb := awaited(f.Type), "resets "
	if f.Until.IsZero() || f.Type != failure.UsageLimit {
		verb = "tried again "
	}
	text := cmp.Or(e.Account, "the agent") + ": " + what + ", " + verb + n.style.Moment(until,
		e.Time) + held(e.Waiting)
	n.phase("waiting", render.Warn, n.show(text+": "+f.Message))
}

// awaited names the reason of a wait.
func awaited(kind failure.Type) string {
	switch kind {
	case failure.TransportError:
		return "no way to its model"
	case failure.AgentError:
		return "an error of its own, of no known kind"
	}
	return "usage limit"
}

// waitsOn repeats what is waited for, with the time that is left.
func (n *narrator) waitsOn() {
	if e := n.event; e.Waiting > 0 {
		n.say(render.WholeRun, "waiting", render.Warn,
			n.show(cmp.Or(e.Account, "the agent")+": waited for until "+n.style.Moment(e.Until,
				e.Time)+held(e.Waiting)))
	}
}
