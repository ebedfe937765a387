package dialect

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// itemized is the form of phases that are list items: "1. **Phase 1: Set up**", "- [ ] **Unit 1:
// Name**", "- [ ] 001.md - Name", with what is to be done below.
type itemized struct{}

func (itemized) name() string { return "list" }

func (itemized) prior(*document.Document) int { return 20 }

func (itemized) signs(d *document.Document) bool { return len(itemLists(d)) > 0 }

func (itemized) read(r *reading.Reading) {
	var best []int
	worth := 0
	for _, list := range itemLists(r.Doc) {
		if now := listWorth(r.Doc, list); now > worth {
			best, worth = list, now
		}
	}
	r.AddItems(best)
}

// itemLists groups the items that have the title of a phase by what their ids look like.
func itemLists(d *document.Document) [][]int {
	groups := map[string][]int{}
	var order []string
	for i := range d.Items {
		t := document.ItemTitle(&d.Items[i])
		if t.Label == "" {
			continue
		}
		shape := itemShape(t, &d.Items[i])
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
func itemShape(t words.Title, it *document.Item) string {
	shape := t.Kind
	if it.Series != nil {
		shape = "series"
	} else if shape == "" {
		shape = words.IDPrefix(t.Label)
		if strings.HasPrefix(strings.TrimLeft(it.Raw, "*_ "), "#") {
			shape = "#"
		}
	}
	if it.Box != 0 {
		return shape + "[]"
	}
	return shape
}

// listWorth prefers lists with stated dependencies, then lists of boxes, then the longer list.
func listWorth(d *document.Document, list []int) int {
	worth := len(list)
	for _, i := range list {
		t := document.ItemTitle(&d.Items[i])
		if _, ok := t.Needs(); ok {
			worth += 20
		}
		if d.Items[i].Box != 0 {
			worth += 5
		}
	}
	return worth
}

// coded is the form of headings that begin with an id of letters and a number: "### U1. Name", "##
// REF-001: Name".
type coded struct{}

func (coded) name() string { return "coded" }

func (coded) prior(*document.Document) int { return 24 }

func (coded) signs(d *document.Document) bool {
	lines := codedHeads(d)
	return len(lines) >= 2 || len(lines) == 1 && isUnitFile(d, lines)
}

// isUnitFile reports whether a document is one unit. Its title is the only coded heading and has a
// line of dependencies below: "# U12 — Gates", "- **Depends on:** U11".
func isUnitFile(d *document.Document, lines map[int]bool) bool {
	h := &d.Headings[0]
	return h.Level == 1 && lines[h.Line] &&
		slices.ContainsFunc(d.LabelsIn(h.Line, h.End), func(l document.Label) bool {
			return words.IsNeedLabel(l.Name) && d.HeadingAbove(l.Line).Line == h.Line
		})
}

func (coded) read(r *reading.Reading) {
	lines := codedHeads(r.Doc)
	r.AddHeadings(func(h *document.Heading) bool { return lines[h.Line] })
}

func codedHead(h *document.Heading) bool {
	t := &h.Title
	return t.Kind == "" && t.Label != "" && !words.IsNumeric(t.Label) && t.Sep != "" &&
		t.Label[0]|0x20 >= 'a' && t.Label[0]|0x20 <= 'z' &&
		strings.ContainsAny(t.Label, "0123456789")
}

// codedHeads finds the headings of this form, by line: those whose ids begin with the letters that
// most begin with, and others on their level that hold work too. Sections that say what they depend
// on count more, and requirements and decisions are none.
func codedHeads(d *document.Document) map[int]bool {
	count, worth, working := map[string]int{}, map[string]int{}, map[string]int{}
	best, prefix, level := 0, "", 0
	for i := range d.Headings {
		h := &d.Headings[i]
		p := words.IDPrefix(h.Title.Label)
		if !codedHead(h) {
			continue
		}
		states := slices.ContainsFunc(d.LabelsIn(h.Line, h.End), func(l document.Label) bool {
			return words.IsNeedLabel(l.Name)
		})
		boxed := d.HasBoxIn(h.Line, h.End)
		if slices.Contains(words.NotPhasePrefixes, p) && (!states || !boxed) {
			continue
		}
		count[p]++
		worth[p]++
		if states {
			worth[p] += 10
		}
		if states || boxed {
			working[p]++
		}
		if worth[p] > best {
			prefix, best, level = p, worth[p], h.Level
		}
	}
	lines := map[int]bool{}
	for i := range d.Headings {
		h := &d.Headings[i]
		p := words.IDPrefix(h.Title.Label)
		if codedHead(h) && (p == prefix || working[p] == count[p] && count[p] > 0 &&
			h.Level == level) {
			lines[h.Line] = true
		}
	}
	return lines
}

// numberedHeads is the form of headings that only have a number or a letter, without a word that
// announces them.
type numberedHeads struct{}

func (numberedHeads) name() string { return "numbered" }

func (numberedHeads) prior(*document.Document) int { return -25 }

func (numberedHeads) signs(d *document.Document) bool { return numberedLevel(d) > 0 }

func (numberedHeads) read(r *reading.Reading) {
	level := numberedLevel(r.Doc)
	r.AddHeadings(func(h *document.Heading) bool { return numberedHead(h) && h.Level == level })
	if slices.ContainsFunc(r.Units,
		func(u section.Unit) bool { return !r.Doc.HasBoxIn(u.From, r.Doc.SectionEnd(u.From)) }) {
		r.WarnDoubt("numbered headings", "the headings")
	}
}

func numberedHead(h *document.Heading) bool {
	letter := len(h.Title.Label) == 1 && h.Title.Label[0] >= 'A' && h.Title.Label[0] <= 'Z'
	return h.Title.Kind == "" && (words.IsNumeric(h.Title.Label) || letter) && h.Title.Sep != "" &&
		h.Title.Sep != "(" && h.Level > 1
}

// numberedLevel is the level on which most headings are numbered, at least two of them; 0 is none.
func numberedLevel(d *document.Document) int {
	var all, with, prose [8]int
	for i := range d.Headings {
		h := &d.Headings[i]
		all[h.Level]++
		if numberedHead(h) {
			with[h.Level]++
			if chapter(h.Title.Name) {
				prose[h.Level]++
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
