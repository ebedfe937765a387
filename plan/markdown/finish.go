package markdown

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan/markdown/document"

	"autobuild/plan/markdown/words"

	"autobuild/plan/markdown/inline"

	"autobuild/plan"
)

// finish reads the sections of the units that a dialect has found, and compares what they say.
func (r *reading) finish() {
	r.misspelt()
	if len(r.units) == 0 {
		return
	}
	r.bound()
	r.unheaded()
	r.oddBoxes()
	for i := range r.units {
		u := &r.units[i]
		tabled := len(u.Needs) > 0
		stated := u.Needs
		u.Needs = nil
		u.fill(r.doc)
		if tabled {
			u.Again, u.Needs = u.Needs, stated
		}
	}
	for i := range r.units {
		u := &r.units[i]
		if r.weak(u); u.Estimate.Text == "" {
			u.Estimate = u.title.Estimate()
		}
	}
	r.ownSentences()
	for i, refs := range r.central() {
		if u := &r.units[i]; len(u.Needs) == 0 {
			u.Needs = refs
		} else {
			u.Again = append(u.Again, refs...)
		}
	}
	r.preferences()
	r.unlocked()
	r.sequences()
	r.mermaid()
	r.implied()
	r.listed()
	r.messages()
	closing := r.finalGates()
	r.globalGates(closing)
	r.globalPrerequisites()
	r.wholePlan()
	r.statuses()
	r.headed()
	r.compare()
	r.counts()
	r.frontMatter()
}

// unlocked gives the phases that state nothing what others say to unlock: "Blocks: 2, 3" on phase
// 1. Where every phase says what it unlocks, those that none names wait for nothing.
func (r *reading) unlocked() {
	needs := make([][]plan.Ref, len(r.units))
	all, some := true, false
	for i := range r.units {
		u := &r.units[i]
		all = all && len(u.Unlocks) > 0
		for _, ref := range u.Unlocks {
			for _, k := range r.index().Mentions(ref.Text) {
				if k != i && len(r.units[k].Needs) == 0 {
					needs[k] = append(needs[k], plan.Ref{Text: u.Label, Pos: ref.Pos})
					some = true
				}
			}
		}
	}
	for i := range r.units {
		u := &r.units[i]
		switch {
		case len(u.Needs) > 0:
		case len(needs[i]) > 0:
			u.Needs = needs[i]
		case some && all:
			u.Needs = []plan.Ref{{Text: "none", Pos: u.Unlocks[0].Pos}}
		}
	}
}

// index answers questions about the phases. It is built when first asked for: most plans never need
// it.
func (r *reading) index() *plan.Index {
	if r.known == nil {
		phases := make([]plan.DraftPhase, len(r.units))
		for i := range r.units {
			phases[i].Label, phases[i].Name, phases[i].Aliases = r.units[i].Label, r.units[i].Name, r.units[i].Aliases
		}
		r.known = plan.NewIndex(phases)
	}
	return r.known
}

// bound ends every section where the next phase begins, or at the next heading of the same or a
// higher level, and notes which lines are in a section.
func (r *reading) bound() {
	starts := map[int]bool{}
	for _, u := range r.units {
		if u.from > 0 && u.own == 0 {
			starts[u.from] = true
		}
	}
	for i := range r.units {
		u := &r.units[i]
		if u.from == 0 || u.to > 0 {
			continue
		}
		u.to = r.doc.Count() + 1
		for _, h := range r.doc.HeadsIn(u.from+1, u.to) {
			if h.Level <= u.level || starts[h.Line] {
				u.to = h.Line
				break
			}
		}
	}
	r.covered = make([]bool, r.doc.Count()+2)
	r.ownLines, r.owned = make([]bool, r.doc.Count()+2), map[int]bool{}
	for _, u := range r.units {
		r.ownLines[u.rowLine] = u.rowLine > 0
		if u.own > 0 {
			r.owned[u.own-1] = true
		}
		for n := u.from; n > 0 && n < u.to; n++ {
			r.covered[n] = true
		}
	}
}

// aliases are other labels that follow from the name of a phase: "User Story 3" is US3.
func (r *reading) aliases(u *unit) {
	name := strings.ToLower(u.Name)
	if at := strings.Index(name, "user story "); at >= 0 {
		if label, _ := words.IdAt(u.Name[at+len("user story "):]); label != "" && words.Numeric(label) {
			u.Aliases = append(u.Aliases, "US"+label, "User Story "+label)
		}
	}
	if u.title.Kind == "milestone" && words.Numeric(u.Label) {
		u.Aliases = append(u.Aliases, "M"+u.Label)
	}
	if u.title.Called != "" {
		u.Aliases = append(u.Aliases, u.title.Called)
	}
	for _, aside := range words.Bracketed(u.raw) {
		// "## 2. Engine (T5 — after T0)": the first word in brackets is another name for it
		if label, rest := words.IdAt(aside); label != "" && words.ShortName(label) && (rest == "" || rest[0] == ' ' || rest[0] == ',') {
			u.Aliases = append(u.Aliases, label)
		}
	}
}

// statuses fills in the status of phases that declare none: from tables that list it, else from the
// boxes.
func (r *reading) statuses() {
	r.statusTables()
	for i := range r.units {
		u := &r.units[i]
		done, total := 0, len(u.Tasks)
		for _, t := range u.Tasks {
			if t.Done {
				done++
			}
		}
		declared := u.Status
		if u.unboxed {
			total = 0
		}
		if declared == plan.StatusUnknown && total > 0 {
			switch {
			case done == total:
				u.Status = plan.StatusDone
			case done == 0 && !u.begun:
				u.Status = plan.StatusTodo
			default:
				u.Status = plan.StatusInProgress
			}
		}
		if declared == plan.StatusDone && done < total {
			r.warn("W-STATUS", u.Pos, fmt.Sprintf("phase %s is declared done, but %d of its %d boxes are open", u.Label, total-done, total),
				fmt.Sprintf("a run takes it for done; tick the boxes, or run it with --only %s", u.Label))
		}
		if declared == plan.StatusTodo && total > 0 && done == total {
			r.warn("W-STATUS", u.Pos, fmt.Sprintf("phase %s is declared open, but all of its %d boxes are ticked", u.Label, total),
				fmt.Sprintf("a run does it again; --skip %s leaves it out", u.Label))
		}
	}
}

// statusTables reads tables without dependencies that list the status of phases known already.
func (r *reading) statusTables() {
	byID := map[string]int{}
	for i, u := range r.units {
		if id, err := plan.NormalID(u.Label); err == nil {
			byID[id] = i
		}
	}
	for k := range r.doc.Tables {
		t := &r.doc.Tables[k]
		c := document.ReadColumns(t)
		if c.Status < 0 || c.Needs >= 0 || r.covered[t.Line] {
			continue
		}
		c = document.Keyed(t, c, func(id string) bool { _, ok := byID[id]; return ok })
		if c.Key < 0 || !slices.Contains(words.StatusedTable, words.HeadWords(t.Header[c.Key].Raw)) {
			continue
		}
		for _, row := range t.Rows {
			id, err := plan.NormalID(words.CellTitle(row.At(c.Key).Raw).Label)
			i, ok := byID[id]
			if err != nil || !ok || row.At(c.Status).Offset == 0 {
				continue
			}
			if r.units[i].statusAt.Offset > 0 {
				r.otherStatus(&r.units[i], row.At(c.Status))
				continue
			}
			if name := row.At(c.Name).Raw; name != "" && r.units[i].Name != "" && !words.Overlap(name, r.units[i].Name) {
				continue // the same number, but another phase
			}
			said := r.statusCell(row, c, r.units[i].Label)
			r.units[i].statusAt = said
			r.units[i].stated = append(r.units[i].stated, said)
			r.units[i].Status = words.StatusOf(said.Raw, true)
		}
	}
}

// otherStatus compares a second statement of a phase's status with the first.
func (r *reading) otherStatus(u *unit, c document.Cell) {
	both := words.MergedStatus(u.Status, words.StatusOf(c.Raw, true))
	if both == u.Status {
		return
	}
	r.warn("W-STATUS", r.doc.Pos(c.Offset), fmt.Sprintf("phase %s is declared %s here and otherwise on line %d", u.Label, inline.Plain(c.Raw), r.doc.Pos(u.statusAt.Offset).Line),
		"make them agree; the phase counts as begun")
	u.Status = both
}

// statusCell is the cell of a row that says the status: that of the column, or, where that one says
// none, the only other one that is a status and nothing else. A row that lacks a cell has moved it.
func (r *reading) statusCell(row document.Row, c document.Columns, label string) document.Cell {
	said := row.At(c.Status)
	if words.StatusOf(said.Raw, true) != plan.StatusUnknown {
		return said
	}
	found := document.Cell{}
	for i, other := range row.Cells {
		if i == c.Status || i == c.Key || i == c.Name || !words.OnlyStatus(other.Raw) {
			continue
		}
		if found.Offset > 0 {
			return said
		}
		found = other
	}
	if found.Offset == 0 {
		return said
	}
	r.warn("W-STATUS", r.doc.Pos(found.Offset), fmt.Sprintf("the status of phase %s stands in another column", label),
		"the row has a cell too few or too many before it")
	return found
}

// compare reports where a table and the headings list different phases, and phases with nothing in
// them.
func (r *reading) compare() {
	sections, rows := 0, 0
	for _, u := range r.units {
		if u.from > 0 {
			sections++
		}
		if u.rowLine > 0 {
			rows++
		}
	}
	named := map[string]*unit{}
	for i := range r.units {
		if u := &r.units[i]; u.from > 0 && u.own == 0 {
			named[inline.Words(u.Name)] = u
		}
	}
	for _, u := range r.units {
		if twin := named[inline.Words(u.Name)]; u.from == 0 && u.own > 0 && twin != nil && u.Name != "" {
			r.warn("W-DUP", u.Pos, fmt.Sprintf("phase %s of the list has the name of phase %s on line %d", u.Label, twin.Label, twin.from), "correct one of the ids")
		}
		switch {
		case rows > 0 && sections*2 > rows && u.from == 0:
			r.warn("W-ONLY-TABLE", u.Pos, fmt.Sprintf("phase %s has a row, but no section", u.Label), "add a heading for it, so that the agent knows what to do")
		case rows > 0 && sections > 0 && u.rowLine == 0:
			r.warn("W-ONLY-HEADING", u.Pos, fmt.Sprintf("phase %s has a section, but no row in the table", u.Label), "add a row for it")
		case u.from > 0 && u.own == 0 && len(u.Tasks) == 0 && strings.Count(u.Text, "\n") == 0:
			r.warn("W-EMPTY", u.Pos, fmt.Sprintf("phase %s has an empty section", u.Label), "")
		}
	}
}

// oddBoxes reports boxes with a mark that means nothing here.
func (r *reading) oddBoxes() {
	for i := range r.doc.Items {
		it := &r.doc.Items[i]
		if it.Box != 0 && !strings.ContainsRune(" xX~-/b!", rune(it.Box)) {
			pos := r.doc.Pos(it.BoxOffset - 1)
			r.found = append(r.found, plan.Problem{
				Code: "W-BOX", Severity: plan.Warning, Pos: pos, Width: 3, Line: r.doc.Line(pos.Line),
				Message: fmt.Sprintf("the box [%c] counts as open", it.Box), Hint: "use [ ], [x], [-] or [~]",
			})
		}
	}
}
