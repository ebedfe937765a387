package markdown

import (
	"strings"

	"autobuild/plan/markdown/document"

	"autobuild/plan/markdown/words"

	"autobuild/plan"
)

// reading is one document on its way to a draft.
type reading struct {
	doc       *document.Document
	dialect   string
	units     []unit
	found     plan.Problems
	elsewhere func(label string) (string, bool)
	groups    []group
	known     *plan.Index
	stating   int    // units that state their dependencies
	covered   []bool // by line: whether it belongs to the section of a phase
	final     []plan.Gate

	constraints []plan.Constraint

	headingTasks bool         // tasks are headings, also beside boxes
	ownLines     []bool       // by line: whether it is the row or the item of a phase
	owned        map[int]bool // the items that stand for phases
	chainList    []sequence   // once chainsRead
	chainsRead   bool
}

func (r *reading) title() string {
	for _, h := range r.doc.Heads {
		if h.Level == 1 {
			return words.WithoutMarks(h.Text)
		}
	}
	if e, ok := document.Top(r.doc.Front, "title"); ok {
		return e.Value
	}
	if e, ok := document.Top(r.doc.Front, "name"); ok {
		return e.Value
	}
	return ""
}

func (r *reading) warn(code string, pos plan.Pos, message, hint string) {
	severity := plan.Warning
	switch code[0] {
	case 'E':
		severity = plan.Error
	case 'I':
		severity = plan.Info
	}
	line := r.doc.Line(pos.Line)
	width := 0
	if pos.Col >= 1 && pos.Col <= len(line) {
		width = len(strings.TrimRight(line, " ")) - pos.Col + 1
	}
	r.found = append(r.found, plan.Problem{Code: code, Severity: severity, Pos: pos, Width: max(width, 0), Line: line, Message: message, Hint: hint})
}
