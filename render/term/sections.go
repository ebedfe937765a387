package term

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// failedWord is the screens' word for a phase that has failed: BLOCKED where its policy found
// nothing known to act on, and keeps the failure for learning.
func failedWord(p *state.Phase) string {
	if render.IsDiscovery(p) {
		return "BLOCKED"
	}
	return "FAILED"
}

// Beyond these numbers a part of a summary is folded, so that the failure and the way on stay on
// the screen.
const (
	foldComplete = 8  // to a row a phase
	foldRows     = 24 // to labels only
	foldDetail   = 8  // failed phases with their details
	foldTests    = 5  // failing tests and places of one phase
)

// completedSection lists the finished phases, with the commit where they are few.
func completedSection(d render.Overview, b *box) {
	phases := d.ByStatus[state.Complete]
	if len(phases) == 0 {
		return
	}
	b.section("COMPLETED PHASES", render.Good)
	if len(phases) > foldRows {
		b.bounded(0, text.Count(len(phases), "phase")+":",
			text.JoinSome(render.Labels(phases), render.FoldLabels), 12)
		b.blank()
		return
	}
	for _, p := range phases {
		word, i := render.CompleteWord(p)
		b.leader(render.PhaseTitle(p), word, i)
		if len(phases) > foldComplete {
			continue
		}
		if p.Commit != nil && render.CommitSubject(p.Commit.Message) != "" {
			b.bounded(2, commitWord(d)+":", render.CommitSubject(p.Commit.Message), 2)
		}
		b.blank()
	}
	if len(phases) > foldComplete {
		b.blank()
	}
}

// commitWord is the label of a phase's message: Commit, or Message where the mode makes no commit
// for each phase.
func commitWord(d render.Overview) string {
	if !render.CommitsPerPhase(d.Run) {
		return "Message"
	}
	return "Commit"
}

// openSections lists the phases that neither completed nor failed nor are blocked.
func openSections(d render.Overview, b *box) {
	if phases := d.Interrupted; len(phases) > 0 {
		b.section("INTERRUPTED PHASES", render.Warn)
		list(b, phases, "interrupted", render.Warn, func(*state.Phase) (string, string) {
			return "", ""
		})
		b.para("An interrupted phase keeps its attempts and starts again on resume.",
			render.PlainInk)
		b.blank()
	}
	if phases := d.ByStatus[state.Waiting]; len(phases) > 0 {
		b.section("WAITING PHASES", render.Warn)
		list(b, phases, "waiting", render.Warn, func(p *state.Phase) (name, value string) {
			if p.Until.IsZero() {
				return "Waits for:", p.WaitsFor()
			}
			return "Waits for:", p.WaitsFor() + ", until " + b.style.Stamp(p.Until,
				"2006-01-02 15:04")
		})
	}
	if len(d.NotStarted) > 0 {
		b.section("PHASES NOT STARTED", render.Strong)
		list(b, d.NotStarted, "not started", render.PlainInk,
			func(p *state.Phase) (name, value string) {
				if open := d.OpenNeeds(p); len(open) > 0 {
					return "Needs:", text.JoinSome(open, render.FoldLabels)
				}
				return "", ""
			})
	}
	if phases := d.ByStatus[state.Skipped]; len(phases) > 0 {
		b.section("SKIPPED PHASES", render.Strong)
		list(b, phases, "skipped", render.PlainInk,
			func(p *state.Phase) (name, value string) { return "Reason:", p.Reason })
	}
}

// list is a row a phase with an optional remark, or the labels alone where there are many.
func list(
	b *box, phases []*state.Phase, word string, i render.Ink,
	remark func(*state.Phase) (name, value string),
) {
	if len(phases) > foldComplete {
		b.field(0, text.Count(len(phases), "phase")+" "+word+":",
			text.JoinSome(render.Labels(phases), render.FoldLabels))
		b.blank()
		return
	}
	for _, p := range phases {
		b.leader(render.PhaseTitle(p), word, i)
		if name, value := remark(p); value != "" {
			b.bounded(2, name, value, 3)
		}
	}
	b.blank()
}

// warningsSection shows the first remarks.
func warningsSection(d render.Overview, b *box, notes []string) {
	lines := d.Remarks(notes)
	if len(lines) == 0 {
		return
	}
	const most = 10
	b.section("WARNINGS", render.Warn)
	for i, line := range lines {
		if i == most {
			b.para(fmt.Sprintf("and %d more", len(lines)-most), render.Faint)
			break
		}
		b.bounded(0, b.glyph.Warned, line, 3)
	}
	b.blank()
}

// failuresSection lists the failed phases, with what is known about each.
func failuresSection(d render.Overview, b *box, e render.Ending) {
	phases := d.ByStatus[state.Failed]
	if len(phases) == 0 {
		return
	}
	name := "FAILED PHASE"
	if len(phases) > 1 {
		name = "FAILED PHASES"
	}
	b.section(name, render.Bad)
	for i, p := range phases {
		b.leader(render.PhaseTitle(p), failedWord(p), render.Bad)
		a, ok := p.Last()
		if !ok || a.Failure == nil {
			b.blank()
			continue
		}
		if i >= foldDetail {
			b.bounded(2, "Error:", string(a.Failure.Type), 1)
			continue
		}
		failedPhase(d, b, p, a, e)
		b.blank()
	}
	if len(phases) > foldDetail {
		b.blank()
	}
}

func failedPhase(d render.Overview, b *box, p *state.Phase, a state.Attempt, e render.Ending) {
	f := a.Failure
	tries := fmt.Sprintf("%d/%d", a.N, max(a.N, p.MaxAttempts))
	if !f.Retryable && a.N < p.MaxAttempts {
		tries += ", not retryable"
	}
	b.field(2, "Attempts:", tries)
	kind := string(f.Type)
	if f.Cause != "" && f.Cause != f.Type {
		kind += " (" + string(f.Cause) + ")"
	}
	if past := p.Failures(); len(past) > 1 && past[len(past)-2].Type != f.Type {
		kind += "; before that " + string(past[len(past)-2].Type)
	}
	b.field(2, "Error:", kind)
	if render.IsRefused(a) {
		refusedDetails(d, b, a, e)
	} else {
		b.found(f)
	}
	if f.Said != "" {
		b.bounded(2, "It said:", f.Said, 30)
	}
	if a.Report != nil && a.Report.Said != "" {
		b.bounded(2, "It said:", a.Report.Said, 4)
	}
	if a.Log != "" {
		name := "Log:"
		if render.IsRefused(a) {
			name = "Agent's log:"
		}
		b.field(2, name, render.InStateDir(e.Dir, a.Log))
	}
	if replan := render.Replan(d.Run, p); replan != "" {
		b.bounded(2, "Replan:", replan, 4)
	}
	switch a.Dir {
	case "":
	case ".": // phases share it
		b.field(2, "Directory:", a.Dir)
	default:
		b.field(2, "Worktree:", render.WorkDir(e.Dir, a.Dir))
	}
}

// found shows what a diagnosis found.
func (b *box) found(f *failure.Diagnosis) {
	b.bounded(2, "Details:", f.Message, 4)
	told := slices.ContainsFunc(f.Tests, func(t failure.Test) bool { return t.Said() != "" })
	if !told && len(f.Places)+len(f.Conflicts) == 0 { // else they say it, each once
		b.details(f)
	}
	evidence(b, f)
}

// details shows the printed output, wrapped at words. It leaves out lines that the box has
// elsewhere (the command, how it ended, the message), and lines that would hide the next steps.
func (b *box) details(f *failure.Diagnosis) {
	const most = 8
	shown, ours := 0, 0
	for line := range strings.Lines(f.Details) {
		if strings.HasPrefix(line, "$ ") {
			ours = 2 // the command, and how it ended
		}
		if ours--; ours >= 0 {
			continue
		}
		line = b.style.Show(line, most*(b.inner-4))
		if line == "" || strings.HasSuffix(f.Message, line) {
			continue
		}
		for _, row := range text.Wrap(line, b.inner-4) {
			if shown == most {
				b.row([]span{{"    " + b.glyph.More, render.Faint}}, span{})
				return
			}
			b.row([]span{{"    " + row, render.Faint}}, span{})
			shown++
		}
	}
}

// evidence lists what the diagnosis holds, each kind of failure its own facts.
func evidence(b *box, f *failure.Diagnosis) {
	var tests []string
	for _, t := range f.Tests {
		tests = append(tests, t.String())
	}
	several(b, "Tests:", tests, f.Count)
	if len(tests) == 0 {
		var places []string
		for _, p := range f.Places {
			places = append(places,
				strings.TrimSpace(render.FileLine(p.File, p.Line)+" "+cmp.Or(p.Message, p.Rule)))
		}
		several(b, "Places:", places, f.Count)
	}
	for _, c := range f.Conflicts[:min(len(f.Conflicts), foldTests)] {
		b.bounded(2, "File:", c.File, 2)
		for _, side := range []struct{ phase, lines string }{
			{c.Phase, c.Lines},
			{c.Other, c.OtherLines},
		} {
			who := "Phase " + side.phase
			if side.phase == "" {
				who = "A commit of yours"
			}
			b.bounded(4, who, strings.TrimSpace("changed "+render.LineRange(side.lines)), 2)
		}
	}
	if len(f.Conflicts) == 0 {
		several(b, "Files:", f.Files, 0)
	}
	if f.Package != "" {
		b.field(2, "Package:", f.Package)
	}
	if f.RequiredBy != "" {
		b.field(2, "Required by:", f.RequiredBy)
	}
	if f.After > 0 {
		b.field(2, "After:", render.Duration(f.After))
	}
	if f.Activity != "" {
		b.bounded(2, "Last seen:", f.Activity, 2)
	}
	several(b, "Claimed:", f.Claimed, 0)
	if len(f.Found) > 1 || len(f.Found) == 1 && !strings.Contains(f.Message, f.Found[0]) {
		several(b, "Found:", f.Found, 0)
	}
	if f.Command != "" {
		b.bounded(2, "Command:", f.Command, 2)
	}
}

// several shows the first few of a list, one a row, and says how many there are.
func several(b *box, name string, items []string, total int) {
	total = max(total, len(items))
	for i, item := range items {
		if i == foldTests {
			b.row([]span{{
				fmt.Sprintf("    %s and %d more", b.glyph.More, total-foldTests),
				render.Faint,
			}}, span{})
			return
		}
		b.hang(2, name, item, 3)
		name = strings.Repeat(" ", text.Width(name))
	}
}
