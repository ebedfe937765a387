package markdown

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
)

// finish reads the sections of the units that a dialect has found, and compares what they say.
func (r *reading) finish() {
	if len(r.units) == 0 {
		return
	}
	r.unheaded()
	r.bound()
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
		r.aliases(u)
	}
	known := r.index()
	for i := range r.units {
		r.weak(&r.units[i], known)
	}
	r.central(known)
	r.mermaid(known)
	r.implied(known)
	r.listed()
	r.messages(known)
	r.globalGates()
	r.statuses()
	r.headed()
	r.compare()
}

func (r *reading) index() *plan.Index {
	phases := make([]plan.DraftPhase, len(r.units))
	for i := range r.units {
		phases[i] = r.units[i].DraftPhase
	}
	return plan.NewIndex(phases)
}

// bound ends every section where the next phase begins, or at the next heading of the same or a higher level,
// and notes which lines are in a section.
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
	for _, u := range r.units {
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
	for _, aside := range bracketed(u.raw) {
		// "## 2. Engine (T5 — after T0)": the first word in brackets is another name for it
		if label, rest := idAt(aside); label != "" && shortName(label) && (rest == "" || rest[0] == ' ' || rest[0] == ',') {
			u.Aliases = append(u.Aliases, label)
		}
	}
}

// bracketed lists what stands in parentheses in a heading.
func bracketed(raw string) []string {
	var found []string
	for {
		_, after, open := strings.Cut(raw, "(")
		if !open {
			return found
		}
		inner, rest, closed := strings.Cut(after, ")")
		if !closed {
			return found
		}
		found = append(found, inner)
		raw = rest
	}
}

// shortName recognises names such as T5: capitals, then a number. P1 is a priority.
func shortName(label string) bool {
	number := strings.TrimLeft(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	capitals := len(label) - len(number)
	return capitals > 0 && capitals <= 3 && number != "" && numeric(number) && label[:capitals] != "P"
}

// central reads a section about dependencies outside all phases: "- Phase 2 depends on Phase 1",
// "- **Polish (Phase 4)**: Depends on Phase 3". Several sentences about one phase add up.
func (r *reading) central(known *plan.Index) {
	said := map[int][]plan.Ref{}
	for _, h := range r.doc.heads {
		if !strings.Contains(words(h.text), "dependenc") || r.covered[h.line] {
			continue
		}
		for _, it := range r.doc.itemsIn(h.line+1, h.end) {
			if it.box != 0 || it.quoted || it.depth > 0 || !strings.Contains(words(r.doc.above(it.line).text), "dependenc") {
				continue
			}
			subject, rest, ok := clause(it.raw)
			if !ok {
				continue
			}
			for _, i := range r.subjects(subject, known) {
				said[i] = append(said[i], r.clauseRefs(rest, it, known)...)
				r.units[i].Soft = append(r.units[i].Soft, preferences(rest)...)
			}
		}
	}
	for i, refs := range said {
		if len(r.units[i].Needs) == 0 {
			r.units[i].Needs = refs
		}
	}
}

// clause splits "X depends on Y" and "**X**: depends on Y"; rest is what stands behind the verb.
func clause(raw string) (subject, rest string, ok bool) {
	text := plain(raw)
	lower := strings.ToLower(text)
	for _, verb := range []string{" depends on ", " is blocked by ", " requires "} {
		if at := strings.Index(lower, verb); at > 0 && !strings.ContainsAny(lower[:at], ":：") {
			return text[:at], text[at+len(verb):], true
		}
	}
	before, after, found := strings.Cut(text, ":")
	return before, strings.TrimSpace(after), found
}

// subjects finds the phases that a clause is about: "Polish (Phase 4)", "User Stories (Phases 3-5)",
// "Phase 2", "User Story 1 (P1)".
func (r *reading) subjects(text string, known *plan.Index) []int {
	if open := strings.LastIndexByte(text, '('); open >= 0 {
		inner := strings.Trim(text[open:], "() ")
		if kind, _ := plan.SplitKind(inner); kind != "" {
			if hits := known.Mentions(inner); len(hits) > 0 {
				return hits
			}
		}
		text = text[:open]
	}
	if i, ok := known.Find(strings.TrimSpace(text)); ok {
		return []int{i}
	}
	return nil
}

// clauseRefs are the phases that the rest of a clause names.
func (r *reading) clauseRefs(rest string, it item, known *plan.Index) []plan.Ref {
	pos := r.doc.pos(it.off)
	for _, verb := range []string{"depends on ", "all depend on ", "depend on ", "can start after ", "must wait for ", "requires ", "blocked by "} {
		if len(rest) > len(verb) && strings.EqualFold(rest[:len(verb)], verb) {
			rest = rest[len(verb):]
			break
		}
	}
	rest = r.grouped(sentence(rest))
	if !known.Says(rest) {
		return nil
	}
	var refs []plan.Ref
	for part := range strings.SplitSeq(rest, ",") {
		if known.Says(part) && strings.TrimSpace(part) != "" {
			refs = append(refs, plan.Ref{Text: strings.TrimSpace(part), Pos: pos})
		}
	}
	return refs
}

// sentence is the first sentence of a text, without what follows a dash.
func sentence(s string) string {
	for _, end := range []string{". ", "。", " - ", " — ", " – ", "; "} {
		if before, _, found := strings.Cut(s, end); found {
			s = before
		}
	}
	return strings.TrimRight(strings.TrimSpace(s), ".")
}

// globalGates gives the commands that stand outside all phases, under a heading such as "Validation
// Commands", to every phase that states none.
func (r *reading) globalGates() {
	var gates []plan.Gate
	for _, h := range r.doc.heads {
		if classOf(h.text) != classGates || r.covered[h.line] {
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

// statuses fills in the status of phases that declare none: from tables that list it, else from the boxes.
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
			r.warn("W-STATUS", u.Pos, fmt.Sprintf("phase %s is declared done, but %d of its %d boxes are open", u.Label, total-done, total), "the declaration counts")
		}
		if declared == plan.StatusTodo && total > 0 && done == total {
			r.warn("W-STATUS", u.Pos, fmt.Sprintf("phase %s is declared open, but all of its %d boxes are ticked", u.Label, total), "the declaration counts")
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
			if err != nil || !ok || r.units[i].status.off > 0 || row.at(c.status).off == 0 {
				continue
			}
			if name := row.at(c.name).raw; name != "" && r.units[i].Name != "" && !overlap(name, r.units[i].Name) {
				continue // the same number, but another phase
			}
			r.units[i].status = row.at(c.status)
			r.units[i].stated = append(r.units[i].stated, row.at(c.status))
			r.units[i].Status = statusOf(row.at(c.status).raw, true)
		}
	}
}

// compare reports where a table and the headings list different phases, and phases with nothing in them.
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
	for _, u := range r.units {
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

// listed looks for boxes outside all sections that stand for whole phases: "- [ ] Step 3: Wire it up" in a
// checklist at the top. Such a box is the state of its phase, and its only task where the section has none.
func (r *reading) listed() {
	byID := map[string]int{}
	boxed := make([]bool, len(r.units)) // has boxes of its own
	for i := range r.units {
		byID[normal(r.units[i].Label)] = i
		boxed[i] = len(r.units[i].Tasks)+len(r.units[i].Criteria) > 0
		for _, twin := range r.units[i].twins {
			r.covered[r.doc.items[twin].line] = true
		}
	}
	orphans := 0
	for k := range r.doc.items {
		it := &r.doc.items[k]
		if it.box == 0 || r.covered[it.line] {
			continue
		}
		t := readTitle(it.raw)
		i, ok := byID[normal(t.label)]
		if part, sub := byID[normal(parentLabel(t.label))]; !ok && sub && t.kind != "" && r.units[part].from > 0 && !boxed[part] {
			r.units[part].Tasks = append(r.units[part].Tasks, r.doc.task(*it)) // "- [ ] Phase 2.1: Name"
			continue
		}
		if t.kind == "" || !ok || r.units[i].own > 0 {
			orphans++
			continue
		}
		u := &r.units[i]
		u.own = k + 1
		if u.Status == plan.StatusUnknown && len(u.stated) == 0 && len(u.Tasks) == 0 {
			u.Status = boxStatus(it.box)
		}
		if len(u.Tasks)+len(u.Criteria) == 0 && u.from > 0 {
			u.Tasks = []plan.Task{r.doc.task(*it)}
		}
	}
	if orphans > 0 {
		what := fmt.Sprintf("%d boxes stand outside all phases", orphans)
		if orphans == 1 {
			what = "1 box stands outside all phases"
		}
		r.warn("W-ORPHAN-BOXES", plan.Pos{}, what, "no phase ticks them")
	}
}

// parentLabel is what a dotted label is a part of: "2" of "2.1".
func parentLabel(label string) string {
	if at := strings.LastIndexByte(label, '.'); at > 0 {
		return label[:at]
	}
	return ""
}

// headed takes the sub-headings of a section as its tasks, where it has no boxes: "#### Task 1.1: Name",
// "#### F1-T1: Name".
func (r *reading) headed() {
	for i := range r.units {
		u := &r.units[i]
		if u.from == 0 || u.own > 0 && len(u.Tasks) > 0 || len(u.Tasks) > 0 || (len(u.Criteria) > 0 && !r.headingTasks) {
			continue
		}
		id := normal(u.Label)
		for _, h := range r.doc.headsIn(u.from+1, u.to) {
			sub := normal(h.title.label)
			below := strings.HasPrefix(sub, id+".") || strings.HasPrefix(sub, id+"-")
			if h.title.label != "" && (h.title.kind == "task" || below) {
				u.Tasks = append(u.Tasks, plan.Task{Text: h.text, Pos: r.doc.headPos(&h)})
			}
		}
	}
}

// unheaded adds the phases that have no section but stand in a list of phases: "- [x] Phase 3: Name" under
// "Phases".
func (r *reading) unheaded() {
	if r.units[0].title.kind != "phase" || r.units[0].row > 0 {
		return
	}
	ids := map[string]bool{}
	for _, u := range r.units {
		ids[normal(u.Label)] = true
	}
	for k := range r.doc.items {
		it := &r.doc.items[k]
		if it.box == 0 || it.depth > 0 {
			continue
		}
		t := readTitle(it.raw)
		if t.kind != "phase" || ids[normal(t.label)] || !hasAny(words(r.doc.above(it.line).text), "phases", "roadmap", "milestones") {
			continue
		}
		ids[normal(t.label)] = true
		u := unit{title: t, own: k + 1, off: it.off, raw: it.raw}
		u.Label, u.Name, u.Status = t.label, t.name, boxStatus(it.box)
		u.Pos, u.Width = r.doc.pos(it.off), len(it.raw)
		r.units = append(r.units, u)
	}
	slices.SortStableFunc(r.units, func(a, b unit) int { return a.Pos.Line - b.Pos.Line })
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
