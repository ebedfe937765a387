// Package plan says what is to be done: phases, their tasks, and what each of them needs first. A
// Plan is valid by construction: New takes a draft and returns either a Plan whose graph is acyclic
// and complete, or every mistake in it at once. It depends neither on markdown nor on how phases
// run.
package plan

import (
	"fmt"
	"strings"

	"autobuild/internal/text"
)

// Plan is a directed acyclic graph of phases in document order. It is immutable.
type Plan struct {
	Path    string   // as the user gave it
	Title   string   // of the document; may be empty
	Reading string   // which of the four readings applied: "table", "headings", "boxes", "frontmatter"
	Hash    string   // SHA-256 of the source, in hex
	Notes   Problems // warnings and remarks; never an error
	// commands that the document states for the whole: they run once, when all phases are complete
	Final []Gate

	Constraints []Constraint // changes that the document rules out for all phases, in its order

	// Receipts says what every line of the document that looks like work was read as, in the order
	// of the lines.
	Receipts []Receipt

	phases     []Phase
	index      map[string]int
	needs      [][]int // per phase, positions of what it depends on, ascending
	dependents [][]int // the inverse of needs
	level      []int   // length of the longest chain below a phase; the batch it is in
	batches    [][]int // the phases of each level
	creators   []int   // the phases that say which files they create
	rest       []float64
	judged     bool // criteria of the document hold for every phase
}

// Phase is the unit of work.
type Phase struct {
	ID    string // normalised ("2a"): unique, lower case, safe as a file name
	Label string // as the plan writes it, without its kind word ("2A")
	Name  string // without the id; may be empty
	Pos   Pos    // of its heading, else of its table row
	// its section as written, for the agent; empty when only a table row names it
	Text          string
	TextLine      int      // where Text begins in the source; 0 when it is not a part of it
	Tasks         []Task   // boxes of its section, Definition of Done excluded
	Criteria      []Task   // boxes under Definition of Done, Acceptance or Success Criteria
	DependsOn     []string // ids, in document order
	Unstated      bool     // nothing states its dependencies: DependsOn follows document order
	SoftDeps      []string // ids it should rather come after; no edge
	External      []string // labels of phases in other documents; no edge
	Parallel      []string // ids that the plan says may run beside it; never an edge
	Status        Status   // what the plan claims
	Estimate      Estimate
	Files         Files
	Gates         []Gate   // validation commands that the plan states for this phase
	Setup         []string // commands to run before the agent
	Script        []Block  // fenced sh blocks, in order, for the script agent
	Prerequisites Prerequisites
	Commit        string    // commit message; may have several lines
	AllowEmpty    bool      // the phase says that it may change nothing
	Settings      []Setting // how the plan wants it done, in document order, each name once
	// changes when the meaning of the phase changes, not when boxes are ticked or settings change
	Fingerprint string
}

// String is the phase as screens name it: "2A".
func (p Phase) String() string { return p.Label }

// Title is "Phase 2A: Backend", or "Phase 2A" when it has no name.
func (p Phase) Title() string {
	if p.Name == "" {
		return "Phase " + p.Label
	}
	return "Phase " + p.Label + ": " + p.Name
}

// Task is one checkbox.
type Task struct {
	Text     string
	Done     bool
	Optional bool // the plan marks it as one that may be left out
	Parallel bool // the plan marks it as one that may be done beside its neighbours
	Pos      Pos
}

// Gate is a command that must succeed before the phase counts as done.
type Gate struct {
	Name    string // "test", "lint", or what the plan calls it
	Command string // shell text, as the plan writes it
	Pos     Pos
}

// Block is one fenced sh block.
type Block struct {
	Text string
	Pos  Pos
}

// Files is the scope that a phase declares, as paths relative to the repository.
type Files struct {
	Create, Modify, Test, Delete []string

	// Existing holds those of Modify and Delete that the plan says are there already: "Modify:
	// a.go", where "Files: a.go" leaves open whether the phase writes it anew.
	Existing []string
}

// All lists every declared path, in the order create, modify, test, delete.
func (f Files) All() []string {
	var all []string
	for _, paths := range [][]string{f.Create, f.Modify, f.Test, f.Delete} {
		all = append(all, paths...)
	}
	return all
}

// Prerequisites are what a phase needs to find before it starts.
type Prerequisites struct {
	Commands  []string // programs on PATH
	Variables []string // environment variables, without "$"
	Files     []string // paths relative to the repository
}

// Estimate is what the plan expects a phase to cost.
type Estimate struct {
	Text   string  // as written: "5", "2h", "M"
	Weight float64 // comparable within one plan; 0 when the plan gives none
}

// excess says why an estimate is too much for one phase, or "". A weight is in hours when the text
// names a unit of time, else in points.
func (e Estimate) excess() string {
	timed := false
	for _, word := range strings.FieldsFunc(strings.ToLower(e.Text),
		func(r rune) bool { return r < 'a' || r > 'z' }) {
		switch word {
		case "h", "hr", "hrs", "hour", "hours", "d", "day", "days", "w", "week", "weeks", "m",
			"min",
			"mins", "minute", "minutes":
			timed = true
		}
	}
	switch {
	case timed && e.Weight > mostHours:
		return "an estimate of " + text.Clip(e.Text, maxQuoted) + " (more than 2 days)"
	case !timed && e.Weight > mostPoints:
		return fmt.Sprintf("an estimate of %s (more than %d points)", text.Clip(e.Text, maxQuoted),
			mostPoints)
	}
	return ""
}

// Status is what a plan document says of a phase. It is a claim of the document, not of a run.
type Status string

// The statuses that a document can claim. The zero value is StatusUnknown.
const (
	StatusUnknown    Status = ""
	StatusTodo       Status = "todo"
	StatusInProgress Status = "in_progress"
	StatusDone       Status = "done"
	StatusBlocked    Status = "blocked"
	StatusSkipped    Status = "skipped"
)

// Pos is a place in the source: 1-based line and column (in bytes). The zero Pos means unknown.
type Pos struct {
	Line, Col int
}

// Valid reports whether the place is known.
func (p Pos) Valid() bool { return p.Line > 0 }

// Before orders places as they stand in the source.
func (p Pos) Before(q Pos) bool {
	if p.Line != q.Line {
		return p.Line < q.Line
	}
	return p.Col < q.Col
}

// Len is the number of phases, at least one.
func (p *Plan) Len() int { return len(p.phases) }

// At is the i-th phase in document order, 0 ≤ i < Len.
func (p *Plan) At(i int) Phase { return p.phases[i] }

// Phases lists all phases in document order. The caller must not modify the slice.
func (p *Plan) Phases() []Phase { return p.phases }

// Index is the position of the phase with this normalised id.
func (p *Plan) Index(id string) (int, bool) {
	i, ok := p.index[id]
	return i, ok
}

// Find resolves a label as a user types it ("2A", "phase 2-a") to a phase.
func (p *Plan) Find(label string) (Phase, bool) {
	id, err := NormalID(label)
	if err != nil {
		return Phase{}, false
	}
	i, ok := p.index[id]
	if !ok {
		return Phase{}, false
	}
	return p.phases[i], true
}

// Needs lists the positions of the phases that phase i depends on, ascending. Do not modify.
func (p *Plan) Needs(i int) []int { return p.needs[i] }

// Dependents lists the positions of the phases that directly need phase i. Do not modify.
func (p *Plan) Dependents(i int) []int { return p.dependents[i] }

// Level is the batch that phase i belongs to, from 0: one more than the highest level it needs.
func (p *Plan) Level(i int) int { return p.level[i] }

// Batch lists the positions of the phases of a level, in document order. Do not modify.
func (p *Plan) Batch(level int) []int { return p.batches[level] }

// Creators lists the positions of the phases that say which files they create. Do not modify.
func (p *Plan) Creators() []int { return p.creators }

// Rest is the weight of the longest chain from the start of phase i to an end of the plan:
// estimates where the plan gives them, else one for each phase.
func (p *Plan) Rest(i int) float64 { return p.rest[i] }

// Batches groups the phases by level; within a batch, document order.
func (p *Plan) Batches() [][]Phase {
	batches := make([][]Phase, len(p.batches))
	for level, positions := range p.batches {
		for _, i := range positions {
			batches[level] = append(batches[level], p.phases[i])
		}
	}
	return batches
}

// CriticalPath lists the phases of the longest chain, first to last.
func (p *Plan) CriticalPath() []Phase {
	best := 0
	for i := range p.phases {
		if p.rest[i] > p.rest[best] {
			best = i
		}
	}
	var path []Phase
	for {
		path = append(path, p.phases[best])
		next := -1
		for _, d := range p.dependents[best] {
			if next < 0 || p.rest[d] > p.rest[next] {
				next = d
			}
		}
		if next < 0 {
			return path
		}
		best = next
	}
}

// Labels joins the labels of phases for a message: "2A, 3".
func Labels(phases []Phase) string {
	labels := make([]string, len(phases))
	for i, p := range phases {
		labels[i] = p.Label
	}
	return strings.Join(labels, ", ")
}
