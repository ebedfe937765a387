// Package reading turns a document into the phases of a draft. A dialect adds units from rows,
// headings or items; Finish then reads their sections, and what the whole document says of their
// order. It does not choose a dialect, and does not check the graph.
package reading

import (
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// Reading is one document on its way to a draft. A dialect sets Units and may set Elsewhere, Groups
// and HeadingTasks; Finish sets the rest.
type Reading struct {
	Doc     *document.Document
	Dialect string
	Units   []section.Unit
	Found   plan.Problems

	Elsewhere    func(label string) (string, bool) // as in plan.Draft
	Groups       []Group
	HeadingTasks bool // tasks are headings, also beside boxes

	Asides map[int]bool // by line: the headings of what LeaveAsides dropped

	Final       []plan.Gate
	Constraints []plan.Constraint

	Known          *plan.Index     // once Index is called; nil after a change of Units
	unlocks        []unlock        // what sentences put behind phases
	OrderSentences []OrderSentence // the clauses that dependencies were read from
	Stating        int             // units that state their dependencies
	Covered        []bool          // by line: whether it belongs to the section of a phase

	ownLines   []bool          // by line: whether it is the row or the item of a phase
	owned      map[int]bool    // the items that stand for phases
	chainList  []Sequence      // once chainsRead
	others     map[string]bool // ids of what is no phase, once Other was asked
	parts      map[string]part // tasks by id, once Within was asked
	chainsRead bool
	priorities int           // 0 is not known yet, 1 that P1 is no priority here, 2 that it is one
	charts     map[int]*Flow // by line, once they are read
	word       string        // the kind word of the last phase that was looked at
	compared   int           // names with each other, so far
	arrows     int           // 0 is not known yet, 1 that they lead to what follows, 2 to what is waited for
}

// Title is the text of the first heading of level 1, else the title or name in the front matter.
func (r *Reading) Title() string {
	for _, h := range r.Doc.Headings {
		if h.Level == 1 {
			return words.WithoutMarks(h.Text)
		}
	}
	if e, ok := document.TopEntry(r.Doc.Front, "title"); ok {
		return e.Value
	}
	if e, ok := document.TopEntry(r.Doc.Front, "name"); ok {
		return e.Value
	}
	return ""
}

// Warn adds a finding about the line at pos, from its column on. The first letter of code gives the
// severity.
func (r *Reading) Warn(code string, pos plan.Pos, message, hint string) {
	severity := plan.Warning
	switch code[0] {
	case 'E':
		severity = plan.Error
	case 'I':
		severity = plan.Info
	}
	line := r.Doc.Line(pos.Line)
	width := 0
	if pos.Col >= 1 && pos.Col <= len(line) {
		width = len(strings.TrimRight(line, " ")) - pos.Col + 1
	}
	r.Found = append(r.Found, plan.Problem{
		Code: code, Severity: severity, Pos: pos, Width: max(width, 0),
		Line: line, Message: message, Hint: hint,
	})
}
