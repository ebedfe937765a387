package reading

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// Finish reads the sections of the units that a dialect has found, and compares what they say.
func (r *Reading) Finish() {
	r.misspelt()
	if len(r.Units) == 0 {
		return
	}
	r.bound()
	r.unheaded()
	r.oddBoxes()
	for i := range r.Units {
		u := &r.Units[i]
		tabled := len(u.Needs) > 0
		stated := u.Needs
		u.Needs = nil
		u.Fill(r.Doc)
		if tabled {
			u.Again, u.Needs = u.Needs, stated
		}
	}
	for i := range r.Units {
		u := &r.Units[i]
		if r.weak(u); u.Estimate.Text == "" {
			u.Estimate = u.Title.Estimate()
		}
	}
	r.ownSentences()
	for i, refs := range r.central() {
		if u := &r.Units[i]; len(u.Needs) == 0 {
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
	r.WholePlan()
	r.Statuses()
	r.headed()
	r.compare()
	r.counts()
	r.frontMatter()
}

// unlocked gives the phases that state nothing what others say to unlock: "Blocks: 2, 3" on phase
// 1. Where every phase says what it unlocks, those that none names wait for nothing.
func (r *Reading) unlocked() {
	needs := make([][]plan.Ref, len(r.Units))
	all, some := true, false
	for i := range r.Units {
		u := &r.Units[i]
		all = all && len(u.Unlocks) > 0
		for _, ref := range u.Unlocks {
			for _, k := range r.Index().Mentions(ref.Text) {
				if k != i && len(r.Units[k].Needs) == 0 {
					needs[k] = append(needs[k], plan.Ref{Text: u.Label, Pos: ref.Pos})
					some = true
				}
			}
		}
	}
	for i := range r.Units {
		u := &r.Units[i]
		switch {
		case len(u.Needs) > 0:
		case len(needs[i]) > 0:
			u.Needs = needs[i]
		case some && all:
			u.Needs = []plan.Ref{{Text: "none", Pos: u.Unlocks[0].Pos}}
		}
	}
}

// Index answers questions about the phases. It is built when first asked for: most plans never need
// it.
func (r *Reading) Index() *plan.Index {
	if r.Known == nil {
		phases := make([]plan.DraftPhase, len(r.Units))
		for i := range r.Units {
			phases[i].Label, phases[i].Name, phases[i].Aliases = r.Units[i].Label, r.Units[i].Name, r.Units[i].Aliases
		}
		r.Known = plan.NewIndex(phases)
	}
	return r.Known
}

// bound ends every section where the next phase begins, or at the next heading of the same or a
// higher level, and notes which lines are in a section.
func (r *Reading) bound() {
	starts := map[int]bool{}
	for _, u := range r.Units {
		if u.From > 0 && u.Own == 0 {
			starts[u.From] = true
		}
	}
	for i := range r.Units {
		u := &r.Units[i]
		if u.From == 0 || u.To > 0 {
			continue
		}
		u.To = r.Doc.Count() + 1
		for _, h := range r.Doc.HeadsIn(u.From+1, u.To) {
			if h.Level <= u.Level || starts[h.Line] {
				u.To = h.Line
				break
			}
		}
	}
	r.Covered = make([]bool, r.Doc.Count()+2)
	r.ownLines, r.owned = make([]bool, r.Doc.Count()+2), map[int]bool{}
	for _, u := range r.Units {
		r.ownLines[u.RowLine] = u.RowLine > 0
		if u.Own > 0 {
			r.owned[u.Own-1] = true
		}
		for n := u.From; n > 0 && n < u.To; n++ {
			r.Covered[n] = true
		}
	}
}

// aliases are other labels that follow from the name of a phase: "User Story 3" is US3.
func (r *Reading) aliases(u *section.Unit) {
	name := strings.ToLower(u.Name)
	if at := strings.Index(name, "user story "); at >= 0 {
		if label, _ := words.IdAt(u.Name[at+len("user story "):]); label != "" && words.Numeric(label) {
			u.Aliases = append(u.Aliases, "US"+label, "User Story "+label)
		}
	}
	if u.Title.Kind == "milestone" && words.Numeric(u.Label) {
		u.Aliases = append(u.Aliases, "M"+u.Label)
	}
	if u.Title.Called != "" {
		u.Aliases = append(u.Aliases, u.Title.Called)
	}
	for _, aside := range words.Bracketed(u.Raw) {
		// "## 2. Engine (T5 — after T0)": the first word in brackets is another name for it
		if label, rest := words.IdAt(aside); label != "" && words.ShortName(label) && (rest == "" || rest[0] == ' ' || rest[0] == ',') {
			u.Aliases = append(u.Aliases, label)
		}
	}
}

// Statuses fills in the status of phases that declare none: from tables that list it, else from the
// boxes.
func (r *Reading) Statuses() {
	r.statusTables()
	for i := range r.Units {
		u := &r.Units[i]
		done, total := 0, len(u.Tasks)
		for _, t := range u.Tasks {
			if t.Done {
				done++
			}
		}
		declared := u.Status
		if u.Unboxed {
			total = 0
		}
		if declared == plan.StatusUnknown && total > 0 {
			switch {
			case done == total:
				u.Status = plan.StatusDone
			case done == 0 && !u.Begun:
				u.Status = plan.StatusTodo
			default:
				u.Status = plan.StatusInProgress
			}
		}
		if declared == plan.StatusDone && done < total {
			r.Warn("W-STATUS", u.Pos, fmt.Sprintf("phase %s is declared done, but %d of its %d boxes are open", u.Label, total-done, total),
				fmt.Sprintf("a run takes it for done; tick the boxes, or run it with --only %s", u.Label))
		}
		if declared == plan.StatusTodo && total > 0 && done == total {
			r.Warn("W-STATUS", u.Pos, fmt.Sprintf("phase %s is declared open, but all of its %d boxes are ticked", u.Label, total),
				fmt.Sprintf("a run does it again; --skip %s leaves it out", u.Label))
		}
	}
}

// statusTables reads tables without dependencies that list the status of phases known already.
func (r *Reading) statusTables() {
	byID := map[string]int{}
	for i, u := range r.Units {
		if id, err := plan.NormalID(u.Label); err == nil {
			byID[id] = i
		}
	}
	for k := range r.Doc.Tables {
		t := &r.Doc.Tables[k]
		c := document.ReadColumns(t)
		if c.Status < 0 || c.Needs >= 0 || r.Covered[t.Line] {
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
			if r.Units[i].StatusAt.Offset > 0 {
				r.otherStatus(&r.Units[i], row.At(c.Status))
				continue
			}
			if name := row.At(c.Name).Raw; name != "" && r.Units[i].Name != "" && !words.Overlap(name, r.Units[i].Name) {
				continue // the same number, but another phase
			}
			said := r.statusCell(row, c, r.Units[i].Label)
			r.Units[i].StatusAt = said
			r.Units[i].Stated = append(r.Units[i].Stated, said)
			r.Units[i].Status = words.StatusOf(said.Raw, true)
		}
	}
}

// otherStatus compares a second statement of a phase's status with the first.
func (r *Reading) otherStatus(u *section.Unit, c document.Cell) {
	both := words.MergedStatus(u.Status, words.StatusOf(c.Raw, true))
	if both == u.Status {
		return
	}
	r.Warn("W-STATUS", r.Doc.Pos(c.Offset), fmt.Sprintf("phase %s is declared %s here and otherwise on line %d", u.Label, inline.Plain(c.Raw), r.Doc.Pos(u.StatusAt.Offset).Line),
		"make them agree; the phase counts as begun")
	u.Status = both
}

// statusCell is the cell of a row that says the status: that of the column, or, where that one says
// none, the only other one that is a status and nothing else. A row that lacks a cell has moved it.
func (r *Reading) statusCell(row document.Row, c document.Columns, label string) document.Cell {
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
	r.Warn("W-STATUS", r.Doc.Pos(found.Offset), fmt.Sprintf("the status of phase %s stands in another column", label),
		"the row has a cell too few or too many before it")
	return found
}

// compare reports where a table and the headings list different phases, and phases with nothing in
// them.
func (r *Reading) compare() {
	sections, rows := 0, 0
	for _, u := range r.Units {
		if u.From > 0 {
			sections++
		}
		if u.RowLine > 0 {
			rows++
		}
	}
	named := map[string]*section.Unit{}
	for i := range r.Units {
		if u := &r.Units[i]; u.From > 0 && u.Own == 0 {
			named[inline.Words(u.Name)] = u
		}
	}
	for _, u := range r.Units {
		if twin := named[inline.Words(u.Name)]; u.From == 0 && u.Own > 0 && twin != nil && u.Name != "" {
			r.Warn("W-DUP", u.Pos, fmt.Sprintf("phase %s of the list has the name of phase %s on line %d", u.Label, twin.Label, twin.From), "correct one of the ids")
		}
		switch {
		case rows > 0 && sections*2 > rows && u.From == 0:
			r.Warn("W-ONLY-TABLE", u.Pos, fmt.Sprintf("phase %s has a row, but no section", u.Label), "add a heading for it, so that the agent knows what to do")
		case rows > 0 && sections > 0 && u.RowLine == 0:
			r.Warn("W-ONLY-HEADING", u.Pos, fmt.Sprintf("phase %s has a section, but no row in the table", u.Label), "add a row for it")
		case u.From > 0 && u.Own == 0 && len(u.Tasks) == 0 && strings.Count(u.Text, "\n") == 0:
			r.Warn("W-EMPTY", u.Pos, fmt.Sprintf("phase %s has an empty section", u.Label), "")
		}
	}
}

// oddBoxes reports boxes with a mark that means nothing here.
func (r *Reading) oddBoxes() {
	for i := range r.Doc.Items {
		it := &r.Doc.Items[i]
		if it.Box != 0 && !strings.ContainsRune(" xX~-/b!", rune(it.Box)) {
			pos := r.Doc.Pos(it.BoxOffset - 1)
			r.Found = append(r.Found, plan.Problem{
				Code: "W-BOX", Severity: plan.Warning, Pos: pos, Width: 3, Line: r.Doc.Line(pos.Line),
				Message: fmt.Sprintf("the box [%c] counts as open", it.Box), Hint: "use [ ], [x], [-] or [~]",
			})
		}
	}
}
