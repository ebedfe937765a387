package markdown

import (
	"slices"
	"strings"
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
		if slices.Contains(notUnits, p) {
			continue
		}
		count[p]++
		worth[p]++
		for _, l := range d.labelsIn(h.line, h.end) {
			if slices.Contains(needLabels, l.name) || slices.Contains(weakNeeds, l.name) {
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
