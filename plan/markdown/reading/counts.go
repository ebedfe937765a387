package reading

import (
	"fmt"
	"strconv"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// ReportOtherTable refuses a document in which another table claims as much as the one that was
// picked, and says something else.
func (r *Reading) ReportOtherTable(picked *document.PhaseTable) {
	if picked.Cover == 0 {
		return
	}
	for _, t := range r.Doc.PhaseTables() {
		if t.Head == picked.Head || t.Cover != picked.Cover || len(t.IDs) != len(picked.IDs) ||
			t.DependencyText() == picked.DependencyText() {
			continue
		}
		line := r.Doc.Line(t.Parts[0].Line)
		r.Found = append(r.Found, plan.Problem{
			Code: "E-RIVAL", Severity: plan.Error, Pos: plan.Pos{Line: t.Parts[0].Line, Col: 1},
			Width: len(line), Line: line,
			Message: fmt.Sprintf(
				"this table and the one on line %d list equally many phases, but do not agree",
				picked.Parts[0].Line),
			Hint: "remove one of them, or take its column of dependencies out",
		})
	}
}

// compareCounts compares what headings and labels say of the number of tasks with the boxes: "(12
// tasks)", "Tasks: 12".
func (r *Reading) compareCounts() {
	total, all := 0, true
	for i := range r.Units {
		u := &r.Units[i]
		total += len(u.Tasks)
		all = all && !u.NoBoxes
		if u.NoBoxes || len(u.Tasks) == 0 || u.From == 0 || u.Own > 0 {
			continue
		}
		if n, ok := saidTasks(u.Raw); ok {
			r.compareCount(n, len(u.Tasks), u.Pos, "phase "+u.Label)
		}
		for _, l := range r.Doc.LabelsIn(u.From, u.WholeEnd(r.Doc)) {
			if l.Item < 0 && (l.Name == "tasks" || l.Name == "task count" ||
				l.Name == "total tasks") {
				if n, ok := wholeNumber(l.Value); ok {
					r.compareCount(n, len(u.Tasks), r.Doc.Pos(l.Offset), "phase "+u.Label)
				}
			}
		}
	}
	for _, l := range r.Doc.Labels {
		n, ok := wholeNumber(l.Value)
		switch {
		case !ok || l.Name != "total tasks":
		case r.isBoxList() && n != total:
			// its boxes are its phases
			r.compareCount(n, len(r.Units), r.Doc.Pos(l.Offset), "the plan")
		case !r.Covered[l.Line] && all && total > 0:
			r.compareCount(n, total, r.Doc.Pos(l.Offset), "the plan")
		}
	}
}

// isBoxList reports whether every phase is a box of a list.
func (r *Reading) isBoxList() bool {
	for i := range r.Units {
		if own := r.Units[i].Own; own == 0 || r.Doc.Items[own-1].Box == 0 {
			return false
		}
	}
	return len(r.Units) > 0
}

func (r *Reading) compareCount(said, boxes int, pos plan.Pos, what string) {
	if said != boxes {
		r.Warn("W-COUNT", pos, fmt.Sprintf("%s is said to have %d tasks, but has %d", what, said,
			boxes),
			"correct the number, or look for what is missing")
	}
}

// saidTasks reads "(12 tasks)" in a heading.
func saidTasks(raw string) (int, bool) {
	for _, aside := range words.InBrackets(raw) {
		if number, word, _ := strings.Cut(strings.TrimSpace(aside), " "); word == "tasks" ||
			word == "task" {
			return wholeNumber(number)
		}
	}
	return 0, false
}

func wholeNumber(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(inline.Plain(s)))
	return n, err == nil && n >= 0
}

// checkFrontMatter reports the first line of the front matter that YAML would refuse.
func (r *Reading) checkFrontMatter() {
	block := -1 // the indentation of the key whose text goes on
	for _, e := range r.Doc.Front {
		if block >= 0 && e.Indent > block {
			continue
		}
		block = -1
		raw := strings.TrimSpace(e.Raw)
		if raw == "|" || raw == ">" || strings.HasPrefix(raw, "|-") ||
			strings.HasPrefix(raw, ">-") ||
			strings.HasPrefix(raw, "|+") || strings.HasPrefix(raw, ">+") {
			block = e.Indent
			continue
		}
		if raw == "" || e.Key == "" || strings.ContainsAny(raw[:1], "\"'[{&*!#") {
			continue
		}
		value, _, _ := strings.Cut(raw, " #")
		if strings.Contains(value, ": ") || strings.HasSuffix(value, ":") ||
			strings.ContainsAny(value[:1], "@`%") {
			line := r.Doc.Line(e.Line)
			r.Found = append(r.Found, plan.Problem{
				Code: "W-FRONTMATTER", Severity: plan.Warning,
				Pos:   plan.Pos{Line: e.Line, Col: max(1, strings.Index(line, raw)+1)},
				Width: len(raw), Line: line,
				Message: fmt.Sprintf(
					"the value of %q is not YAML; it was read to the end of the line",
					e.Key), Hint: "put it in quotes",
			})
			return
		}
	}
}
