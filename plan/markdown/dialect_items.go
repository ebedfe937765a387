package markdown

import (
	"slices"
	"strconv"
	"strings"

	"autobuild/plan"
)

// itemized is the form of phases that are list items: "1. **Phase 1: Set up**", "- [ ] **Unit 1:
// Name**", "- [ ] 001.md - Name", with what is to be done below.
type itemized struct{}

func (itemized) name() string { return "list" }

func (itemized) prior(*document) int { return 20 }

func (itemized) signs(d *document) bool { return len(itemLists(d)) > 0 }

func (itemized) read(r *reading) {
	var best []int
	worth := 0
	for _, list := range itemLists(r.doc) {
		if now := listWorth(r.doc, list); now > worth {
			best, worth = list, now
		}
	}
	r.items(best)
}

// itemLists groups the items that have the title of a phase by what their ids look like.
func itemLists(d *document) [][]int {
	groups := map[string][]int{}
	var order []string
	for i := range d.items {
		t := itemTitle(&d.items[i])
		if t.label == "" {
			continue
		}
		shape := itemShape(t, &d.items[i])
		if groups[shape] == nil {
			order = append(order, shape)
		}
		groups[shape] = append(groups[shape], i)
	}
	var lists [][]int
	for _, shape := range order {
		if len(groups[shape]) >= 2 {
			lists = append(lists, groups[shape])
		}
	}
	return lists
}

// itemShape is what the ids of one list have in common: their kind, or the letters before their
// number.
func itemShape(t title, it *item) string {
	shape := t.kind
	if shape == "" {
		shape = idPrefix(t.label)
		if strings.HasPrefix(strings.TrimLeft(it.raw, "*_ "), "#") {
			shape = "#"
		}
	}
	if it.box != 0 {
		return shape + "[]"
	}
	return shape
}

// idPrefix is an id up to its first digit: "REF-" of "REF-001".
func idPrefix(label string) string {
	at := strings.IndexAny(label, "0123456789")
	if at < 0 {
		return "?"
	}
	return strings.ToLower(label[:at])
}

// itemTitle reads an item as a phase: with a kind word, or, where it has a box, with an id that is
// no plain number.
func itemTitle(it *item) title {
	if it.depth > 0 || it.quoted {
		return title{}
	}
	raw := strings.TrimSpace(it.raw)
	t := readTitle(raw)
	switch {
	case t.label == "", t.kind == "" && among(notUnits, idPrefix(t.label)):
		return title{}
	case among(unitKinds, t.kind):
		return t
	case t.kind != "", it.box == 0 && !statedItem(it, t):
		return title{}
	}
	bare := strings.TrimLeft(raw, "*_[ ")
	if strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, t.label+".md") || !numeric(t.label) && strings.ContainsAny(t.label, "0123456789") && !shortTask(t.label) {
		return t
	}
	return title{}
}

// statedItem reports whether an item without a box is a phase: an id in bold, and what it waits
// for.
func statedItem(it *item, t title) bool {
	return strings.HasPrefix(strings.TrimSpace(it.raw), "**") && codeLike(t.label) && !among(notUnits, idPrefix(t.label)) && relational(it.raw)
}

// shortTask recognises the tasks of spec-kit, T001, which are parts of phases.
func shortTask(label string) bool { return len(label) == 4 && taskNumber(label) }

// listWorth prefers lists that say what depends on what, then boxes, then the longer.
func listWorth(d *document, list []int) int {
	worth := len(list)
	for _, i := range list {
		t := itemTitle(&d.items[i])
		if _, ok := t.needs(); ok {
			worth += 20
		}
		if d.items[i].box != 0 {
			worth += 5
		}
	}
	return worth
}

// items makes a unit of each of some items. A section reaches to the next of them, or to a heading.
func (r *reading) items(list []int) {
	d := r.doc
	seen := map[string]int{}
	for k, i := range list {
		it := &d.items[i]
		t := itemTitle(it)
		if t.label == "" {
			if t.label, t.name = numbered(it); t.label == "" {
				t.label, t.name = strconv.Itoa(k+1), firstLine(it.raw)
			}
			t.name = withoutMarks(plain(t.name))
		}
		u := unit{title: t, from: it.line, to: d.count() + 1, own: i + 1, off: it.off, raw: it.raw}
		if k+1 < len(list) {
			u.to = d.items[list[k+1]].line
		}
		for _, h := range d.headsIn(it.line, u.to) {
			u.to = h.line
			break
		}
		if it.box == 0 {
			u.to = min(u.to, it.end)
		}
		u.to = max(u.to, it.line+1)
		u.Label, u.Name = t.label, t.name
		u.Pos, u.Width = d.pos(it.off), len(firstLine(it.raw))
		if u.Status = t.status; it.box != 0 {
			u.Status = boxStatus(it.box)
		}
		if at, twice := seen[normal(u.Label)]; twice && r.sameBox(&r.units[at], &u) {
			r.units[at].twins = append(r.units[at].twins, i)
			if at == len(r.units)-1 {
				r.units[at].to = u.to // the section goes on below its second box
			}
			continue
		}
		seen[normal(u.Label)] = len(r.units)
		r.units = append(r.units, u)
	}
}

// guessed says that nothing but a numbering made the phases.
func (r *reading) guessed(what, which string) {
	if len(r.units) > 0 {
		r.warn("W-GUESSED", r.units[0].Pos, "the phases are taken from "+what+", because nothing else looks like phases",
			"if "+which+" are not the phases, give each phase a heading such as \"## Phase 1: Name\"")
	}
}

// coded is the form of headings that begin with an id of letters and a number: "### U1. Name", "##
// REF-001: Name".
type coded struct{}

func (coded) name() string { return "coded" }

func (coded) prior(*document) int { return 24 }

func (coded) signs(d *document) bool { _, n := codedPrefix(d); return n >= 2 }

func (coded) read(r *reading) {
	prefix, _ := codedPrefix(r.doc)
	r.headings(func(h *heading) bool { return codedHead(h) && idPrefix(h.title.label) == prefix })
}

func codedHead(h *heading) bool {
	t := &h.title
	return t.kind == "" && t.label != "" && !numeric(t.label) && t.sep != "" && t.label[0] >= 'A' && t.label[0] <= 'Z' && strings.ContainsAny(t.label, "0123456789")
}

// notUnits are the letters before the numbers of requirements, decisions and questions.
var notUnits = []string{"r", "fr", "fr-", "nfr", "nfr-", "ac", "ac-", "req", "req-", "adr", "adr-", "ktd", "d-", "q", "risk-", "con-", "alt-", "sc-", "uc-", "us-", "kd"}

// codedPrefix is the letters that most headings of this form begin with; sections that say what
// they depend on count more, and requirements and decisions are none.
func codedPrefix(d *document) (prefix string, n int) {
	count, worth := map[string]int{}, map[string]int{}
	best := 0
	for i := range d.heads {
		h := &d.heads[i]
		if !codedHead(h) {
			continue
		}
		p := idPrefix(h.title.label)
		if among(notUnits, p) {
			continue
		}
		count[p]++
		worth[p]++
		for _, l := range d.labelsIn(h.line, h.end) {
			if among(needLabels, l.name) || among(weakNeeds, l.name) {
				worth[p] += 10
				break
			}
		}
		if worth[p] > best {
			prefix, best = p, worth[p]
		}
	}
	return prefix, count[prefix]
}

// numberedHeads is the form of headings that are only numbered, without a word that announces them.
type numberedHeads struct{}

func (numberedHeads) name() string { return "numbered" }

func (numberedHeads) prior(*document) int { return -25 }

func (numberedHeads) signs(d *document) bool { return numberedLevel(d) > 0 }

func (numberedHeads) read(r *reading) {
	level := numberedLevel(r.doc)
	r.headings(func(h *heading) bool { return numberedHead(h) && h.level == level })
	if slices.ContainsFunc(r.units, func(u unit) bool { return !r.doc.boxedIn(u.from, r.doc.endOf(u.from)) }) {
		r.guessed("numbered headings", "the headings")
	}
}

func numberedHead(h *heading) bool {
	return h.title.kind == "" && numeric(h.title.label) && h.title.sep != "" && h.title.sep != "(" && h.level > 1
}

// numberedLevel is the level on which most headings are numbered, at least two of them; 0 is none.
func numberedLevel(d *document) int {
	var all, with, prose [8]int
	for i := range d.heads {
		h := &d.heads[i]
		all[h.level]++
		if numberedHead(h) {
			with[h.level]++
			if chapter(h.title.name) {
				prose[h.level]++
			}
		}
	}
	for level := 2; level <= 6; level++ {
		if with[level] >= 2 && with[level]*3 >= all[level]*2 && prose[level] < 2 {
			return level
		}
	}
	return 0
}

// tickets is the form of tables that list what is to be done without a word on its order.
type tickets struct{}

func (tickets) name() string { return "tickets" }

func (tickets) prior(*document) int { return 4 }

func (tickets) signs(d *document) bool { return len(ticketTables(d)) > 0 }

func (tickets) read(r *reading) {
	t := &phaseTable{ids: map[string]bool{}}
	for _, part := range ticketTables(r.doc) {
		t.add(part, nil)
	}
	r.rows(t)
	r.attach()
}

// ticketTables finds tables whose rows are tickets: an id in the first column, and a name and a
// status or an estimate beside it. Further tables with the same head go on with the list.
func ticketTables(d *document) []tablePart {
	var parts []tablePart
	head := ""
	ids := map[string]bool{}
	for i := range d.tables {
		t := &d.tables[i]
		c := keyed(t, readColumns(t), nil)
		if c.key != 0 || c.name < 0 || c.needs < 0 && c.status < 0 && c.estimate < 0 || d.general(t.line) {
			continue
		}
		now := headWords(t.header[c.key].raw)
		if head != "" && head != now || !ticketRows(t, c, ids) {
			continue
		}
		head = now
		parts = append(parts, tablePart{t, c})
	}
	return parts
}

// ticketRows reports whether every row has an id of its own, which no table before has, and notes
// them.
func ticketRows(t *table, c columns, ids map[string]bool) bool {
	var own []string
	others := 0 // rows without a number: "Release", "Total"
	for _, row := range t.rows {
		label := cellTitle(row.at(c.key).raw).label
		id := normal(label)
		if id == "" {
			others++
			continue
		}
		if ids[id] || numeric(label) && headWords(t.header[c.key].raw) == "#" && c.status < 0 {
			return false
		}
		own = append(own, id)
	}
	for _, id := range own {
		ids[id] = true
	}
	return len(own) >= 2 && others <= len(own)
}

// preferences adds what sentences outside all phases say that should rather come first.
func (r *reading) preferences() {
	for _, s := range r.doc.sentences() {
		if s.line < len(r.covered) && r.covered[s.line] || !r.doc.orderly(s.line) {
			continue
		}
		rel, ok := relate(s.text)
		if !ok {
			continue
		}
		subject := r.subjects(rel.subject)
		if len(subject) == 0 {
			subject = r.subjects(s.lead)
		}
		text := rel.rest
		if rel.soft {
			text = rel.object
		}
		if !softly(text) && !rel.soft {
			continue
		}
		for _, i := range subject {
			r.units[i].Soft = append(r.units[i].Soft, plan.Ref{Text: text, Pos: r.doc.pos(s.off)})
		}
	}
}
