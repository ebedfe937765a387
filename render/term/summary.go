package term

import (
	"fmt"
	"strings"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// Summary is the last screen of a session, whichever way it ended.
func Summary(run *state.Run, e render.Ending, s render.Style) string {
	if e.Nothing || render.OutcomeOf(run) == state.Done {
		return Done(run, e, s)
	}
	return Halt(run, e, s)
}

// Halt is the box of a session that ended before the plan was complete, and below it, unboxed, the
// commands to type next, the one that resumes last.
func Halt(run *state.Run, e render.Ending, s render.Style) string {
	d := render.NewOverview(run, false)
	b := newBox(s)
	b.title(render.Banner(render.OutcomeOf(run)))
	b.field(0, "Reason:", d.Reason())
	b.field(0, "So far:", d.Tally())
	proofField(d, b)
	planField(d, b)
	b.blank()
	failuresSection(d, b, e)
	finalGatesSection(d, b, e)
	blockedSection(d, b)
	contestedSection(d, b)
	completedSection(d, b)
	openSections(d, b)
	warningsSection(d, b, e.Notes)
	undeliveredSection(d, b)
	requestsSection(d, b)
	stateSection(b, "STATE PRESERVED", e)
	instructionsSection(d, b, e)
	return text.DisarmLines(b.close() + pasteableCommands(d, e, s))
}

// Done is the box of a session that completed the plan, or the part of it that was asked for. A
// session that had nothing to do gets two lines instead.
func Done(run *state.Run, e render.Ending, s render.Style) string {
	d := render.NewOverview(run, false)
	if e.Nothing {
		return nothingToDo(d, e, s)
	}
	b := newBox(s)
	switch {
	case d.Part():
		b.title("AUTOBUILD: PART COMPLETE", render.Warn)
	case d.Totals.Contested > 0 || run.End != nil && run.End.PlanContested:
		b.title("AUTOBUILD COMPLETE, CONTESTED", render.Warn)
	case d.Unproven():
		b.title("AUTOBUILD COMPLETE, UNVERIFIED", render.Warn)
	default:
		b.title("AUTOBUILD COMPLETE", render.Good)
	}
	b.field(0, "Result:", d.Tally())
	proofField(d, b)
	planField(d, b)
	if d.Part() {
		b.para(render.OthersLeft, render.PlainInk)
	}
	b.blank()
	completedSection(d, b)
	openSections(d, b)
	contestedSection(d, b)
	warningsSection(d, b, e.Notes)
	finalGatesSection(d, b, e)
	undeliveredSection(d, b)
	requestsSection(d, b)
	stateSection(b, "STATE", e)
	return text.DisarmLines(b.close() + pasteableCommands(d, e, s))
}

// planField says that an agent can have edited the plan that the run went by.
func planField(d render.Overview, b *box) {
	if d.Run.End != nil && d.Run.End.PlanContested {
		b.field(0, "Plan:", render.ContestedPlan)
	}
}

// nothingToDo says that there was nothing to do.
func nothingToDo(d render.Overview, e render.Ending, s render.Style) string {
	what := d.Run.Config.Plan
	if what == "" {
		what = "the plan"
	}
	when := ""
	if d.Run.End != nil && !d.Run.End.Time.IsZero() {
		when = " since " + d.Run.End.Time.UTC().Format("2006-01-02 15:04 UTC")
	}
	content := fmt.Sprintf("nothing to do: %s of %s complete%s",
		text.Count(d.Totals.Phases, "phase"), what, when)
	if d.Totals.Skipped > 0 {
		content = fmt.Sprintf("nothing to do: %d of %s of %s complete, %d skipped%s",
			d.Totals.Complete, text.Count(d.Totals.Phases, "phase"), what, d.Totals.Skipped, when)
	}
	return text.DisarmLines(strings.Join(text.Wrap(s.Show(content, 400), s.Columns()), "\n") +
		"\n" + pasteableCommands(d, e, s))
}
