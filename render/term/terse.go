package term

import (
	"fmt"
	"io"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Every line that Terse writes is read by a model, which pays for it: beyond so many phases that
// went well, one line counts several.
const (
	terseDone  = 20
	terseEvery = 10
)

// Terse writes a run for a coding agent that started it: a line at the start, one where an attempt
// ends or waits for a limit, and the notices. No stamps, no gates, no heartbeats; the box that
// follows says the rest. Each failure has a line, however many there are.
type Terse struct {
	W     io.Writer
	Style render.Style
	Dir   string // the state directory as a person types it; empty is ".autobuild"

	err   error
	done  int
	batch batches
}

// Event writes at most a few lines. It always returns nil, because a closed pipe must not stop a
// run: Err has the error.
func (t *Terse) Event(e state.Event, run *state.Run) error {
	var out strings.Builder
	n := narrator{
		event: e, run: run, style: t.Style, dir: t.Dir, heard: map[string]string{},
		batch: &t.batch,
	}
	say := func(format string, args ...any) {
		out.WriteString(n.show(fmt.Sprintf(format, args...)) +
			"\n")
	}
	switch e.Type {
	case state.RunStarted:
		t.done = 0
		c := run.Config
		left := text.Count(run.Totals().Phases-run.Totals().Complete, "phase")
		say("run %s: %s of %s, %d at once, agent %s, commit %s", c.RunID, left, c.Plan, c.Jobs,
			c.Agent+render.FallbackSuffix(c), c.CommitMode)
	case state.AttemptFinished:
		t.finished(&n, say)
	case state.PlanEdited:
		say("the plan was edited: %s", e.Text)
	case state.Notice:
		say("note: %s", e.Text)
	}
	if t.err == nil && out.Len() > 0 {
		_, t.err = io.WriteString(t.W, text.DisarmLines(out.String()))
	}
	return nil
}

// Err is the first error of the writer. Nothing is written after it.
func (t *Terse) Err() error { return t.err }

func (t *Terse) finished(n *narrator, say func(string, ...any)) {
	e, a := n.event, n.event.Result
	if a == nil {
		return
	}
	label := render.EventLabel(n.event, n.run, n.style)
	totals := n.run.Totals()
	switch {
	case a.Failure == nil:
		t.done++
		if t.done > terseDone && totals.Complete%terseEvery != 0 &&
			totals.Complete < totals.Phases {
			return
		}
		remark := ""
		if a.Verdict == state.Unverified {
			remark = ", unverified: " + render.WhyUnproven(*a)
		}
		if n := len(render.ContestItems(a.Contested())); n > 0 {
			remark += ", contested: " + text.Count(n, "change") +
				" of tests or gates that the plan does not ask for"
		}
		say("%s done in %s (%d of %d)%s", label, render.Duration(a.Duration), totals.Complete,
			totals.Phases, remark)
	case a.Decision != nil && a.Decision.Action == failure.Wait:
		until := e.Until
		if until.IsZero() {
			until = a.Decision.Until
		}
		if until.IsZero() {
			say("%s goes on with another agent: %s: %s", label, a.Failure.Type, a.Failure.Message)
			return
		}
		say("%s waits until %s%s: %s: %s", label, t.Style.Moment(until, e.Time), held(e.Waiting),
			a.Failure.Type, a.Failure.Message)
	default:
		follows := ""
		if p, ok := n.run.Find(e.Phase); ok && p.Retry {
			follows = "; " + next(p, "a retry follows")
		}
		say("%s FAILED, attempt %d: %s (log %s)%s", label, a.N, render.FailureLine(*a),
			render.InStateDir(t.Dir, render.LogOf(*a)), follows)
	}
}
