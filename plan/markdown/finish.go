package markdown

import (
	"fmt"
	"strings"

	"autobuild/plan"
)

// finish reads the sections of the units that a dialect has found, and compares what they say.
func (r *reading) finish() {
	if len(r.units) == 0 {
		return
	}
	r.bound()
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
		r.doc.weak(&r.units[i], known)
	}
	r.central(known)
	r.doc.messages(r.units, known)
	r.globalGates()
	r.statuses()
	r.compare()
}

func (r *reading) index() *plan.Index {
	phases := make([]plan.DraftPhase, len(r.units))
	for i := range r.units {
		phases[i] = r.units[i].DraftPhase
	}
	return plan.NewIndex(phases)
}

// bound ends every section where the next phase begins, or at the next heading of the same or a higher level.
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
}

// central reads a section about dependencies outside all phases: "- Phase 2 depends on Phase 1",
// "- **Polish (Phase 4)**: Depends on Phase 3".
func (r *reading) central(known *plan.Index) {
	said := map[int][]plan.Ref{}
	for _, h := range r.doc.heads {
		if !strings.Contains(words(h.text), "dependenc") || inSection(r.units, h.line) {
			continue
		}
		for _, it := range r.doc.itemsIn(h.line+1, h.end) {
			if it.box != 0 || it.quoted || r.doc.above(it.line).line != h.line && !strings.Contains(words(r.doc.above(it.line).text), "dependenc") {
				continue
			}
			subject, rest, ok := clause(it.raw)
			if !ok {
				continue
			}
			if i, ok := r.subject(subject, known); ok {
				said[i] = append(said[i], r.clauseRefs(rest, it, known)...)
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
	if at := strings.Index(lower, " depends on "); at > 0 && !strings.Contains(lower[:at], ":") {
		return text[:at], text[at+len(" depends on "):], true
	}
	if at := strings.Index(lower, " blocked by "); at > 0 && !strings.Contains(lower[:at], ":") {
		return strings.TrimSuffix(text[:at], " is"), text[at+len(" blocked by "):], true
	}
	before, after, found := strings.Cut(text, ":")
	if !found {
		return "", "", false
	}
	return before, strings.TrimSpace(after), true
}

// subject finds the phase that a clause is about: "Polish (Phase 4)", "Phase 2", "User Story 1 (P1)".
func (r *reading) subject(text string, known *plan.Index) (int, bool) {
	if open := strings.LastIndexByte(text, '('); open >= 0 {
		inner := strings.Trim(text[open:], "() ")
		if kind, _ := plan.SplitKind(inner); kind != "" {
			if i, ok := known.Find(inner); ok {
				return i, true
			}
		}
		text = text[:open]
	}
	return known.Find(strings.TrimSpace(text))
}

// clauseRefs are the phases that the rest of a clause names.
func (r *reading) clauseRefs(rest string, it item, known *plan.Index) []plan.Ref {
	pos := r.doc.pos(it.off)
	lower := strings.ToLower(rest)
	if after, found := strings.CutPrefix(lower, "depends on "); found {
		rest = rest[len(rest)-len(after):]
	}
	rest = sentence(rest)
	if known.Says(rest) {
		return []plan.Ref{{Text: rest, Pos: pos}}
	}
	return nil
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
		if classOf(h.text) != classGates || inSection(r.units, h.line) {
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
		if declared == plan.StatusUnknown && total > 0 {
			switch done {
			case 0:
				u.Status = plan.StatusTodo
			case total:
				u.Status = plan.StatusDone
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
		if c.status < 0 || c.needs >= 0 || inSection(r.units, t.line) {
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
		case rows > 0 && sections > 0 && u.from == 0:
			r.warn("W-ONLY-TABLE", u.Pos, fmt.Sprintf("phase %s has a row, but no section", u.Label), "add a heading for it, so that the agent knows what to do")
		case rows > 0 && sections > 0 && u.row == 0:
			r.warn("W-ONLY-HEADING", u.Pos, fmt.Sprintf("phase %s has a section, but no row in the table", u.Label), "add a row for it")
		case u.from > 0 && u.own == 0 && len(u.Tasks) == 0 && strings.Count(u.Text, "\n") == 0:
			r.warn("W-EMPTY", u.Pos, fmt.Sprintf("phase %s has an empty section", u.Label), "")
		}
	}
}
