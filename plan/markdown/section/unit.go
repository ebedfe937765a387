// Package section reads the part of a document that belongs to one phase. Whatever the dialect, a
// section says the same things in the same ways: tasks, criteria, gates, files, prerequisites,
// settings, a commit message. It does not compare phases with each other.
package section

import (
	"autobuild/plan"
	"autobuild/plan/markdown/document"
)

// Unit is a phase that a dialect found, with its places in the document.
type Unit struct {
	plan.DraftPhase
	Title    document.Title
	From, To int    // the lines [From, To) of its section; 0 when it has none
	Level    int    // of its heading
	Offset   int    // of the label or heading text, for the caret
	Raw      string // its heading as written

	RowLine int    // line of its table row; 0 when there is none
	Called  string // its name in that row

	Own        int   // position of the list item that is the phase, plus one
	OtherBoxes []int // positions of other boxes that stand for it

	Said       []plan.Ref       // what labels of its section say of dependencies
	StatusAt   document.Cell    // where the document states its status; Raw is empty when nowhere
	Stated     []document.Cell  // every place that states it, for Mark
	Parts      []document.Cell  // the statuses of its sub-tasks, which are done when it is
	NoBoxes    bool             // its tasks are no boxes
	Begun      bool             // a box says that work on it is in progress
	directives []document.Label // lines of settings
}

// WholeEnd is the line up to which a section is about the whole phase. Below a heading with an id
// of its own it is about a part.
func (u *Unit) WholeEnd(d *document.Document) int {
	for _, h := range d.HeadingsIn(u.From+1, u.To) {
		if h.Title.Label != "" {
			return h.Line
		}
	}
	return u.To
}
