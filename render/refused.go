package render

import (
	"cmp"
	"fmt"
	"slices"

	"autobuild/failure"
	"autobuild/state"
)

// NextStep is one thing that a person does next, with the commands for it where there are some.
type NextStep struct {
	Text     string
	caption  string // of the commands where they stand apart from the text
	Commands [][]string
}

// NextSteps lists the user's next steps for a failed phase, required ones first. Dir is the state
// directory as the user types it.
func (d Overview) NextSteps(p *state.Phase, dir string, program []string, s Style) []NextStep {
	var out []NextStep
	step := func(text string, argv ...string) {
		out = append(out, NextStep{Text: text, Commands: [][]string{argv}})
	}
	if IsDiscovery(p) {
		step("Say what mends it, and a retry is allowed", KnowledgeCommand(program, p)...)
	}
	if IsFrozen(p) {
		step("Thaw it, once its cause is gone", slices.Concat(program, []string{"reset", PhaseArg(p)})...)
	}
	a, _ := p.Last()
	switch {
	case IsRefused(a):
		return append(out, d.refusedTodos(p, a, dir)...)
	case a.Failure != nil && len(a.Failure.Actions) > 0:
		named := phaseCommands(s, program, p)
		for _, action := range a.Failure.Actions {
			out = append(out, NextStep{Text: named.Replace(action)})
		}
	default:
		step("Read what happened", slices.Concat(program, []string{"logs", PhaseArg(p)})...)
	}
	return out
}

// IsRefused reports whether an attempt failed because it changed what judges it, and which changes
// those are is known.
func IsRefused(a state.Attempt) bool {
	return a.Failure != nil && a.Failure.Cause == failure.RefereeChanged &&
		len(RefusedChanges(a)) > 0
}

// FailureLine is an attempt's failure on one line: its type, and its message or first refused
// change.
func FailureLine(a state.Attempt) string {
	if !IsRefused(a) {
		return string(a.Failure.Type) + ": " + a.Failure.Message
	}
	items := ContestItems(RefusedChanges(a))
	text := fmt.Sprintf("%s (%s): %s", a.Failure.Type, a.Failure.Cause, items[0].line())
	if more := len(items) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// RefusedChanges are the changes of an attempt that the referee refused.
func RefusedChanges(a state.Attempt) []state.RefereeChange {
	return slices.DeleteFunc(slices.Clone(a.Referee),
		func(c state.RefereeChange) bool { return c.Ruling != state.RulingRefused })
}

// refusedFiles are the files of the refused changes: those that the base has and the phase
// changed, and those that the phase created. Files that the phase did not touch are in neither
// list.
func refusedFiles(a state.Attempt) (changed, created []string) {
	for _, c := range RefusedChanges(a) {
		switch {
		case slices.Contains(a.Changes.Created, c.File):
			created = append(created, c.File)
		case slices.Contains(a.Changes.Modified, c.File),
			slices.Contains(a.Changes.Deleted, c.File):
			changed = append(changed, c.File)
		}
	}
	return unrepeated(changed), unrepeated(created)
}

func unrepeated(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// refusedTodos say how to put back what judges the phase, and how to have the change accepted.
func (d Overview) refusedTodos(p *state.Phase, a state.Attempt, dir string) []NextStep {
	changed, created := refusedFiles(a)
	work := WorkDir(dir, a.Dir)
	git := func(words ...string) []string { return append([]string{"git", "-C", work}, words...) }
	base := cmp.Or(a.Base[:min(len(a.Base), 12)], "HEAD")
	var out []NextStep
	if len(changed) > 0 {
		out = append(out,
			NextStep{
				Text: "Look at what it changed", caption: "to look at what phase " + p.Label +
					" changed:",
				Commands: [][]string{append(git("diff", base, "--"), changed...)},
			},
			NextStep{
				Text:     "Put back the tests and gates that judge it",
				caption:  "to put back the tests and gates that judge phase " + p.Label + ":",
				Commands: [][]string{append(git("checkout", base, "--"), changed...)},
			})
	}
	if len(created) > 0 {
		remove := []string{"rm", "--"}
		for _, name := range created {
			remove = append(remove, work+"/"+name)
		}
		out = append(out, NextStep{
			Text:     "Take away the new files that could steer what judges it",
			caption:  "to take away the new files of phase " + p.Label + ":",
			Commands: [][]string{remove},
		})
	}
	if len(changed)+len(created) == 0 {
		out = append(out,
			NextStep{Text: "Make the code in " + work +
				" pass the tests that were there before, without the phase's new test files and " +
				"settings"})
	}
	text := "If the change is right, say in the phase's section of " + cmp.Or(d.Run.Config.Plan,
		"the plan") + " what changes and how"
	how := "let the agent give its reason in `referee_changes` of its result: the phase then lands " +
		"contested, and a person decides"
	if d.Run.Config.Referee == "strict" {
		how = "resume with --referee contest, under which the agent may give its reason in " +
			"`referee_changes`"
	}
	return append(out, NextStep{Text: text + "; or " + how})
}

// Unasked says what is wrong with the refused changes of an attempt, without a full stop.
func (d Overview) Unasked(a state.Attempt) string {
	changed, created := refusedFiles(a)
	switch {
	case len(changed)+len(created) == 0:
		return "tests that were there before fail without the phase's new test files and settings"
	case d.Run.Config.Referee == "strict":
		return "it changed tests or gates that judge it, and the plan does not ask for that"
	}
	return "it changed tests or gates that judge it, and neither the plan nor the agent's " +
		"result says why"
}

// gitFor is git where the words that call autobuild lead.
func gitFor(program []string) []string {
	if i := slices.Index(program, "-C"); i >= 0 && i+1 < len(program) {
		return []string{"git", "-C", program[i+1]}
	}
	return []string{"git"}
}

// Revert is the command that takes a commit out again. Program are the words that call autobuild.
func Revert(program []string, c *state.Commit) string {
	return Command(append(gitFor(program), "revert", "--no-edit", c.SHA[:min(len(c.SHA), 12)]))
}

// refusing says how to refuse the contested changes of phases: a caption, and the commands in their
// order. Reset alone would keep the changes, because the phase is done again on top of the landed
// work.
func (d Overview) refusing(phases []*state.Phase, e Ending) (caption string, argv [][]string) {
	revert, reset := append(gitFor(e.Program), "revert", "--no-edit"), append(ProgramOf(e), "reset")
	landed := 0
	newest := slices.SortedStableFunc(slices.Values(phases),
		func(a, b *state.Phase) int { return b.Finished.Compare(a.Finished) })
	for _, p := range newest {
		if c := p.Commit; c != nil && c.SHA != "" {
			revert = append(revert, c.SHA[:min(len(c.SHA), 12)])
			landed++
		}
	}
	for _, p := range phases {
		reset = append(reset, PhaseArg(p))
	}
	again := [][]string{reset}
	if len(e.Resume) > 0 {
		again = append(again, e.Resume)
	}
	switch {
	case landed < len(phases):
		return "undo the changes by hand, and have the work done again", again
	case d.Run.Config.CommitMode != state.CommitMessage:
		return "take the work out, and have it done again", append([][]string{revert}, again...)
	}
	// The line of such a run keeps the work even if the checkout changes: only a fresh run begins
	// without it.
	argv = [][]string{{"sh", cmp.Or(e.Script, InStateDir(e.Dir, "commits.sh"))}, revert}
	if len(e.Fresh) == 0 {
		return "commit the work, take this part out, and start again with --fresh", argv
	}
	return "commit the work, take this part out, and start again", append(argv, e.Fresh)
}
