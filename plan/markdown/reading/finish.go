package reading

import (
	"fmt"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
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
	for _, u := range r.unlocks {
		r.Units[u.first].Unlocks = append(r.Units[u.first].Unlocks, u.later)
	}
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
