package markdown

import (
	"fmt"
	"slices"
	"strings"

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
		r.doc.fill(u)
		if tabled {
			u.Again, u.Needs = u.Needs, stated
		}
	}
	for i := range r.units {
		u := &r.units[i]
		if r.weak(u); u.Estimate.Text == "" {
			u.Estimate = u.title.estimate()
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
	r.charted()
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
		u.to = r.doc.count() + 1
		for _, h := range r.doc.headsIn(u.from+1, u.to) {
			if h.level <= u.level || starts[h.line] {
				u.to = h.line
				break
			}
		}
	}
	r.covered = make([]bool, r.doc.count()+2)
	r.ownLines, r.owned = make([]bool, r.doc.count()+2), map[int]bool{}
	for _, u := range r.units {
		r.ownLines[u.row] = u.row > 0
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
		if label, _ := idAt(u.Name[at+len("user story "):]); label != "" && numeric(label) {
			u.Aliases = append(u.Aliases, "US"+label, "User Story "+label)
		}
	}
	if u.title.kind == "milestone" && numeric(u.Label) {
		u.Aliases = append(u.Aliases, "M"+u.Label)
	}
	if u.title.called != "" {
		u.Aliases = append(u.Aliases, u.title.called)
	}
	for _, aside := range bracketed(u.raw) {
		// "## 2. Engine (T5 — after T0)": the first word in brackets is another name for it
		if label, rest := idAt(aside); label != "" && shortName(label) && (rest == "" || rest[0] == ' ' || rest[0] == ',') {
			u.Aliases = append(u.Aliases, label)
		}
	}
}

// globalGates gives the commands that stand outside all phases, under a heading such as "Validation
// Commands", to every phase that states none.
func (r *reading) globalGates(closing []heading) {
	var gates []plan.Gate
	for _, h := range r.doc.heads {
		final := slices.ContainsFunc(closing, func(c heading) bool { return c.line <= h.line && h.line < c.end })
		if classOf(h.text) != classGates || r.covered[h.line] || final {
			continue
		}
		u := unit{from: h.line, to: h.end}
		all := []stretch{{from: h.line, to: h.end, class: classGates, item: -1}}
		r.doc.commands(&u, all)
		gates = append(gates, u.Gates...)
	}
	for i := range r.units {
		if len(r.units[i].Gates) == 0 {
			r.units[i].Gates = gates
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
	for k := range r.doc.tables {
		t := &r.doc.tables[k]
		c := readColumns(t)
		if c.status < 0 || c.needs >= 0 || r.covered[t.line] {
			continue
		}
		c = keyed(t, c, func(id string) bool { _, ok := byID[id]; return ok })
		if c.key < 0 || !among(statusedTable, headWords(t.header[c.key].raw)) {
			continue
		}
		for _, row := range t.rows {
			id, err := plan.NormalID(cellTitle(row.at(c.key).raw).label)
			i, ok := byID[id]
			if err != nil || !ok || row.at(c.status).off == 0 {
				continue
			}
			if r.units[i].status.off > 0 {
				r.otherStatus(&r.units[i], row.at(c.status))
				continue
			}
			if name := row.at(c.name).raw; name != "" && r.units[i].Name != "" && !overlap(name, r.units[i].Name) {
				continue // the same number, but another phase
			}
			said := r.statusCell(row, c, r.units[i].Label)
			r.units[i].status = said
			r.units[i].stated = append(r.units[i].stated, said)
			r.units[i].Status = statusOf(said.raw, true)
		}
	}
}

// otherStatus compares a second statement of a phase's status with the first.
func (r *reading) otherStatus(u *unit, c cell) {
	both := mergedStatus(u.Status, statusOf(c.raw, true))
	if both == u.Status {
		return
	}
	r.warn("W-STATUS", r.doc.pos(c.off), fmt.Sprintf("phase %s is declared %s here and otherwise on line %d", u.Label, plain(c.raw), r.doc.pos(u.status.off).Line),
		"make them agree; the phase counts as begun")
	u.Status = both
}

// statusCell is the cell of a row that says the status: that of the column, or, where that one says
// none, the only other one that is a status and nothing else. A row that lacks a cell has moved it.
func (r *reading) statusCell(row row, c columns, label string) cell {
	said := row.at(c.status)
	if statusOf(said.raw, true) != plan.StatusUnknown {
		return said
	}
	found := cell{}
	for i, other := range row.cells {
		if i == c.status || i == c.key || i == c.name || !onlyStatus(other.raw) {
			continue
		}
		if found.off > 0 {
			return said
		}
		found = other
	}
	if found.off == 0 {
		return said
	}
	r.warn("W-STATUS", r.doc.pos(found.off), fmt.Sprintf("the status of phase %s stands in another column", label),
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
		if u.row > 0 {
			rows++
		}
	}
	named := map[string]*unit{}
	for i := range r.units {
		if u := &r.units[i]; u.from > 0 && u.own == 0 {
			named[words(u.Name)] = u
		}
	}
	for _, u := range r.units {
		if twin := named[words(u.Name)]; u.from == 0 && u.own > 0 && twin != nil && u.Name != "" {
			r.warn("W-DUP", u.Pos, fmt.Sprintf("phase %s of the list has the name of phase %s on line %d", u.Label, twin.Label, twin.from), "correct one of the ids")
		}
		switch {
		case rows > 0 && sections*2 > rows && u.from == 0:
			r.warn("W-ONLY-TABLE", u.Pos, fmt.Sprintf("phase %s has a row, but no section", u.Label), "add a heading for it, so that the agent knows what to do")
		case rows > 0 && sections > 0 && u.row == 0:
			r.warn("W-ONLY-HEADING", u.Pos, fmt.Sprintf("phase %s has a section, but no row in the table", u.Label), "add a row for it")
		case u.from > 0 && u.own == 0 && len(u.Tasks) == 0 && strings.Count(u.Text, "\n") == 0:
			r.warn("W-EMPTY", u.Pos, fmt.Sprintf("phase %s has an empty section", u.Label), "")
		}
	}
}

// oddBoxes reports boxes with a mark that means nothing here.
func (r *reading) oddBoxes() {
	for i := range r.doc.items {
		it := &r.doc.items[i]
		if it.box != 0 && !strings.ContainsRune(" xX~-/b!", rune(it.box)) {
			pos := r.doc.pos(it.boxOff - 1)
			r.found = append(r.found, plan.Problem{
				Code: "W-BOX", Severity: plan.Warning, Pos: pos, Width: 3, Line: r.doc.line(pos.Line),
				Message: fmt.Sprintf("the box [%c] counts as open", it.box), Hint: "use [ ], [x], [-] or [~]",
			})
		}
	}
}
