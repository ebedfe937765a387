package render

import (
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/state"
)

// phaseCommands puts a phase's own commands in the place of those that a failure names.
func phaseCommands(s Style, program []string, p *state.Phase) *strings.Replacer {
	command := func(word string) string {
		return s.Command(append(slices.Clone(program), word, PhaseArg(p)))
	}
	return strings.NewReplacer(failure.Logs, command("logs"), failure.Reset, command("reset"))
}

// IsFrozen reports whether a phase stays as it is until a person thaws it.
func IsFrozen(p *state.Phase) bool {
	past := p.Decisions()
	return len(past) > 0 && past[len(past)-1].Action == failure.Freeze
}

// WhereToMend says where a fix takes effect: phases do not work in the checkout.
func (d Overview) WhereToMend(failed []*state.Phase, dir string) string {
	if len(failed) != 1 || d.Run.Config.Isolation != state.Worktree {
		return ""
	}
	a, _ := failed[0].Last()
	// an agent that broke may have left nothing at all
	if a.Dir == "" || a.Changes.Len() == 0 || IsRefused(a) {
		return ""
	}
	return "Mend it in " + WorkDir(dir, a.Dir) +
		", where its work is, or commit the fix to your branch"
}

// lines are commands as a person types them, one a line.
func (s Style) lines(commands [][]string) []string {
	out := make([]string, len(commands))
	for i, argv := range commands {
		out[i] = s.Command(argv)
	}
	return out
}

// Advice is a list of commands that the user can type, with their purpose.
type Advice struct {
	Caption string
	Lines   []string
}

// Advice are the commands that may come next, the one that goes on last.
func (d Overview) Advice(e Ending, s Style) []Advice {
	var all []Advice
	group := func(caption string, lines ...string) {
		if len(lines) > 0 {
			all = append(all, Advice{caption, lines})
		}
	}
	var look []string
	failed := d.ByStatus[state.Failed]
	for _, p := range failed[:min(len(failed), 3)] {
		look = append(look, s.Command(append(ProgramOf(e), "logs", PhaseArg(p))))
	}
	if len(look) == 1 {
		look = append(look, s.Command(append(ProgramOf(e), "explain", PhaseArg(failed[0]))))
	}
	group("to see what went wrong:", look...)
	all = append(all, d.putBack(failed[:min(len(failed), 3)], e, s)...)
	var merges []string
	for _, p := range failed[:min(len(failed), 3)] {
		a, _ := p.Last()
		if f := a.Failure; f != nil && f.Type == failure.FileConflict && f.FixCommand != "" &&
			s.shows(f.FixCommand) {
			merges = append(merges, f.FixCommand)
		}
	}
	group("to merge by hand, before you resume:", merges...)
	// a command with a part left out would be worse than none
	if merge := d.End().Merge; merge != "" && s.shows(merge) {
		caption := "to bring the finished work into your checkout:"
		if text := MergeAdvice(d.End()); text != "" {
			caption = s.Show("to bring the finished work into your checkout, "+text+" first, then:",
				MaxLine)
		}
		group(caption, merge)
	}
	group("to accept the contested changes, once you have looked at them:",
		d.AcceptCommands(e, s)...)
	if contested := d.Contested(); len(contested) > 0 {
		caption, argv := d.refusing(contested, e)
		group("to refuse them, "+caption+":", s.lines(argv)...)
	}
	if e.Nothing {
		return all
	}
	over := OutcomeOf(d.Run) == state.Done
	if over && !d.Part() {
		if e.Script != "" {
			group("to make the commits:", s.Command([]string{"sh", e.Script}))
		}
		return all // starting a finished run again throws it away: no advice leads there
	}
	if len(e.Fresh) > 0 && !over {
		group("to start again:", s.Command(e.Fresh))
	}
	if len(e.Resume) > 0 {
		group("to resume:", s.Command(e.Resume))
	}
	return all
}

// putBack are the commands that put back what judges refused phases.
func (d Overview) putBack(failed []*state.Phase, e Ending, s Style) []Advice {
	var all []Advice
	for _, p := range failed {
		a, _ := p.Last()
		if !IsRefused(a) {
			continue
		}
		for _, next := range d.refusedTodos(p, a, e.Dir) {
			if len(next.Commands) > 0 {
				all = append(all, Advice{s.Show(next.caption, MaxLine), s.lines(next.Commands)})
			}
		}
	}
	return all
}
