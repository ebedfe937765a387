package render

import (
	"fmt"

	"autobuild/internal/text"
	"autobuild/state"
)

// Overview is a run sorted for a summary.
type Overview struct {
	Run         *state.Run
	Live        bool // a session is going: a running phase is not cut off
	Totals      state.Totals
	ByStatus    map[state.Status][]*state.Phase
	Interrupted []*state.Phase // pending, and interrupted while they ran
	NotStarted  []*state.Phase // pending, and never started
}

// NewOverview sorts a run. Live says that a session works on it now.
func NewOverview(run *state.Run, live bool) Overview {
	d := Overview{
		Run: run, Live: live, Totals: run.Totals(),
		ByStatus: make(map[state.Status][]*state.Phase),
	}
	for i := range run.Phases {
		p := &run.Phases[i]
		d.ByStatus[p.Status] = append(d.ByStatus[p.Status], p)
		switch {
		case interrupted(p, live):
			d.Interrupted = append(d.Interrupted, p)
		case p.Status == state.Pending:
			d.NotStarted = append(d.NotStarted, p)
		}
	}
	return d
}

// interrupted reports whether a phase began and was stopped from outside: it is pending again, or,
// where the whole run was cut off, still recorded as running.
func interrupted(p *state.Phase, live bool) bool {
	return p.Status == state.Pending && !p.Started.IsZero() || p.Status == state.Running && !live
}

// OthersLeft says why a run that ended well is not complete.
const OthersLeft = "The others were not asked for, or have been reset."

// Part reports whether the last session did all that it was asked for, and phases are left all the
// same.
func (d Overview) Part() bool {
	return d.Run.End != nil && d.Run.End.Outcome == state.Done && !d.Run.Finished()
}

// OutcomeOf is how a run ended; one without an end counts as done where it is finished, else as
// halted.
func OutcomeOf(run *state.Run) state.Outcome {
	switch {
	case run.End != nil:
		return run.End.Outcome
	case run.Finished():
		return state.Done
	}
	return state.Halted
}

// Reason says in one sentence why the run ended.
func (d Overview) Reason() string {
	if d.Run.End != nil && d.Run.End.Reason != "" {
		switch t := d.Totals; {
		case d.Run.End.Outcome != state.Done || t.Complete == t.Phases:
			return d.Run.End.Reason
		case t.Complete == 0:
			return "no phase to run"
		default:
			return "all selected phases complete"
		}
	}
	failed := d.ByStatus[state.Failed]
	if len(failed) == 0 {
		return "the run ended before the plan was complete"
	}
	if len(failed) == 1 {
		if len(failed[0].Attempts) > 1 {
			return "Phase " + failed[0].Label + " failed after retry"
		}
		return "Phase " + failed[0].Label + " failed"
	}
	return "Phases " + text.JoinAnd(Labels(failed)) + " failed"
}

// Tally is the session in numbers: "4 of 6 phases complete, 1 failed, 1 blocked, in 42m10s, for
// $6.20".
func (d Overview) Tally() string {
	t := d.Totals
	content := fmt.Sprintf("%d of %s complete", t.Complete, text.Count(t.Phases, "phase"))
	if t.Complete == t.Phases {
		content = text.Count(t.Phases, "phase") + " complete"
	}
	for _, part := range []struct {
		n    int
		name string
	}{
		{t.Failed, "failed"},
		{t.Blocked, "blocked"},
		{t.Waiting, "waiting"},
		{t.Running - running(d.Interrupted), "running"},
		{len(d.Interrupted), "interrupted"},
		{len(d.NotStarted), "not started"},
		{t.Contested, "contested"},
		{t.Skipped, "skipped"},
	} {
		if part.n > 0 {
			content += fmt.Sprintf(", %d %s", part.n, part.name)
		}
	}
	if d.Run.End != nil && d.Run.End.Elapsed > 0 {
		content += ", in " + Duration(d.Run.End.Elapsed)
	}
	if money := Spent(t.Usage); money != "" {
		content += ", " + money
	}
	return content
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

// Labels are the labels of phases.
func Labels(phases []*state.Phase) []string {
	out := make([]string, len(phases))
	for i, p := range phases {
		out[i] = p.Label
	}
	return out
}

// PhaseTitle is "Phase 2A: Backend".
func PhaseTitle(p *state.Phase) string {
	if p.Name == "" {
		return "Phase " + p.Label
	}
	return "Phase " + p.Label + ": " + p.Name
}

// Label is the label of the phase with an id, and the id itself where the run has no such phase.
func (d Overview) Label(id string) string {
	if p, ok := d.Run.Find(id); ok {
		return text.Clean(p.Label, 40)
	}
	return text.Clean(id, 40)
}

// OpenNeeds lists the labels of a phase's dependencies that are not complete.
func (d Overview) OpenNeeds(p *state.Phase) []string {
	var open []string
	for _, id := range p.DependsOn {
		if q, ok := d.Run.Find(id); ok && q.Status != state.Complete && q.Status != state.Skipped {
			open = append(open, q.Label)
		}
	}
	return open
}

// Delivered reports whether the last session found nothing left to deliver: warnings from the
// landing of a phase are obsolete then.
func (d Overview) Delivered() bool {
	end := d.End()
	return d.Run.End != nil && end.Outcome != state.Broken && end.Merge == "" && end.Why == ""
}

// End is how the last session ended; the zero End while one goes on.
func (d Overview) End() state.End {
	if d.Run.End == nil {
		return state.End{}
	}
	return *d.Run.End
}

// Banner is the heading of a summary of a run that did not complete.
func Banner(o state.Outcome) (string, Ink) {
	switch o {
	case state.Interrupted:
		return "AUTOBUILD INTERRUPTED", Warn
	case state.Stopped:
		return "AUTOBUILD STOPPED", Warn
	case state.Broken:
		return "AUTOBUILD COULD NOT GO ON", Bad
	case state.Halted, state.Done:
	}
	return "AUTOBUILD HALTED", Bad
}
