package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/state"
)

// Beyond these numbers a part of a summary is folded, so that the failure and the way on stay on the screen.
const (
	foldComplete = 8  // to a row a phase
	foldRows     = 24 // to labels only
	foldDetail   = 8  // failed phases with their details
	foldTests    = 5  // failing tests and places of one phase
	foldLabels   = 60
)

// completed tells the finished phases, with the commit where they are few.
func (d account) completed(b *box) {
	phases := d.by[state.Complete]
	if len(phases) == 0 {
		return
	}
	b.section("COMPLETED PHASES", good)
	if len(phases) > foldRows {
		b.bounded(0, count(len(phases), "phase")+":", some(labels(phases), foldLabels), 12)
		b.blank()
		return
	}
	for _, p := range phases {
		word, i := completeWord(p)
		b.leader(heading(p), word, i)
		if len(phases) > foldComplete {
			continue
		}
		if p.Commit != nil && subject(p.Commit.Message) != "" {
			b.bounded(2, d.commitWord()+":", subject(p.Commit.Message), 2)
		}
		b.blank()
	}
	if len(phases) > foldComplete {
		b.blank()
	}
}

// commitWord is what a phase's message stands for: a commit of its own, but where the mode makes
// none a phase.
func (d account) commitWord() string {
	if !commits(d.run) {
		return "Message"
	}
	return "Commit"
}

// commits reports whether a run makes a commit a phase on the user's branch.
func commits(run *state.Run) bool {
	return run.Config.CommitMode != state.CommitSingle && run.Config.CommitMode != state.CommitMessage
}

func completeWord(p *state.Phase) (string, ink) {
	switch {
	case len(p.Contested()) > 0:
		return "complete, contested", warn
	case p.Verdict() == state.Unverified:
		return "complete, unverified", warn
	case p.Verdict() == state.Upgraded:
		return "complete, upgraded", warn
	case len(p.Attempts) > 1:
		return "complete on retry", good
	}
	return "complete", good
}

// left tells the phases that neither completed nor failed nor are blocked.
func (d account) left(b *box) {
	if phases := d.cut; len(phases) > 0 {
		b.section("INTERRUPTED PHASES", warn)
		list(b, phases, "interrupted", warn, func(*state.Phase) string { return "" })
		b.para("An interrupted phase keeps its attempts and starts again on resume.", plainInk)
		b.blank()
	}
	if phases := d.by[state.Waiting]; len(phases) > 0 {
		b.section("WAITING PHASES", warn)
		list(b, phases, "waiting", warn, func(p *state.Phase) string {
			if p.Until.IsZero() {
				return "Waits for: " + p.WaitsFor()
			}
			return "Waits for: " + p.WaitsFor() + ", until " + b.style.stamp(p.Until, "2006-01-02 15:04")
		})
	}
	if len(d.todo) > 0 {
		b.section("PHASES NOT STARTED", strong)
		list(b, d.todo, "not started", plainInk, func(p *state.Phase) string {
			if open := d.open(p); len(open) > 0 {
				return "Needs: " + some(open, foldLabels)
			}
			return ""
		})
	}
	if phases := d.by[state.Skipped]; len(phases) > 0 {
		b.section("SKIPPED PHASES", strong)
		list(b, phases, "skipped", plainInk, func(p *state.Phase) string { return p.Reason })
	}
}

// list is a row a phase with an optional remark, or the labels alone where there are many.
func list(b *box, phases []*state.Phase, word string, i ink, remark func(*state.Phase) string) {
	if len(phases) > foldComplete {
		b.field(0, count(len(phases), "phase")+" "+word+":", some(labels(phases), foldLabels))
		b.blank()
		return
	}
	for _, p := range phases {
		b.leader(heading(p), word, i)
		if text := remark(p); text != "" {
			name, value, ok := strings.Cut(text, ": ")
			if !ok {
				name, value = "Reason", text
			}
			b.bounded(2, name+":", value, 3)
		}
	}
	b.blank()
}

// open lists the labels of what a phase needs and is not complete.
func (d account) open(p *state.Phase) []string {
	var open []string
	for _, id := range p.DependsOn {
		if q, ok := d.run.Find(id); ok && q.Status != state.Complete && q.Status != state.Skipped {
			open = append(open, q.Label)
		}
	}
	return open
}

// remarks are the notes and what completed, yet deserves a look. What is said of several phases alike is said once: it would hide the rest.
func (d account) remarks(notes []string) []string {
	var said []string
	of := make(map[string][]string)
	say := func(p *state.Phase, text string) {
		if len(of[text]) == 0 {
			said = append(said, text)
		}
		of[text] = append(of[text], p.Label)
	}
	var unverified, unclear, upgraded []string
	for _, p := range d.by[state.Complete] {
		switch p.Verdict() {
		case state.Unverified:
			if a, _ := p.Last(); inconclusive(a) {
				unclear = append(unclear, p.Label)
			} else {
				unverified = append(unverified, p.Label)
			}
		case state.Upgraded:
			upgraded = append(upgraded, p.Label)
		case state.Verified, state.Refused:
		}
		if a, ok := p.Last(); ok {
			for _, w := range a.Warnings {
				say(p, w)
			}
		}
		if p.Commit != nil && len(p.Commit.Overlap) > 0 {
			say(p, "other phases changed "+some(p.Commit.Overlap, 3)+" too; merged cleanly")
		}
	}
	lines := slices.Clone(notes)
	for _, text := range said {
		lines = append(lines, some(of[text], 6)+": "+text)
	}
	if len(unverified) > 0 {
		lines = append(lines, "unverified: no gate was run for "+some(unverified, foldLabels)+
			"; name a gate in autobuild.yaml or in the plan")
	}
	if len(unclear) > 0 {
		lines = append(lines, "unverified: the gates of "+some(unclear, foldLabels)+" failed before as well, and prove nothing; mend them, or name one that passes")
	}
	if len(upgraded) > 0 {
		lines = append(lines, "upgraded: the agent reported failure for "+some(upgraded, foldLabels)+
			", yet all gates pass and every task is done")
	}
	return lines
}

// warned shows the first remarks.
func (d account) warned(b *box, notes []string) {
	lines := d.remarks(notes)
	if len(lines) == 0 {
		return
	}
	const most = 10
	b.section("WARNINGS", warn)
	for i, line := range lines {
		if i == most {
			b.para(fmt.Sprintf("and %d more", len(lines)-most), faint)
			break
		}
		b.bounded(0, b.glyph.warned, line, 3)
	}
	b.blank()
}

// failures tells which phases failed, with what is known about each.
func (d account) failures(b *box, e Ending) {
	phases := d.by[state.Failed]
	if len(phases) == 0 {
		return
	}
	name := "FAILED PHASE"
	if len(phases) > 1 {
		name = "FAILED PHASES"
	}
	b.section(name, bad)
	for i, p := range phases {
		b.leader(heading(p), failedWord(p), bad)
		a, ok := p.Last()
		if !ok || a.Failure == nil {
			b.blank()
			continue
		}
		if i >= foldDetail {
			b.bounded(2, "Error:", string(a.Failure.Type), 1)
			continue
		}
		d.failed(b, p, a, e)
		b.blank()
	}
	if len(phases) > foldDetail {
		b.blank()
	}
}

func (d account) failed(b *box, p *state.Phase, a state.Attempt, e Ending) {
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
	if refused(a) {
		d.refusedPart(b, a, e)
	} else {
		b.found(f)
	}
	if a.Report != nil && a.Report.Said != "" {
		b.bounded(2, "It said:", a.Report.Said, 4)
	}
	if a.Log != "" {
		name := "Log:"
		if refused(a) {
			name = "Agent's log:"
		}
		b.field(2, name, under(e.Dir, a.Log))
	}
	if slices.Contains(e.Plans, p.ID) {
		b.field(2, "Proposal:", under(e.Dir, ProposalName(p.ID))+", a change of the plan")
	}
	switch a.Dir {
	case "":
	case ".": // phases share it
		b.field(2, "Directory:", a.Dir)
	default:
		b.field(2, "Worktree:", workDir(e.Dir, a.Dir))
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

// details shows what was printed, wrapped at words. Lines that the box says elsewhere (the command, how it ended, the
// message) are left out, and so is what would hide the way on.
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
		line = b.style.show(line, most*(b.inner-4))
		if line == "" || strings.HasSuffix(f.Message, line) {
			continue
		}
		for _, row := range wrap(line, b.inner-4) {
			if shown == most {
				b.row([]span{{"    " + b.glyph.more, faint}}, span{})
				return
			}
			b.row([]span{{"    " + row, faint}}, span{})
			shown++
		}
	}
}

// evidence tells what the diagnosis holds, each kind of failure its own facts.
func evidence(b *box, f *failure.Diagnosis) {
	var tests []string
	for _, t := range f.Tests {
		tests = append(tests, t.String())
	}
	several(b, "Tests:", tests, f.Count)
	if len(tests) == 0 {
		var places []string
		for _, p := range f.Places {
			places = append(places, strings.TrimSpace(place(p.File, p.Line)+" "+cmp.Or(p.Message, p.Rule)))
		}
		several(b, "Places:", places, f.Count)
	}
	for _, c := range f.Conflicts[:min(len(f.Conflicts), foldTests)] {
		b.bounded(2, "File:", c.File, 2)
		for _, side := range []struct{ phase, lines string }{{c.Phase, c.Lines}, {c.Other, c.OtherLines}} {
			who := "Phase " + side.phase
			if side.phase == "" {
				who = "A commit of yours"
			}
			b.bounded(4, who, strings.TrimSpace("changed "+lineRange(side.lines)), 2)
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
		b.field(2, "After:", duration(f.After))
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

func lineRange(lines string) string {
	if lines == "" {
		return "it"
	}
	return "lines " + lines
}

// several shows the first few of a list, one a row, and says how many there are.
func several(b *box, name string, items []string, total int) {
	total = max(total, len(items))
	for i, item := range items {
		if i == foldTests {
			b.row([]span{{fmt.Sprintf("    %s and %d more", b.glyph.more, total-foldTests), faint}}, span{})
			return
		}
		b.hang(2, name, item, 3)
		name = strings.Repeat(" ", Width(name))
	}
}

// located is a name with its place behind it.
func located(name, place string) string {
	switch {
	case place == "":
		return name
	case name == "":
		return place
	}
	return name + " (" + place + ")"
}

func place(file string, line int) string {
	if file == "" || line <= 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// under joins a path of the state directory to the directory's name.
func under(dir, name string) string {
	return strings.TrimRight(cmp.Or(dir, ".autobuild"), "/") + "/" + name
}
