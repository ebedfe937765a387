package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/internal/text"
)

// World answers what Check asks of the place where a plan is going to run. Paths are relative to
// the repository. A World that has Names(dir string) []string, the names in a directory, lets Check
// suggest what a path may have meant; one that has Install(name string) string, how a missing
// program may be had; one that has Verified() bool says whether the repository has gates that no
// plan needs to state; one that has Pipefail() bool, whether a failure anywhere in a gate's
// pipeline is seen.
type World interface {
	File(path string) bool
	Command(name string) bool
	Variable(name string) bool
}

// Check compares a valid plan with the world that it is going to run in. It reports phases that are
// likely to fail: something that they need is missing, they change the same files at the same time,
// or no gate can show that they are done. No finding refuses the plan.
func Check(p *Plan, world World) Problems {
	c := checker{plan: p, world: world}
	c.files()
	c.commands()
	c.pipelines()
	c.variables()
	c.overlaps()
	c.constraints()
	c.untestable()
	for i := range p.phases {
		c.large(&p.phases[i])
	}
	c.found.Sort()
	return c.found
}

// checker collects what Check finds.
type checker struct {
	plan  *Plan
	world World
	found Problems
	read  finder
	hints int
}

// finder finds words in sections, up to a bound on the text searched. Beyond it the place of a
// finding is the phase.
type finder int

func (f *finder) place(phase *Phase, word string) (pos Pos, line string, width int) {
	const most = 64 << 20
	if *f > most {
		word = ""
	}
	if word != "" {
		*f += finder(len(phase.Text))
	}
	return phase.place(word)
}

// report adds a finding about a phase, at the first place in its section that says word, else at
// its heading.
func (c *checker) report(severity Severity, code string, phase *Phase, word, message, hint string) {
	pos, line, width := c.read.place(phase, word)
	c.found = append(c.found, Problem{
		Code: code, Severity: severity, Pos: pos, Width: width, Line: line, Message: message,
		Hint: hint,
	})
}

// place finds a word in the section of a phase. Without a word, or where it does not stand there as
// written, the place is that of the phase.
func (p *Phase) place(word string) (at Pos, line string, width int) {
	if p.TextLine == 0 {
		return p.Pos, "", len(p.Label)
	}
	n := p.TextLine
	for text := range strings.Lines(p.Text) {
		text = strings.TrimRight(text, "\r\n")
		if col := strings.Index(text, word); word != "" && col >= 0 {
			return Pos{Line: n, Col: col + 1}, text, len(word)
		}
		if n == p.Pos.Line {
			line = text
			if word == "" {
				break
			}
		}
		n++
	}
	if line == "" {
		return p.Pos, "", len(p.Label)
	}
	return p.Pos, line, max(1, len(strings.TrimRight(line, " \t"))-p.Pos.Col+1)
}

// files looks for what a phase is to change, and what it needs, but does not exist and nothing
// before it makes.
func (c *checker) files() {
	creators := map[string][]int{}
	for i := range c.plan.phases {
		for _, file := range c.plan.phases[i].Files.Create {
			creators[file] = append(creators[file], i)
		}
	}
	for i := range c.plan.phases {
		phase := &c.plan.phases[i]
		var before []int // found when it is first needed
		modified := len(merged(phase.Files.Existing, nil))
		for k, file := range merged(phase.Files.Existing, phase.Prerequisites.Files) {
			made := creators[file]
			if slices.Contains(made, i) || c.world.File(file) {
				continue
			}
			if len(made) > 0 && before == nil {
				before = c.plan.Ancestors(i)
			}
			if slices.ContainsFunc(made,
				func(k int) bool { _, ok := slices.BinarySearch(before, k); return ok }) {
				continue
			}
			message := fmt.Sprintf("phase %s needs %s, which does not exist", phase.Label,
				text.Clip(file, maxQuoted))
			if k < modified {
				message = fmt.Sprintf("phase %s is to modify %s, which does not exist", phase.Label,
					text.Clip(file, maxQuoted))
			}
			hint := "say \"Create\" if the phase is to write it"
			if near := c.near(file); near != "" {
				hint = "did you mean " + near + "?"
			}
			if len(made) > 0 {
				hint = fmt.Sprintf("phase %s creates it: let phase %s depend on that",
					c.plan.phases[made[0]].Label, phase.Label)
			}
			c.report(Warning, "W-MISSING-FILE", phase, file, message, hint)
		}
	}
}

// near is the existing path most like a missing one, or "".
func (c *checker) near(file string) string {
	const most = 100
	lister, ok := c.world.(interface{ Names(dir string) []string })
	if c.hints++; !ok || c.hints > most {
		return ""
	}
	dir, base := path.Split(file)
	best, least := "", 3
	for _, name := range lister.Names(path.Clean(dir)) {
		if d := text.Distance(strings.ToLower(base), strings.ToLower(name), 2); d < least &&
			d*3 <= len(base) {
			best, least = dir+name, d
		}
	}
	return best
}

// commands looks for programs that gates, setup and prerequisites call and that are not installed.
// Each is reported once, where it is first called.
func (c *checker) commands() {
	made := map[string]bool{}
	for i := range c.plan.phases {
		for _, file := range c.plan.phases[i].Files.All() {
			made[path.Clean(file)] = true
		}
	}
	type use struct {
		phase *Phase
		line  string
		where string
		by    []string
	}
	uses := map[string]*use{}
	var names []string
	note := func(phase *Phase, where, text string, programs []string) {
		for _, name := range programs {
			u := uses[name]
			if u == nil {
				u = &use{phase: phase, line: text, where: where}
				uses[name] = u
				names = append(names, name)
			}
			if len(u.by) == 0 || u.by[len(u.by)-1] != phase.Label {
				u.by = append(u.by, phase.Label)
			}
		}
	}
	for i := range c.plan.phases {
		phase := &c.plan.phases[i]
		for _, text := range phase.Setup {
			note(phase, "the setup", text, programs(text))
		}
		for _, gate := range phase.Gates {
			note(phase, "gate "+gate.Name, gate.Command, programs(gate.Command))
		}
		note(phase, "the prerequisites", "", phase.Prerequisites.Commands)
	}
	for _, name := range names {
		if made[path.Clean(name)] || c.available(name) {
			continue
		}
		u := uses[name]
		message := fmt.Sprintf("%s of %s %s %s, which is not on PATH", u.where, phases(u.by),
			needs(u.where), text.Clip(name, maxQuoted))
		hint := "install it, or correct the plan"
		if suggests, ok := c.world.(interface{ Install(name string) string }); ok &&
			!strings.Contains(name, "/") {
			hint = suggests.Install(name) + ", or correct the plan"
		}
		if strings.Contains(name, "/") {
			message = fmt.Sprintf("%s of %s %s %s, which does not exist", u.where, phases(u.by),
				needs(u.where), text.Clip(name, maxQuoted))
		}
		c.report(Warning, "W-MISSING-COMMAND", u.phase, name, message, hint)
	}
}

func (c *checker) available(name string) bool {
	if strings.Contains(name, "/") {
		return path.IsAbs(name) || c.world.File(path.Clean(name))
	}
	return c.world.Command(name)
}

func needs(where string) string {
	if strings.HasPrefix(where, "the prerequisites") {
		return "name"
	}
	return "calls"
}

func (c *checker) variables() {
	first := map[string]*Phase{}
	by := map[string][]string{}
	var names []string
	for i := range c.plan.phases {
		phase := &c.plan.phases[i]
		for _, name := range phase.Prerequisites.Variables {
			if first[name] == nil {
				first[name] = phase
				names = append(names, name)
			}
			by[name] = append(by[name], phase.Label)
		}
	}
	for _, name := range names {
		if !c.world.Variable(name) {
			c.report(Warning, "W-MISSING-VARIABLE", first[name], name,
				fmt.Sprintf("%s %s the environment variable %s, which is not set", phases(by[name]),
					verb("needs", "need", by[name]), name),
				"set it before the run: export "+name+"=…")
		}
	}
}

// overlaps reports pairs of phases that may run at the same time and name the same files.
func (c *checker) overlaps() {
	for _, o := range overlaps(c.plan) {
		first, second := &c.plan.phases[o.first], &c.plan.phases[o.second]
		c.report(Warning, "W-OVERLAP", second, o.files[0],
			fmt.Sprintf("phases %s and %s can run at the same time, and both name %s", first.Label,
				second.Label, text.JoinSome(o.files, 3)),
			fmt.Sprintf("let %s depend on %s", second.Label, first.Label))
	}
}

// untestable reports, as one finding, the phases that no gate can show to be done.
func (c *checker) untestable() {
	if c.plan.judged {
		return
	}
	var first *Phase
	var labels []string
	for i := range c.plan.phases {
		phase := &c.plan.phases[i]
		if len(phase.Tasks) == 0 || len(phase.Gates)+len(phase.Criteria)+
			len(phase.Files.Test) > 0 || phase.Status == StatusDone ||
			phase.Status == StatusSkipped || phase.Files.onlyText() || namesCheck(phase.Text) {
			continue
		}
		if first == nil {
			first = phase
		}
		labels = append(labels, phase.Label)
	}
	if first == nil {
		return
	}
	severity, rest := Warning, ", and the repository has no gate either"
	if len(c.plan.Final) > 0 {
		severity, rest = Info, "; only the final gates will tell"
	}
	if known, ok := c.world.(interface{ Verified() bool }); ok && known.Verified() {
		severity, rest = Info, "; only the gates of the repository will tell"
	}
	c.report(severity, "W-UNTESTABLE", first, "",
		fmt.Sprintf("%s %s tasks, but no gate, no criteria and no test file%s", phases(labels),
			verb("has", "have", labels), rest),
		"add \"**Gates:** `make test`\", a Definition of Done, or the test that proves it")
}

// onlyText reports whether all files are documents, which no gate can test.
func (f Files) onlyText() bool {
	all := f.All()
	for _, file := range all {
		switch strings.ToLower(path.Ext(file)) {
		case ".md", ".txt", ".rst", ".adoc":
		default:
			return false
		}
	}
	return len(all) > 0
}

// The sizes beyond which one agent tends to lose its way in a phase.
const (
	mostTasks  = 15
	mostFiles  = 25
	mostPoints = 13
	mostHours  = 16 // two working days
)

func (c *checker) large(phase *Phase) {
	var why []string
	if n := len(phase.Tasks); n > mostTasks {
		why = append(why, fmt.Sprintf("%d tasks (more than %d)", n, mostTasks))
	}
	if n := len(phase.Files.All()); n > mostFiles {
		why = append(why, fmt.Sprintf("%d files (more than %d)", n, mostFiles))
	}
	if reason := phase.Estimate.excess(); reason != "" {
		why = append(why, reason)
	}
	if len(why) > 0 {
		c.report(Warning, "W-LARGE", phase, "",
			fmt.Sprintf("phase %s is large for one agent: %s", phase.Label,
				strings.Join(why, ", ")),
			"split it: each part is verified by itself, and a retry repeats less")
	}
}

// namesCheck reports whether a line of a section begins with a word for how the work is checked:
// "**Verification:** …", "Independent Test: …", "- [ ] Run `npm test`".
func namesCheck(section string) bool {
	for line := range strings.Lines(section) {
		line = strings.TrimLeft(line, " \t#>*_-+[]x<|`0123456789.)")
		if _, found := CutWord("checks", line); found {
			return true
		}
	}
	return false
}
