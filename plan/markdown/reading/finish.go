package reading

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// Finish reads the sections of the units that a dialect has added, then the rest of the document,
// and reports contradictions. It is called once.
func (r *Reading) Finish() {
	r.reportMisspelt()
	if len(r.Units) == 0 {
		return
	}
	r.boundSections()
	r.addListedPhases()
	r.reportOddBoxes()
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
		if r.readWeakLabels(u); u.Estimate.Text == "" {
			u.Estimate = u.Title.Estimate()
		}
	}
	r.readOwnSentences()
	for i, refs := range r.orderSentences() {
		if u := &r.Units[i]; len(u.Needs) == 0 {
			u.Needs = refs
		} else {
			u.Again = append(u.Again, refs...)
		}
	}
	r.readPreferences()
	r.invertUnlocks()
	r.readSequences()
	r.readCharts()
	r.implyWaves()
	r.readOverviewBoxes()
	r.readCommitMessages()
	closing := r.readFinalGates()
	r.readGlobalGates(closing)
	r.readGlobalPrerequisites()
	r.ReadConstraints()
	r.SetStatuses()
	r.readHeadingTasks()
	r.compareTableAndSections()
	r.compareCounts()
	r.checkFrontMatter()
	r.reportOutside()
}

// invertUnlocks turns "Blocks: 2, 3" on phase 1 into dependencies of phases 2 and 3, where these
// state none. Where every phase states what it unlocks, a phase that none names depends on nothing.
func (r *Reading) invertUnlocks() {
	needs := make([][]plan.Ref, len(r.Units))
	all, some := true, false
	for i := range r.Units {
		u := &r.Units[i]
		all = all && len(u.Unlocks) > 0
		for _, ref := range u.Unlocks {
			named := r.Index().Mentions(ref.Text)
			if plan.SaysLater(ref.Text) {
				named = nil
				for k := i + 1; k < len(r.Units); k++ {
					named = append(named, k)
				}
			}
			for _, k := range named {
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

// Index resolves labels to units. It is built at the first call, because most plans never need it.
func (r *Reading) Index() *plan.Index {
	if r.Known == nil {
		phases := make([]plan.DraftPhase, len(r.Units))
		for i := range r.Units {
			u := &r.Units[i]
			phases[i].Label, phases[i].Name = u.Label, u.Name
			phases[i].Aliases, phases[i].Word = u.Aliases, u.Word
			phases[i].Around = u.Around
		}
		r.Known = plan.NewIndex(phases, r.Within)
	}
	return r.Known
}

// boundSections ends every section where the next phase begins, or at the next heading of the same
// or a higher level. It sets Covered, ownLines and owned.
func (r *Reading) boundSections() {
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
		for _, h := range r.Doc.HeadingsIn(u.From+1, u.To) {
			if h.Level <= u.Level || starts[h.Line] {
				u.To = h.Line
				break
			}
		}
	}
	r.Covered = make([]bool, r.Doc.Count()+2)
	r.ownLines, r.owned = make([]bool, r.Doc.Count()+2), map[int]bool{}
	r.parts = nil
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

// addAliases adds labels that follow from the name of a phase: US3 for "User Story 3".
func (r *Reading) addAliases(u *section.Unit) {
	name := strings.ToLower(u.Name)
	if at := strings.Index(name, "user story "); at >= 0 {
		if label, _ := words.IDAt(u.Name[at+len("user story "):]); label != "" &&
			words.IsNumeric(label) {
			u.Aliases = append(u.Aliases, "US"+label, "User Story "+label)
		}
	}
	if u.Title.Kind == "milestone" && words.IsNumeric(u.Label) {
		u.Aliases = append(u.Aliases, "M"+u.Label)
	}
	if u.Title.Kind != "" {
		if r.word == "" || !strings.HasPrefix(u.Raw, r.word+" ") {
			r.word = words.KindWord(u.Raw)
		}
		u.Word = r.word
	}
	if u.Word != "" && u.Word[0]|0x20 == 'p' && r.hasPriorities() {
		u.Word = "" // P1 is a priority
	}
	if u.Title.Called != "" {
		u.Aliases = append(u.Aliases, u.Title.Called)
	}
	for _, label := range u.Title.Numbers() {
		u.Aliases = append(u.Aliases, label, u.Title.Kind+" "+label)
	}
	for _, aside := range words.InBrackets(u.Raw) {
		// "## 2. Engine (T5 — after T0)": the first word in brackets is another name for it
		if label, rest := words.IDAt(aside); label != "" && words.IsShortName(label) &&
			(rest == "" || rest[0] == ' ' || rest[0] == ',') {
			u.Aliases = append(u.Aliases, label)
		}
	}
}

// hasPriorities reports whether the document calls priorities P1, P2 and so on.
func (r *Reading) hasPriorities() bool {
	if r.priorities == 0 {
		r.priorities = 1
		for line := range strings.Lines(r.Doc.Text) {
			if strings.Contains(line, "P") && priorityCode.MatchString(line) &&
				words.ContainsAny(strings.ToLower(line), words.Priorities...) {
				r.priorities = 2
			}
		}
	}
	return r.priorities == 2
}

// priorityCode matches what may be a priority.
var priorityCode = lazyregexp.New(`\bP[0-9]\b`)

// SetStatuses sets the status of phases that declare none: from status tables, else from the boxes.
func (r *Reading) SetStatuses() {
	r.readStatusTables()
	for i := range r.Units {
		u := &r.Units[i]
		done, total := 0, len(u.Tasks)
		for _, t := range u.Tasks {
			if t.Done {
				done++
			}
		}
		declared := u.Status
		r.reportLimited(u)
		if u.NoBoxes {
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
		if u.Status == plan.StatusUnknown && total == 0 {
			u.Status = r.statusOfTables(u)
		}
		if declared == plan.StatusDone && done < total {
			r.Warn("W-STATUS", u.Pos,
				fmt.Sprintf("phase %s is declared done, but %d of its %d boxes are open", u.Label,
					total-done, total),
				fmt.Sprintf("a run takes it for done; tick the boxes, or run it with --only %s",
					u.Label))
		}
		if declared == plan.StatusTodo && total > 0 && done == total {
			r.Warn("W-STATUS", u.Pos,
				fmt.Sprintf("phase %s is declared open, but all of its %d boxes are ticked",
					u.Label, total),
				fmt.Sprintf("a run does it again; --skip %s leaves it out", u.Label))
		}
	}
}

// statusOfTables is the status of a phase without boxes whose tasks are rows of tables with a
// column for their status.
func (r *Reading) statusOfTables(u *section.Unit) plan.Status {
	if u.From == 0 || u.Own > 0 {
		return plan.StatusUnknown
	}
	done, total, end := 0, 0, u.WholeEnd(r.Doc)
	for k := range r.Doc.Tables {
		t := &r.Doc.Tables[k]
		c := document.ReadColumns(t)
		if t.Line < u.From || t.Line >= end || c.Status < 0 || c.Needs >= 0 ||
			!slices.ContainsFunc(t.Header, func(head document.Cell) bool {
				return slices.Contains(words.WorkNames, words.HeadWords(head.Raw))
			}) {
			continue
		}
		for _, row := range t.Rows {
			total++
			switch words.StatusOf(row.At(c.Status).Raw, true) {
			case plan.StatusDone, plan.StatusSkipped:
				done++
			}
		}
	}
	switch done {
	case 0:
		return plan.StatusUnknown
	case total:
		return plan.StatusDone
	}
	return plan.StatusInProgress
}

// reportLimited reports a statement that a phase is done or skipped which says more than that.
func (r *Reading) reportLimited(u *section.Unit) {
	said := u.StatusAt.Raw
	if u.StatusAt.Title {
		if said = ""; len(u.Title.Asides) > 0 {
			said = u.Title.Asides[len(u.Title.Asides)-1]
		}
	}
	if u.Status == plan.StatusDone || u.Status == plan.StatusSkipped || !words.Limited(said) {
		return
	}
	r.Warn("W-STATUS", r.Doc.Pos(u.StatusAt.Offset),
		fmt.Sprintf("the status of phase %s is not plainly done or skipped: %q", u.Label,
			text.Clip(inline.Plain(said), maxSaid)),
		"a run does the phase; to leave it out, write the status alone or with a date")
}

// maxSaid bounds a quotation within a message, in bytes.
const maxSaid = 60

// readStatusTables reads tables without dependencies that list the status of phases known already.
func (r *Reading) readStatusTables() {
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
		c = document.WithKey(t, c, func(id string) bool { _, ok := byID[id]; return ok })
		if c.Key < 0 || !slices.Contains(words.StatusedTable,
			words.HeadWords(t.Header[c.Key].Raw)) {
			continue
		}
		for _, row := range t.Rows {
			id, err := plan.NormalID(words.ReadCell(row.At(c.Key).Raw).Label)
			i, ok := byID[id]
			if err != nil || !ok || row.At(c.Status).Offset == 0 {
				continue
			}
			if r.Units[i].StatusAt.Offset > 0 {
				r.compareStatus(&r.Units[i], row.At(c.Status))
				continue
			}
			if name := row.At(c.Name).Raw; name != "" && r.Units[i].Name != "" &&
				!words.ShareWord(name, r.Units[i].Name) {
				continue // the same number, but another phase
			}
			said := r.statusCell(row, c, r.Units[i].Label)
			r.Units[i].StatusAt = said
			r.Units[i].Stated = append(r.Units[i].Stated, said)
			r.Units[i].Status = words.StatusOf(said.Raw, true)
		}
	}
}

// compareStatus compares a second statement of a phase's status with the first.
func (r *Reading) compareStatus(u *section.Unit, c document.Cell) {
	both := words.MergeStatus(u.Status, words.StatusOf(c.Raw, true))
	if both == u.Status {
		return
	}
	r.Warn("W-STATUS", r.Doc.Pos(c.Offset),
		fmt.Sprintf("phase %s is declared %s here and otherwise on line %d", u.Label,
			inline.Plain(c.Raw),
			r.Doc.Pos(u.StatusAt.Offset).Line),
		"make them agree; the phase counts as begun")
	u.Status = both
}

// statusCell is the cell of a row that holds the status: that of the column, else the only other
// cell that is nothing but a status. A row with a cell too few has moved it.
func (r *Reading) statusCell(row document.Row, c document.Columns, label string) document.Cell {
	said := row.At(c.Status)
	if words.StatusOf(said.Raw, true) != plan.StatusUnknown {
		return said
	}
	found := document.Cell{}
	for i, other := range row.Cells {
		if i == c.Status || i == c.Key || i == c.Name || !words.IsStatus(other.Raw) {
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
	r.Warn("W-STATUS", r.Doc.Pos(found.Offset),
		fmt.Sprintf("the status of phase %s stands in another column", label),
		"the row has a cell too few or too many before it")
	return found
}

// compareTableAndSections reports phases that only the table or only the headings list, and empty
// sections.
func (r *Reading) compareTableAndSections() {
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
		if twin := named[inline.Words(u.Name)]; u.From == 0 && u.Own > 0 && twin != nil &&
			u.Name != "" {
			r.Warn("W-DUP", u.Pos,
				fmt.Sprintf("phase %s of the list has the name of phase %s on line %d",
					u.Label, twin.Label, twin.From), "correct one of the ids")
		}
		switch {
		case rows > 0 && sections*2 > rows && u.From == 0:
			r.Warn("W-ONLY-TABLE", u.Pos, fmt.Sprintf("phase %s has a row, but no section",
				u.Label),
				"add a heading for it, so that the agent knows what to do")
		case rows > 0 && sections > 0 && u.RowLine == 0:
			r.Warn("W-ONLY-HEADING", u.Pos,
				fmt.Sprintf("phase %s has a section, but no row in the table", u.Label),
				"add a row for it")
		case u.From > 0 && u.Own == 0 && len(u.Tasks) == 0 && strings.Count(u.Text, "\n") == 0:
			r.Warn("W-EMPTY", u.Pos, fmt.Sprintf("phase %s has an empty section", u.Label), "")
		}
	}
}

// reportOddBoxes reports boxes with a mark that means nothing here.
func (r *Reading) reportOddBoxes() {
	for i := range r.Doc.Items {
		it := &r.Doc.Items[i]
		if it.Box != 0 && !strings.ContainsRune(" xX~-/b!", rune(it.Box)) {
			pos := r.Doc.Pos(it.BoxOffset - 1)
			r.Found = append(r.Found, plan.Problem{
				Code: "W-BOX", Severity: plan.Warning, Pos: pos, Width: 3,
				Line:    r.Doc.Line(pos.Line),
				Message: fmt.Sprintf("the box [%c] counts as open", it.Box),
				Hint:    "use [ ], [x], [-] or [~]",
			})
		}
	}
}
