package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/orchestrator/verify/referee"
	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// result is what became of one commit that changed existing tests.
type result struct {
	commit    commit
	contested []state.RefereeChange // changes that the message does not ask for
	asked     int
	recorded  int  // with adapted ones
	judged    bool // in the sample
	ran       bool
	failure   string                // why the referee run could not be made
	simulated map[simulation][2]int // excused, of all
	excused   []state.RefereeChange
}

// replay treats a commit as a phase whose section is its message. The result is nil where no test
// of the parent was changed.
func replay(
	h *history, c commit, runner *runner, gates []state.GateSpec, sample func() bool,
) (*result, error) {
	edits, err := h.edits(c)
	if err != nil {
		return nil, err
	}
	base, err := h.tree(c.parent)
	if err != nil {
		return nil, err
	}
	m := referee.NewMap(base, gates)
	if !slices.ContainsFunc(edits, func(e referee.Edit) bool {
		return e.OldMode != "" && m.Class(e.Path) == referee.Test
	}) {
		return nil, nil
	}
	r := &result{commit: c, simulated: map[simulation][2]int{}}
	section := referee.Section{Text: c.message}
	if !sample() {
		return r, nil
	}
	r.judged = true
	r.judge(m, edits, section, runner)
	r.simulate(m, base, edits, section)
	return r, nil
}

// judge decides the commit's own changes.
func (r *result) judge(
	m *referee.Map, edits []referee.Edit, section referee.Section, runner *runner,
) {
	judge := func(run referee.Outcome) []state.RefereeChange {
		changes := append(referee.TestChanges(m, edits, run), m.GateChanges(edits)...)
		changes = m.Renamed(changes, edits)
		return referee.Rule(m, changes, edits, section, nil, referee.Contest)
	}
	// The worst case first: every changed test fails, but one that has only got more lines. What
	// would be contested then has to be run.
	changes := judge(referee.Outcome{Ran: true, Blind: []string{"test"}, Passing: extended(edits)})
	if open := refused(changes); runner != nil && slices.ContainsFunc(open, ofTests) {
		run, err := runner.referee(r.commit, m.Compose(edits), open)
		if err != nil {
			r.failure = err.Error()
		} else {
			r.ran = true
			changes = judge(run)
		}
	}
	r.contested = refused(changes)
	for _, change := range changes {
		switch change.Ruling {
		case state.RulingAsked:
			r.asked++
		case state.RulingRecorded, state.RulingAdapted:
			r.recorded++
		}
	}
}

// extended are the tests all of whose lines are still there, in their order.
func extended(edits []referee.Edit) map[string]bool {
	passing := map[string]bool{}
	for _, e := range edits {
		if e.OldMode == "" || e.NewMode == "" || e.Unread {
			continue
		}
		now := map[string]testunit.Unit{}
		for _, u := range testunit.Units(e.Path, e.New) {
			now[u.Name] = u
		}
		for _, u := range testunit.Units(e.Path, e.Old) {
			if work, ok := now[u.Name]; ok && !u.Shared && !work.Skip &&
				within(u.Lines, work.Lines) {
				passing[referee.Key(e.Path, u.Name)] = true
			}
		}
	}
	return passing
}

func within(lines, all []string) bool {
	i := 0
	for _, line := range all {
		if i < len(lines) && lines[i] == line {
			i++
		}
	}
	return i == len(lines)
}

func refused(changes []state.RefereeChange) []state.RefereeChange {
	return slices.DeleteFunc(slices.Clone(changes),
		func(c state.RefereeChange) bool { return c.Ruling != state.RulingRefused })
}

func ofTests(c state.RefereeChange) bool {
	return c.Cause != state.CauseGate && c.Cause != state.CauseLever
}

// simulation is a cheat that is tried with a test that the commit left alone.
type simulation string

const (
	deletion  simulation = "deleted"
	skipping  simulation = "skipped"
	valueEdit simulation = "expected value edited"
)

// simulate tries every cheat with every untouched test of the directories concerned, all tests of a
// kind at once: each is judged for itself.
func (r *result) simulate(
	m *referee.Map, base *tree, edits []referee.Edit, section referee.Section,
) {
	touched := map[string]bool{}
	concerned := map[string]bool{}
	for _, e := range edits {
		touched[e.Path] = true
		if m.Class(e.Path) == referee.Test {
			concerned[path.Dir(e.Path)] = true
		}
	}
	for _, kind := range []simulation{deletion, skipping, valueEdit} {
		all := slices.Clone(edits)
		var changes []state.RefereeChange
		for _, file := range base.Paths() {
			if touched[file] || !concerned[path.Dir(file)] || m.Class(file) != referee.Test {
				continue
			}
			text, ok := base.Read(file)
			if !ok {
				continue
			}
			edit, changed := cheat(kind, file, text)
			if len(changed) == 0 {
				continue
			}
			edit.OldMode = base.Mode(file)
			all, changes = append(all, edit), append(changes, changed...)
		}
		ruled := referee.Rule(m, changes, all, section, nil, referee.Contest)
		count := [2]int{0, len(ruled)}
		for _, c := range ruled {
			if c.Ruling == state.RulingAsked {
				count[0]++
				r.excused = append(r.excused, c)
			}
		}
		r.simulated[kind] = count
	}
}

// cheat changes every test of a file in one way.
func cheat(kind simulation, file, text string) (referee.Edit, []state.RefereeChange) {
	e := referee.Edit{Path: file, Old: text, NewMode: "100644"}
	var changes []state.RefereeChange
	lines := strings.SplitAfter(text, "\n")
	whole := false
	for _, u := range testunit.Units(file, text) {
		if u.Shared || u.Skip || len(u.Asserts) == 0 {
			continue
		}
		change := state.RefereeChange{File: file, Line: u.First, Test: u.Name, What: string(kind)}
		switch kind {
		case deletion:
			change.Cause = state.CauseRemoved
			whole = whole || u.Name == ""
			for i := u.First - 1; i < min(u.Last, len(lines)); i++ {
				lines[i] = ""
			}
		case skipping:
			change.Cause = state.CauseSkipped
			if u.Name == "" {
				continue
			}
			lines[u.First-1] = strings.Replace(lines[u.First-1], "{", "{ t.Skip();", 1)
		case valueEdit:
			change.Cause = state.CauseValue
			if !editValue(lines, u) {
				continue
			}
		}
		changes = append(changes, change)
	}
	e.New = strings.Join(lines, "")
	if whole {
		e.New, e.NewMode = "", ""
	}
	return e, changes
}

// editValue changes the first expected value of a test: a number, a text, or a whole line of a
// script.
func editValue(lines []string, u testunit.Unit) bool {
	for i := u.First - 1; i < min(u.Last, len(lines)); i++ {
		for _, value := range u.Values {
			if len(value) == 0 || !strings.ContainsAny(value[:1], "\"`0123456789") && u.Name != "" {
				continue
			}
			if !strings.Contains(lines[i], value) {
				continue
			}
			edited := value + "7"
			if strings.ContainsAny(value[:1], "\"`") {
				edited = value[:1] + "edited " + value[1:]
			}
			lines[i] = strings.Replace(lines[i], value, edited, 1)
			return true
		}
	}
	return false
}

// describe is one line about a change.
func describe(c state.RefereeChange) string {
	name := c.File
	if c.Test != "" {
		name += " " + c.Test
	}
	return fmt.Sprintf("%s: %s: %s", c.Cause, name, c.What)
}
