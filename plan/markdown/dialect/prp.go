package dialect

import (
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// prp is a product requirement prompt: its tasks stand in a code block under "list of tasks".
type prp struct{}

func (prp) name() string { return "prp" }

func (prp) signs(d *document.Document) bool {
	f, ok := taskFence(d)
	return ok && len(fencedTasks(d, f)) > 0
}

// taskFence is the first code block under the heading of the task list.
func taskFence(d *document.Document) (document.CodeBlock, bool) {
	for _, h := range d.Headings {
		w := inline.Words(h.Text)
		if !strings.HasPrefix(w, "list of tasks") && !strings.HasPrefix(w, "implementation tasks") {
			continue
		}
		for _, f := range d.CodeBlocksIn(h.Line, h.End) {
			return f, true
		}
	}
	return document.CodeBlock{}, false
}

// fencedTasks finds the lines "Task 1:" of a block.
func fencedTasks(d *document.Document, f document.CodeBlock) []int {
	var lines []int
	for n := f.From; n < f.End-1 && n <= d.Count(); n++ {
		if line := d.Line(n); document.IndentOf(line) == 0 && words.ReadTitle(line).Kind == "task" {
			lines = append(lines, n)
		}
	}
	return lines
}

func (prp) read(r *reading.Reading) {
	d := r.Doc
	f, ok := taskFence(d)
	if !ok {
		return
	}
	lines := fencedTasks(d, f)
	for k, n := range lines {
		end := f.End - 1
		if k+1 < len(lines) {
			end = lines[k+1]
		}
		t := words.ReadTitle(d.Line(n))
		u := section.Unit{Title: t, Offset: d.Lines[n-1]}
		u.Label, u.Name = t.Label, t.Name
		u.Pos, u.Width = plan.Pos{Line: n, Col: 1}, len(d.Line(n))
		u.Text = strings.TrimRight(d.Span(n, end), "\n ")
		for m := n + 1; m < end; m++ {
			u.Files = prpFile(u.Files, strings.TrimSpace(d.Line(m)))
		}
		if u.Name == "" && n+1 < end {
			u.Name = strings.TrimRight(strings.TrimSpace(d.Line(n+1)), ":")
		}
		r.Units = append(r.Units, u)
	}
}

// prpFile reads "MODIFY src/a.go:" and "CREATE src/b.go:".
func prpFile(f plan.Files, line string) plan.Files {
	verb, rest, _ := strings.Cut(line, " ")
	if verb == "" || verb != strings.ToUpper(verb) ||
		section.FileChanges[strings.ToLower(verb)] == "" {
		return f
	}
	p, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if p = section.CleanPath(strings.TrimSuffix(p, ":")); section.PathLike(p) {
		f = section.WithFile(f, section.FileChanges[strings.ToLower(verb)], p)
	}
	return f
}
