package prompt

import (
	"path"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/plan"
)

var (
	// aPath is a word that may be a path of the repository: it has a directory or an extension.
	aPath = lazyregexp.New(`[\w@~+-]*(?:[./][\w@~+-]+)+`)

	// forbids are ways of saying that something is not to be written.
	forbids = lazyregexp.New(
		`(?i)\b(?:do not|don't|must not|should not|never|not to|no need to|without|instead of|rather than|avoid)\s+(?:\w+\s+){0,3}?` +
			`(?:creat|writ|add|mak|generat|produc|sav|touch|chang|edit|modif)`)
	// diverts are ways of saying that one path stands for another.
	diverts = lazyregexp.New(
		`(?i)\b(?:instead|rather than|did you mean|is meant|may be meant|that one|does exist|exists as|is called|was renamed|is now|not the other)\b`)
	// discards are ways of saying that something is to go.
	discards = lazyregexp.New(`(?i)\b(?:delet|remov|discard|drop)\w*\b`)
	// restores are ways of saying that something is to be there again.
	restores = lazyregexp.New(`(?i)\b(?:creat|restor|recreat|bring|put back|keep)\w*\b`)
)

// contradicts is the path about which a piece of advice asks for the opposite of what the phase's
// section says; empty where it does not. Advice is one line. Near are paths that may be meant by
// one which was not found, by evidence: pointing to one of them contradicts only a section that
// writes the missing path.
func contradicts(p plan.Phase, advice string, near []string) string {
	paths := aPath.FindAllString(advice, -1)
	for i, name := range paths {
		paths[i] = path.Clean(name)
	}
	for _, name := range paths {
		if roleOf(p, name) == unnamed {
			continue
		}
		made := Makes(p, name)
		gone := Removes(p, name, nil)
		elsewhere := slices.ContainsFunc(paths, func(other string) bool {
			return other != name && roleOf(p, other) == unnamed &&
				(made || !slices.Contains(near, other))
		})
		switch {
		case made && forbids.MatchString(advice),
			elsewhere && diverts.MatchString(advice),
			made && !gone && discards.MatchString(advice),
			gone && !made && restores.MatchString(advice) && !discards.MatchString(advice):
			return name
		}
	}
	return ""
}

// withoutCommands is advice without the commands that it quotes: a path in a command is an
// argument, and nothing that the advice asks for. Commands are those of the gates and of the last
// failure.
func (p Prompt) withoutCommands(advice string) string {
	var commands []string
	for _, g := range p.Gates {
		commands = append(commands, g.Command, g.FixCommand)
	}
	if last, ok := p.Last(); ok {
		commands = append(commands, last.Failure.Command, last.Failure.FixCommand)
		for _, g := range last.Gates {
			commands = append(commands, g.Command, g.Fix)
		}
	}
	// one may hold another
	slices.SortFunc(commands, func(a, b string) int { return len(b) - len(a) })
	for _, c := range commands {
		if strings.ContainsAny(c, " /") { // a single word may be prose
			advice = strings.ReplaceAll(advice, c, "")
		}
	}
	return advice
}

// WithoutContradictions is what a prompt may say of the last failure and of earlier ones without
// contradicting the phase's section, and one remark for each piece of advice that was left out.
func (p Prompt) WithoutContradictions() (Prompt, []string) {
	var left []string
	withhold := func(what string) {
		left = append(left, "left out of the prompt, since the phase's section says otherwise: "+
			text.OneLine(text.Truncate(what, maxLessonText)))
	}
	phase := p.Task.Phase
	contradicts := func(advice string, near []string) bool {
		return contradicts(phase, p.withoutCommands(advice), near) != ""
	}
	if last, ok := p.Last(); ok {
		d := *last.Failure
		if slices.ContainsFunc(d.Files, func(f string) bool {
			return len(d.Near) > 0 && Makes(phase, f)
		}) {
			withhold("files that may be meant: " + strings.Join(d.Near, ", "))
			d.Near = nil
		}
		if contradicts(d.Message, d.Near) {
			d.Message, _, _ = strings.Cut(d.Message, "; did you mean ")
		}
		var kept []string
		for line := range strings.SplitSeq(d.Guidance, "\n") {
			if contradicts(line, d.Near) {
				withhold(line)
				continue
			}
			kept = append(kept, line)
		}
		d.Guidance = strings.Join(kept, "\n")
		if m := d.Match; m != nil && contradicts(m.Fix, d.Near) {
			withhold(m.Fix)
			d.Match = nil
		}
		last.Failure = &d
		p.Task.Earlier = append(slices.Clone(p.Task.Earlier[:len(p.Task.Earlier)-1]), last)
	}
	p.Known = slices.DeleteFunc(slices.Clone(p.Known), func(l failure.Lesson) bool {
		wrong := contradicts(l.Fix, nil)
		if wrong {
			withhold(l.Name + ": " + l.Fix)
		}
		return wrong
	})
	return p, left
}
