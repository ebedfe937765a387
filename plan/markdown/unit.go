package markdown

import (
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/words"
)

// unit is a phase that a dialect found, and where the document speaks of it.
type unit struct {
	plan.DraftPhase
	from, to int    // the lines of its section, to excluded; 0 when it has none
	offset   int    // of the label or heading text, for the caret
	raw      string // its heading as written
	title    words.Title
	statusAt document.Cell   // where the document states its status; raw is empty when nowhere
	stated   []document.Cell // every place that states it, for Mark
	parts    []document.Cell // the statuses of its sub-tasks, which are done when it is
	unboxed  bool            // its tasks are no boxes
	begun    bool            // a box says that work on it goes on

	directives []document.Label // lines that say how it is done
	own        int              // position of the list item that is the phase, plus one
	twins      []int            // positions of other boxes that stand for it
	// the words of its dialect for a status, where only these are understood
	statusWords map[plan.Status]string
	level       int    // of its heading
	rowLine     int    // line of its table row; 0 when there is none
	called      string // its name in that row
}

// introEnd is the line up to which a section is about the whole phase: below a heading with an id
// of its own it is about a part.
func (u *unit) introEnd(d *document.Document) int {
	for _, h := range d.HeadsIn(u.from+1, u.to) {
		if h.Title.Label != "" {
			return h.Line
		}
	}
	return u.to
}

func (u *unit) saidNeeds() string {
	if len(u.Needs) == 0 {
		return ""
	}
	return u.Needs[0].Text
}
