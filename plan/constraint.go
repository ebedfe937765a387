package plan

import (
	"path"
	"strings"

	"autobuild/internal/text"
)

// Constraint is a statement of the whole document that rules out changes of certain files: "Do
// not change `api/public.go`" below a heading such as Constraints, Mission or Non-goals. A phase
// whose section names such a file is an exception that the author has made.
type Constraint struct {
	Text  string   // the sentence as written, on one line, at most 200 bytes
	Pos   Pos      // where it begins
	Paths []string // files, directories and patterns, relative to the repository; never empty
}

// Forbids reports whether the constraint covers a file: one of its paths, a file below one, or
// one that a pattern matches. Of the patterns it knows those of path.Match, and ** for any number
// of directories.
func (c Constraint) Forbids(file string) bool {
	for _, p := range c.Paths {
		p = strings.TrimSuffix(p, "/")
		if dir, all := strings.CutSuffix(p, "/**"); all {
			p = dir
		}
		switch matched, err := path.Match(p, file); {
		case err == nil && matched, file == p, strings.HasPrefix(file, p+"/"):
			return true
		}
		rest, deep := strings.CutPrefix(p, "**/")
		if deep || strings.ContainsAny(p, "*?[") && !strings.Contains(p, "/") {
			if matched, err := path.Match(rest, path.Base(file)); err == nil && matched {
				return true
			}
		}
	}
	return false
}

// Excepts reports whether a phase's files or its section name a file that a constraint of the
// plan forbids.
func (c Constraint) Excepts(p Phase, file string) bool {
	for _, declared := range p.Files.All() {
		if path.Clean(declared) == file {
			return true
		}
	}
	for _, text := range []string{p.Name, p.Text} {
		if holds(text, file) {
			return true
		}
	}
	for _, tasks := range [][]Task{p.Tasks, p.Criteria} {
		for _, task := range tasks {
			if holds(task.Text, file) {
				return true
			}
		}
	}
	return false
}

// holds reports whether a path stands in a text as a whole.
func holds(text, file string) bool {
	part := func(b byte) bool {
		return letterOrDigit(b) || b == '_' || b == '-' || b == '/' || b >= 0x80
	}
	for from := 0; ; {
		i := strings.Index(text[from:], file)
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(file)
		before := at == 0 || !part(text[at-1]) && text[at-1] != '.' ||
			strings.HasSuffix(text[:at], "./")
		after := end == len(text) || !part(text[end]) && (text[end] != '.' || end+1 == len(text) ||
			!part(text[end+1]))
		if before && after {
			return true
		}
		from = at + 1
	}
}

// constraints reports phases whose files a constraint of the same plan forbids: the plan
// contradicts itself.
func (c *checker) constraints() {
	for i := range c.plan.phases {
		phase := &c.plan.phases[i]
		for _, rule := range c.plan.Constraints {
			for _, file := range phase.Files.All() {
				if rule.Forbids(file) {
					c.report(Warning, "W-CONSTRAINT", phase, file,
						"phase "+phase.Label+" names "+text.Clip(file, maxQuoted)+
							", which the plan as a whole says to leave alone: "+text.Clip(rule.Text,
							maxQuoted),
						"the phase may change it, because its section names it; say so in the "+
							"constraint, or take one of the two out")
					break
				}
			}
		}
	}
}
