package render

import (
	"fmt"
	"strings"

	"autobuild/state"
)

// Ending is what a summary tells beyond the run itself: how autobuild was called, and what it leaves behind.
type Ending struct {
	Program []string // the words that call autobuild from here, with its -C if there is one; nil is "autobuild"
	Resume  []string // the whole command that goes on; nil where nothing can be resumed
	Fresh   []string // the whole command that starts again; nil is left out
	Dir     string   // the state directory as a person types it; empty is ".autobuild"
	Files   int      // phase files in it
	Script  string   // of message-only: the path of commits.sh; empty when there is none
	Reports []string // files that were written for other eyes
	Notes   []string // things to know that no phase knows, such as gates that failed before the run
	Plans   []string // ids of failed phases for which there is a proposal to change the plan
	Nothing bool     // the session found everything complete and did nothing
}

// Summary is the last screen of a session, whichever way it ended.
func Summary(run *state.Run, e Ending, s Style) string {
	if e.Nothing || outcome(run) == state.Done {
		return Done(run, e, s)
	}
	return Halt(run, e, s)
}

// Halt is the box of a session that ended before the plan was complete, and below it, unboxed, the commands to type
// next, the one that resumes last.
func Halt(run *state.Run, e Ending, s Style) string {
	d := digest(run, false)
	b := newBox(s)
	b.title(banner(outcome(run)))
	b.field(0, "Reason:", d.reason())
	b.field(0, "So far:", d.tally())
	d.proved(b)
	b.blank()
	d.completed(b)
	d.left(b)
	d.disputed(b)
	d.warned(b, e.Notes)
	d.failures(b, e)
	d.finalGates(b, e)
	d.blocked(b)
	d.undelivered(b)
	d.preserved(b, "STATE PRESERVED", e)
	d.instructions(b, e)
	return screen(b.close() + d.commands(e, s))
}

// Done is the box of a session that completed the plan, or the part of it that was asked for. A session that had nothing
// to do gets two lines instead.
func Done(run *state.Run, e Ending, s Style) string {
	d := digest(run, false)
	if e.Nothing {
		return d.idle(e, s)
	}
	b := newBox(s)
	switch {
	case d.part():
		b.title("AUTOBUILD: PART COMPLETE", warn)
	case d.totals.Contested > 0:
		b.title("AUTOBUILD COMPLETE, CONTESTED", warn)
	case d.unproven():
		b.title("AUTOBUILD COMPLETE, UNVERIFIED", warn)
	default:
		b.title("AUTOBUILD COMPLETE", good)
	}
	b.field(0, "Result:", d.tally())
	d.proved(b)
	if d.part() {
		b.para(others, plainInk)
	}
	b.blank()
	d.completed(b)
	d.left(b)
	d.disputed(b)
	d.warned(b, e.Notes)
	d.finalGates(b, e)
	d.undelivered(b)
	d.preserved(b, "STATE", e)
	return screen(b.close() + d.commands(e, s))
}

func banner(o state.Outcome) (string, ink) {
	switch o {
	case state.Interrupted:
		return "AUTOBUILD INTERRUPTED", warn
	case state.Stopped:
		return "AUTOBUILD STOPPED", warn
	case state.Broken:
		return "AUTOBUILD COULD NOT GO ON", bad
	case state.Halted, state.Done:
	}
	return "AUTOBUILD HALTED", bad
}

// account is a run sorted for a summary.
type account struct {
	run    *state.Run
	live   bool // a session is going: what is running is not cut off
	totals state.Totals
	by     map[state.Status][]*state.Phase
	cut    []*state.Phase // pending, and interrupted while they ran
	todo   []*state.Phase // pending, and never started
}

// digest sorts a run. Live says that a session works on it now.
func digest(run *state.Run, live bool) account {
	d := account{run: run, live: live, totals: run.Totals(), by: make(map[state.Status][]*state.Phase)}
	for i := range run.Phases {
		p := &run.Phases[i]
		d.by[p.Status] = append(d.by[p.Status], p)
		switch {
		case interrupted(p, live):
			d.cut = append(d.cut, p)
		case p.Status == state.Pending:
			d.todo = append(d.todo, p)
		}
	}
	return d
}

// interrupted reports whether a phase began and was stopped from outside: it is pending again, or, where the whole run
// was cut off, still recorded as running.
func interrupted(p *state.Phase, live bool) bool {
	return p.Status == state.Pending && !p.Started.IsZero() || p.Status == state.Running && !live
}

// stuck phases were cut off so often that a resume starts nothing before a person has looked.
func (d account) stuck(p *state.Phase) bool {
	return !d.live && p.Stuck()
}

// others says why a run that ended well is not complete.
const others = "The others were not asked for, or have been reset."

// part reports whether the last session did all that it was asked for, and phases are left all the same.
func (d account) part() bool {
	return d.run.End != nil && d.run.End.Outcome == state.Done && !d.run.Finished()
}

func outcome(run *state.Run) state.Outcome {
	switch {
	case run.End != nil:
		return run.End.Outcome
	case run.Finished():
		return state.Done
	}
	return state.Halted
}

func (d account) reason() string {
	if d.run.End != nil && d.run.End.Reason != "" {
		return d.run.End.Reason
	}
	failed := d.by[state.Failed]
	if len(failed) == 0 {
		return "the run ended before the plan was complete"
	}
	if len(failed) == 1 {
		if len(failed[0].Attempts) > 1 {
			return "Phase " + failed[0].Label + " failed after retry"
		}
		return "Phase " + failed[0].Label + " failed"
	}
	return "Phases " + both(labels(failed)) + " failed"
}

// tally is the session in numbers: "4 of 6 phases complete, 1 failed, 1 blocked, in 42m10s, for $6.20".
func (d account) tally() string {
	t := d.totals
	text := fmt.Sprintf("%d of %s complete", t.Complete, count(t.Phases, "phase"))
	if t.Complete == t.Phases {
		text = count(t.Phases, "phase") + " complete"
	}
	for _, part := range []struct {
		n    int
		name string
	}{
		{t.Failed, "failed"},
		{t.Blocked, "blocked"},
		{t.Waiting, "waiting"},
		{t.Running - running(d.cut), "running"},
		{len(d.cut), "interrupted"},
		{len(d.todo), "not started"},
		{t.Contested, "contested"},
		{t.Skipped, "skipped"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.name)
		}
	}
	if d.run.End != nil && d.run.End.Elapsed > 0 {
		text += ", in " + duration(d.run.End.Elapsed)
	}
	if money := spent(t.Usage); money != "" {
		text += ", " + money
	}
	return text
}

func running(phases []*state.Phase) int {
	n := 0
	for _, p := range phases {
		if p.Status == state.Running {
			n++
		}
	}
	return n
}

// idle says that there was nothing to do.
func (d account) idle(e Ending, s Style) string {
	what := d.run.Config.Plan
	if what == "" {
		what = "the plan"
	}
	when := ""
	if d.run.End != nil && !d.run.End.Time.IsZero() {
		when = " since " + d.run.End.Time.UTC().Format("2006-01-02 15:04 UTC")
	}
	text := fmt.Sprintf("nothing to do: %s of %s complete%s", count(d.totals.Phases, "phase"), what, when)
	if d.totals.Skipped > 0 {
		text = fmt.Sprintf("nothing to do: %d of %s of %s complete, %d skipped%s",
			d.totals.Complete, count(d.totals.Phases, "phase"), what, d.totals.Skipped, when)
	}
	return screen(strings.Join(wrap(s.show(text, 400), s.width()), "\n") + "\n" + d.commands(e, s))
}

func labels(phases []*state.Phase) []string {
	out := make([]string, len(phases))
	for i, p := range phases {
		out[i] = p.Label
	}
	return out
}

// heading is "Phase 2A: Backend".
func heading(p *state.Phase) string {
	if p.Name == "" {
		return "Phase " + p.Label
	}
	return "Phase " + p.Label + ": " + p.Name
}
