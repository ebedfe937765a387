package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/failure"
	"autobuild/state"
)

// blocked tells who waits for a failed phase, by the name of the root.
func (d account) blocked(b *box) {
	phases := d.by[state.Blocked]
	if len(phases) == 0 {
		return
	}
	b.section("BLOCKED PHASES", warn)
	if len(phases) <= foldComplete {
		for _, p := range phases {
			b.leader(heading(p), "blocked", warn)
			b.field(2, "Blocked by:", d.label(p.BlockedBy))
			b.blank()
		}
		return
	}
	var roots []string
	behind := make(map[string][]string)
	for _, p := range phases {
		if len(behind[p.BlockedBy]) == 0 {
			roots = append(roots, p.BlockedBy)
		}
		behind[p.BlockedBy] = append(behind[p.BlockedBy], p.Label)
	}
	for _, root := range roots {
		b.bounded(0, "Blocked by "+d.label(root)+":", some(behind[root], foldLabels), 12)
	}
	b.blank()
}

func (d account) label(id string) string {
	if p, ok := d.run.Find(id); ok {
		return Clean(p.Label, 40)
	}
	return Clean(id, 40)
}

// undelivered tells where finished work is that has not reached the checkout.
func (d account) undelivered(b *box) {
	end := d.end()
	var out []string
	for _, p := range d.by[state.Complete] {
		if p.Commit == nil || p.Commit.Delivered || p.Commit.SHA == "" && p.Commit.Undelivered == "" {
			continue
		}
		out = append(out, p.Label)
		end.Why = cmp.Or(end.Why, p.Commit.Undelivered)
	}
	if end.Branch == "" && end.Merge == "" && end.Why == "" || d.delivered() {
		return
	}
	b.section("WORK NOT YET IN YOUR CHECKOUT", warn)
	if len(out) > 0 {
		b.field(0, "Phases:", some(out, foldLabels))
	}
	if end.Branch != "" {
		b.field(0, "Branch:", end.Branch)
	}
	if end.Why != "" {
		b.field(0, "Because:", end.Why)
	}
	if text := wayIn(end.Why); text != "" && end.Merge != "" {
		b.field(0, "First:", text)
	}
	if end.Merge != "" {
		b.field(0, "Bring it in:", end.Merge)
	}
	b.blank()
}

// wayIn says what to do before a merge can work. Why is a sentence, not a code: where it speaks of a file in the checkout,
// git refuses as long as that is there, so it is named. Of any other reason nothing is said: it is shown beside this.
func wayIn(why string) string {
	if name, ok := strings.CutSuffix(why, " exists in the checkout, untracked"); ok {
		return "move " + name + " away"
	}
	for _, end := range []string{" is changed in the checkout", " is deleted in the checkout"} {
		if name, ok := strings.CutSuffix(why, end); ok {
			return "commit or undo your change to " + name
		}
	}
	return ""
}

// delivered reports whether the last session found nothing left to deliver: what was said of a phase when it landed is over.
func (d account) delivered() bool {
	end := d.end()
	return d.run.End != nil && end.Outcome != state.Broken && end.Merge == "" && end.Why == ""
}

func (d account) end() state.End {
	if d.run.End == nil {
		return state.End{}
	}
	return *d.run.End
}

// preserved tells what is on disk.
func (d account) preserved(b *box, name string, e Ending) {
	b.section(name, strong)
	b.field(0, "Directory:", under(e.Dir, ""))
	if e.Files > 0 {
		b.field(0, "State files:", count(e.Files, "phase"))
	}
	b.field(0, "Logs:", under(e.Dir, "logs/"))
	if e.Script != "" {
		b.field(0, "Commit script:", e.Script)
	}
	for _, report := range e.Reports {
		b.field(0, "Report:", report)
	}
	if name == "STATE PRESERVED" {
		b.blank()
	}
}

// instructions tells what a person does next: what the failures ask for, then the command that goes on.
func (d account) instructions(b *box, e Ending) {
	b.section("RESUME INSTRUCTIONS", strong)
	n := 0
	step := func(text string) {
		n++
		b.bounded(0, fmt.Sprintf("%d.", n), text, 16)
	}
	general := false
	failed := d.by[state.Failed]
	for _, p := range failed[:min(len(failed), 3)] {
		lead := ""
		if len(failed) > 1 {
			lead = p.Label + ": "
		}
		todos := d.todos(p, e.Dir, program(e), b.style)
		if len(todos) == 0 {
			todos = []todo{{text: "Read what happened", commands: [][]string{append(program(e), "logs", typed(p))}}}
		}
		for _, next := range todos[:min(len(todos), 4)] {
			if next.general && general {
				continue
			}
			general = general || next.general
			text := lead + next.text
			for _, argv := range next.commands {
				text += ": " + b.style.command(argv)
			}
			step(text)
		}
		if discovery(p) {
			step(lead + "Say what mends it, and a retry is allowed: " + b.style.command(teach(program(e), p)))
		}
		if frozen(p) {
			step(lead + "Thaw it, once its cause is gone: " + b.style.command(append(program(e), "reset", typed(p))))
		}
	}
	if len(failed) > 3 {
		alike := installs(failed[3:], step)
		if len(alike) > 0 {
			step("Likewise for " + some(labels(alike), 20))
		}
	}
	d.finalSteps(step)
	if place := d.mend(failed, e.Dir); place != "" && len(e.Resume) > 0 {
		step(place)
	}
	if len(e.Resume) > 0 {
		step("Run: " + b.style.command(e.Resume))
		b.blank()
		b.para("To start fresh: Add --fresh flag", plainInk)
	} else if n == 0 {
		b.para("This run cannot be resumed.", plainInk)
	}
}

// commands puts a phase's own commands in the place of those that a failure names.
func commands(s Style, program []string, p *state.Phase) *strings.Replacer {
	command := func(word string) string { return s.command(append(slices.Clone(program), word, typed(p))) }
	return strings.NewReplacer(failure.Logs, command("logs"), failure.Reset, command("reset"))
}

// frozen reports whether a phase stays as it is until a person thaws it.
func frozen(p *state.Phase) bool {
	past := p.Decisions()
	return len(past) > 0 && past[len(past)-1].Action == failure.Freeze
}

// mend says where a fix takes effect: phases do not work in the checkout.
func (d account) mend(failed []*state.Phase, dir string) string {
	if len(failed) != 1 || d.run.Config.Isolation != state.Worktree {
		return ""
	}
	a, _ := failed[0].Last()
	if a.Dir == "" || a.Changes.Len() == 0 || refused(a) { // an agent that broke may have left nothing at all
		return ""
	}
	return "Mend it in " + workDir(dir, a.Dir) + ", where its work is, or commit the fix to your branch"
}

// commands are the lines below the box. Each stands alone on its line, whole, so that it can be pasted.
func (d account) commands(e Ending, s Style) string { return pasteable(d.advice(e, s), s) }

// LastCommand is what a Summary ends with, for when something had to be said below it; empty where nothing is to be typed.
func LastCommand(run *state.Run, e Ending, s Style) string {
	all := digest(run, false).advice(e, s)
	return pasteable(all[max(len(all)-1, 0):], s)
}

// lines are commands as a person types them, one a line.
func (s Style) lines(commands [][]string) []string {
	out := make([]string, len(commands))
	for i, argv := range commands {
		out[i] = s.command(argv)
	}
	return out
}

func pasteable(all []advice, s Style) string {
	var out strings.Builder
	for _, a := range all {
		out.WriteString("\n")
		for _, row := range wrap(a.caption, s.width()) {
			out.WriteString(s.paint(strong, row) + "\n")
		}
		for _, line := range a.lines {
			out.WriteString("  " + line + "\n")
		}
	}
	return out.String()
}

// advice is what can be typed, and what for.
type advice struct {
	caption string
	lines   []string
}

// advice are the commands that may come next, the one that goes on last.
func (d account) advice(e Ending, s Style) []advice {
	var all []advice
	group := func(caption string, lines ...string) {
		if len(lines) > 0 {
			all = append(all, advice{caption, lines})
		}
	}
	var look []string
	failed := d.by[state.Failed]
	for _, p := range failed[:min(len(failed), 3)] {
		look = append(look, s.command(append(program(e), "logs", typed(p))))
	}
	if len(look) == 1 {
		look = append(look, s.command(append(program(e), "explain", typed(failed[0]))))
	}
	group("to see what went wrong:", look...)
	all = append(all, d.putBack(failed[:min(len(failed), 3)], e, s)...)
	group("to let go on what was cut off again and again, once you know why:", d.release(e, s)...)
	var merges []string
	for _, p := range failed[:min(len(failed), 3)] {
		a, _ := p.Last()
		if f := a.Failure; f != nil && f.Type == failure.FileConflict && f.FixCommand != "" && s.shows(f.FixCommand) {
			merges = append(merges, f.FixCommand)
		}
	}
	group("to merge by hand, before you resume:", merges...)
	if merge := d.end().Merge; merge != "" && s.shows(merge) { // a command with a part left out would be worse than none
		caption := "to bring the finished work into your checkout:"
		if text := wayIn(d.end().Why); text != "" {
			caption = s.show("to bring the finished work into your checkout, "+text+" first, then:", longest)
		}
		group(caption, merge)
	}
	group("to accept the contested changes, once you have looked at them:", d.accepting(e, s)...)
	if contested := d.contested(); len(contested) > 0 {
		caption, argv := d.refusing(contested, e)
		group("to refuse them, "+caption+":", s.lines(argv)...)
	}
	if e.Nothing {
		return all
	}
	over := outcome(d.run) == state.Done
	if over && !d.part() {
		if e.Script != "" {
			group("to make the commits:", s.command([]string{"sh", e.Script}))
		}
		return all // starting a finished run again throws it away: nobody should come upon that here
	}
	if len(e.Fresh) > 0 && !over {
		group("to start again:", s.command(e.Fresh))
	}
	if len(e.Resume) > 0 {
		group("to resume:", s.command(e.Resume))
	}
	return all
}

// putBack are the commands that put back what judges refused phases.
func (d account) putBack(failed []*state.Phase, e Ending, s Style) []advice {
	var all []advice
	for _, p := range failed {
		a, _ := p.Last()
		if !refused(a) {
			continue
		}
		for _, next := range d.refusedTodos(p, a, e.Dir) {
			if len(next.commands) > 0 {
				all = append(all, advice{s.show(next.caption, longest), s.lines(next.commands)})
			}
		}
	}
	return all
}

// release resets what nothing else lets go on.
func (d account) release(e Ending, s Style) []string {
	words := append(program(e), "reset")
	known := len(words)
	for i := range d.run.Phases {
		if p := &d.run.Phases[i]; d.stuck(p) {
			words = append(words, typed(p))
		}
	}
	if len(words) == known {
		return nil
	}
	return []string{s.command(words)}
}

// typed is what a person types to name a phase: its label where that is short and plain, else its id.
func typed(p *state.Phase) string {
	if len(p.Label) > 24 || Command([]string{p.Label}) != p.Label {
		return p.ID
	}
	return p.Label
}

func program(e Ending) []string {
	if len(e.Program) == 0 {
		return []string{"autobuild"}
	}
	return append([]string(nil), e.Program...)
}

// Command is an argument vector as one line that a POSIX shell takes back apart into the same words. Characters that
// may not reach a terminal are written as $'\ooo', which bash, zsh and ksh understand.
func Command(argv []string) string { return Style{}.command(argv) }

func (s Style) command(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = s.quote(arg)
	}
	return strings.Join(words, " ")
}

// isPlain reports whether a character stands for itself within a word of any shell.
func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./=,:@%+", r)
}

func (s Style) quote(arg string) string {
	plain := strings.TrimLeftFunc(arg, isPlain) == ""
	if plain && arg != "" && arg[0] != '=' && !strings.HasPrefix(arg, "::") {
		return arg
	}
	if s.shows(arg) {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(arg) {
		c := arg[i]
		if c < ' ' || c >= 0x7f || strings.IndexByte(`\'[`, c) >= 0 {
			fmt.Fprintf(&b, `\%03o`, c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String() + "'"
}

// shows reports whether a word may stand on the screen as it is.
func (s Style) shows(word string) bool {
	if !utf8.ValidString(word) || disarm(word) != word {
		return false
	}
	return strings.IndexFunc(word, func(r rune) bool {
		return s.ASCII && r >= utf8.RuneSelf || hidden(r) || r != ' ' && (unicode.IsSpace(r) || !unicode.IsGraphic(r))
	}) < 0
}
