package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
)

// The four readings, in the order in which they are tried (SPEC.md 3). The first that applies is
// taken whole.
var readings = []string{"frontmatter", "table", "headings", "boxes"}

// reading is a document read in one of the four ways.
type reading struct {
	doc   *document.Document
	name  string
	units []section.Unit
	found plan.Problems

	series      []*series // of headings
	final       []plan.Gate
	constraints []plan.Constraint
	tasks       map[string]int // ids of tasks, as in plan.Draft
	names       *plan.Names
	unit        []int          // by line: the unit whose section it is in plus one
	as          map[int]string // by line: what a line outside of all sections was read as
	aside       []bool         // by line: in a part of the document that holds no phases
	listed      map[int]int    // the tables whose rows are the phases, each with its column of ids
}

// read reads a document in the first way that applies, or in the one that is named.
func read(d *document.Document, only string) *reading {
	r := &reading{doc: d, as: map[int]string{}}
	r.markAsides()
	for _, name := range readings {
		if only != "" && only != name {
			continue
		}
		if r.units = r.units[:0]; r.try(name, only != "") {
			r.name = name
			break
		}
	}
	if len(r.units) == 0 && (only == "" || only == "headings") {
		if r.loneHeading(); len(r.units) > 0 {
			r.name = "headings"
		}
	}
	if len(r.units) > 0 {
		r.finish()
	}
	return r
}

// try reads the document in one way. forced takes the best candidate even where it covers too
// little.
func (r *reading) try(name string, forced bool) bool {
	switch name {
	case "frontmatter":
		r.frontMatter()
	case "table":
		r.phaseTable(forced)
	case "headings":
		r.phaseHeadings(forced)
	case "boxes":
		r.phaseBoxes(forced)
	}
	return len(r.units) > 0
}

// markAsides notes the lines below headings that begin no part with phases.
func (r *reading) markAsides() {
	r.aside = make([]bool, r.doc.Count()+2)
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		name := h.Text
		if h.Title.Label != "" {
			name = h.Title.Name // without its status
		}
		if h.Title.Kind != "" || h.Level == 1 || !document.IsAside(name) {
			continue
		}
		for n := h.Line; n < h.End && n < len(r.aside); n++ {
			r.aside[n] = true
		}
		for _, inner := range r.doc.HeadingsIn(h.Line+1, h.End) {
			if inner.Title.Kind == "" {
				continue
			}
			for n := inner.Line; n < inner.End && n < len(r.aside); n++ {
				r.aside[n] = false
			}
		}
	}
}

// counts reports whether an item is a box of work.
func (r *reading) counts(it *document.Item) bool {
	return it.Box != 0 && !it.Quoted && !r.aside[it.Line]
}

// series are headings or boxes that count the same things.
type series struct {
	level, depth int
	kind         string // "phase", or a prefix such as "t"; empty for plain numbers
	plain        bool
	members      []int // positions of headings or items
	boxes        int   // below them
	ids          map[string]bool
	again        bool // an earlier series has the same level and kind
	guessed      bool // by a word that is not known
}

// prefix is the letters that a code begins with: "t" of "T1".
func prefix(label string) string {
	return strings.ToLower(label[:len(label)-len(strings.TrimLeft(label,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))])
}

// groupOf is the kind of a title, and whether it is a plain number or letter.
func groupOf(t *document.Title) (kind string, plain bool) {
	switch {
	case t.Kind != "":
		return t.Kind, false
	case len(t.Label) > 1 && prefix(t.Label) != "":
		return prefix(t.Label) + "-", false
	case strings.ContainsAny(t.Label, ".-"):
		return "", true
	}
	return "", true
}

// headingSeries groups the headings with an ordinal by level and kind, in document order. It does so
// once.
func (r *reading) headingSeries() []*series {
	if r.series != nil {
		return r.series
	}
	index, all := map[string]*series{}, []*series{}
	deeper := slices.ContainsFunc(r.doc.Headings, func(h document.Heading) bool {
		return h.Level > 1 && h.Title.Label != "" && !r.aside[h.Line]
	})
	for i := range r.doc.Headings {
		h := &r.doc.Headings[i]
		if h.Title.Label == "" || r.aside[h.Line] && h.Title.Kind == "" || h.Level == 1 && deeper {
			continue
		}
		kind, plain := groupOf(&h.Title)
		key, id := fmt.Sprint(h.Level, kind), idOf(h.Title.Label)
		s := index[key]
		begins := s != nil && len(s.members) > 1 &&
			id == idOf(r.doc.Headings[s.members[0]].Title.Label)
		if s == nil || plain && begins { // the numbers begin again
			s = &series{
				level: h.Level, kind: kind, plain: plain, again: s != nil, ids: map[string]bool{},
				guessed: h.Title.Guessed,
			}
			index[key] = s
			all = append(all, s)
		}
		s.members = append(s.members, i)
		s.ids[id] = true
	}
	all = r.joinedCodes(all)
	for i := range r.doc.Items {
		if it := &r.doc.Items[i]; r.counts(it) {
			for _, s := range all {
				if r.below(s, it.Line) || it.Depth == 0 && s.lists(it) {
					s.boxes++
				}
			}
		}
	}
	r.series = all
	return all
}

// joinedCodes adds series of all codes of a level, whatever their letters: S1, F1, F2.
func (r *reading) joinedCodes(all []*series) []*series {
	for level := 1; level <= document.MaxLevel; level++ {
		joined := &series{level: level, kind: "codes", ids: map[string]bool{}}
		kinds := 0
		for _, s := range all {
			if s.level == level && strings.HasSuffix(s.kind, "-") && !s.plain {
				kinds++
				joined.members = append(joined.members, s.members...)
			}
		}
		if slices.Sort(joined.members); kinds > 1 {
			all = append(all, joined)
		}
	}
	return all
}

// lists reports whether a box is one of a list of the phases: "- [x] Step 2: Name".
func (s *series) lists(it *document.Item) bool {
	if s.plain || s.kind == "" {
		return false
	}
	t := document.ReadTitle(it.Raw)
	return t.Kind == s.kind && s.ids[idOf(t.Label)]
}

// below reports whether a line is in the section of a member.
func (r *reading) below(s *series, line int) bool {
	next, _ := slices.BinarySearchFunc(s.members, line, func(i, line int) int {
		return r.doc.Headings[i].Line - line
	})
	return next > 0 && line < r.doc.Headings[s.members[next-1]].End
}

// boxCount counts the boxes of work.
func (r *reading) boxCount() (n int) {
	for i := range r.doc.Items {
		if r.counts(&r.doc.Items[i]) {
			n++
		}
	}
	return n
}

// rank orders series: kind words and codes before plain numbers, those before containers; in each
// the outermost first. Words that are not known come last.
func (s *series) rank() int {
	switch {
	case s.guessed:
		return 3
	case plan.IsContainer(s.kind):
		return 2
	case s.plain:
		return 1
	}
	return 0
}

// covers reports whether nine tenths of the boxes hang below a series.
func covers(boxes, all int) bool { return boxes*10 >= all*9 }

// chooseHeadings is the series of headings that are the phases, nil for none.
func (r *reading) chooseHeadings(forced bool) *series {
	all, boxes := slices.Clone(r.headingSeries()), r.boxCount()
	all = slices.DeleteFunc(all, func(s *series) bool { return len(s.members) < 2 })
	slices.SortStableFunc(all, func(a, b *series) int {
		return cmp.Or(a.rank()-b.rank(), a.level-b.level, b.boxes-a.boxes, len(b.members)-len(a.members))
	})
	for _, s := range all {
		if boxes > 0 && covers(s.boxes, boxes) || boxes == 0 && !s.guessed && r.outermost(s, all) {
			return s
		}
	}
	if forced && len(all) > 0 {
		return slices.MaxFunc(all, func(a, b *series) int { return cmp.Or(a.boxes-b.boxes, len(a.members)-len(b.members)) })
	}
	return nil
}

// outermost reports whether a series, in a document without boxes, is not the numbering of chapters
// one of which holds all others.
func (r *reading) outermost(s *series, all []*series) bool {
	if !s.plain {
		return true
	}
	if slices.ContainsFunc(all, func(o *series) bool { return o.again && o.level == s.level }) {
		return false // nothing tells which of several numberings counts the phases
	}
	return !slices.ContainsFunc(all, func(o *series) bool {
		return o != s && o.level > s.level && !plan.IsContainer(o.kind) && len(o.members) >= len(s.members) && r.within(o, s) == 1
	})
}

// within counts the members of an outer series that have members of an inner one below them.
func (r *reading) within(inner, outer *series) (n int) {
	for _, i := range outer.members {
		h := &r.doc.Headings[i]
		if slices.ContainsFunc(inner.members, func(k int) bool {
			line := r.doc.Headings[k].Line
			return line > h.Line && line < h.End
		}) {
			n++
		}
	}
	return n
}

// phaseHeadings reads the headings of a series as phases.
func (r *reading) phaseHeadings(forced bool) {
	s := r.chooseHeadings(forced)
	if s == nil {
		return
	}
	for _, i := range s.members {
		r.addHeading(i)
	}
	if s.guessed {
		h := &r.doc.Headings[s.members[0]]
		r.report("W-GUESSED", plan.Warning, h.Line, h.Raw, fmt.Sprintf(
			"the headings %q are read as the phases: the word is not known", s.kind),
			"write \"Phase\" if they are")
	}
	r.dropTwins()
	for _, o := range r.headingSeries() {
		if o.level > s.level && !o.plain && len(o.members) > 1 && !plan.IsContainer(o.kind) && (s.plain ||
			s.boxes > 0 && covers(o.boxes, s.boxes) && len(o.members) > len(s.members) && o.kind != "task" && o.kind != "step") {
			h := &r.doc.Headings[o.members[0]]
			r.report("W-RIVAL", plan.Warning, h.Line, h.Raw, fmt.Sprintf(
				"%s inside of them could be the phases as well", text.Count(len(o.members), "heading")),
				"say which: --reading table, or number only the phases")
			break
		}
	}
}

// loneHeading reads a document with a single numbered heading as one phase.
func (r *reading) loneHeading() {
	for level := 1; level <= document.MaxLevel; level++ {
		for i := range r.doc.Headings {
			h := &r.doc.Headings[i]
			if h.Level == level && h.Title.Kind != "" && !r.aside[h.Line] {
				r.addHeading(i)
				if r.hasOtherIDs(i) {
					r.report("W-GUESSED", plan.Warning, h.Line, h.Raw,
						"this heading is read as the one phase, beside other ids",
						"number the phases")
				}
				return
			}
		}
	}
}

// hasOtherIDs reports whether a document has ids beside that of one heading, or a title for a phase
// and no boxes.
func (r *reading) hasOtherIDs(heading int) bool {
	rows := 0
	for i := range r.doc.Tables {
		t := &r.doc.Tables[i]
		key := t.Column("column id")
		for _, row := range t.Rows {
			if strings.ContainsAny(document.ReadCell(row.At(key).Raw).Label, "0123456789") {
				rows++
			}
		}
	}
	own := &r.doc.Headings[heading]
	other := slices.ContainsFunc(r.doc.Headings, func(h document.Heading) bool {
		return h.Line != own.Line && (h.Title.Label != "" || misspeltKind(h.Text))
	})
	return rows > 1 || other || own.Level == 1 && r.boxCount() == 0
}

// addHeading adds the phase of a heading.
func (r *reading) addHeading(i int) {
	h := &r.doc.Headings[i]
	u := section.Unit{Title: h.Title, From: h.Line, To: h.End, Level: h.Level, Raw: h.Raw}
	u.Offset, u.Kind, u.Label, u.Name = h.Offset, h.Title.Kind, h.Title.Label, h.Title.Name
	u.Pos = r.doc.Pos(h.Offset)
	if h.Level == document.MaxLevel+1 || h.Offset == 0 {
		u.Pos = plan.Pos{Line: h.Line, Col: 1}
	}
	u.Width = len(h.Raw)
	if h.Title.Stated {
		u.Status = h.Title.Status
		u.StatusAt = document.Cell{Raw: h.Raw, Offset: h.Offset, Title: true}
	}
	if h.Title.Stated {
		u.Stated = append(u.Stated, document.Cell{Raw: h.Raw, Offset: h.Offset, Title: true})
	}
	r.headingBox(&u, h)
	r.units = append(r.units, u)
}

// headingBox reads the box that a heading begins with: "## [x] Step 1: Name".
func (r *reading) headingBox(u *section.Unit, h *document.Heading) {
	if h.Box == 0 {
		return
	}
	raw := strings.TrimSpace(r.doc.Text[h.Offset-h.Box : h.Offset])
	box := document.Cell{Raw: raw, Offset: h.Offset - h.Box}
	u.Stated = append(u.Stated, box)
	if u.Status == plan.StatusUnknown {
		u.Status, u.StatusAt = document.StatusOf(raw), box
	}
}

// dropTwins reads a second heading or box of the same id and name as the same phase, with a
// warning. The one with more below it counts.
func (r *reading) dropTwins() {
	first := map[string]int{}
	var kept []section.Unit
	for _, u := range r.units {
		id := idOf(u.Label)
		at, taken := first[id]
		if !taken || inline.Words(kept[at].Name) != inline.Words(u.Name) ||
			u.Own == 0 && r.hasBoxes(kept[at].From, kept[at].To) && r.hasBoxes(u.From, u.To) {
			if !taken {
				first[id] = len(kept)
			}
			kept = append(kept, u)
			continue
		}
		one, two := &kept[at], u
		status := one.Status
		if status != two.Status {
			status = plan.StatusInProgress
		}
		boxes := append(slices.Clone(one.OtherBoxes), one.Own-1, two.Own-1)
		r.report("W-DUP", plan.Warning, two.Pos.Line, r.doc.Line(two.Pos.Line), fmt.Sprintf(
			"phase %s stands on line %d and on line %d, and is read as one", u.Label,
			one.Pos.Line, two.Pos.Line), "remove one of the two")
		if r.weight(&two) > r.weight(one) {
			kept[at], two = two, *one
		}
		for n := two.From; n < two.To; n++ {
			r.as[n] = "phase " + u.Label + " again"
		}
		kept[at].Status = status
		kept[at].OtherBoxes = slices.DeleteFunc(boxes, func(i int) bool { return i < 0 || i == kept[at].Own-1 })
	}
	r.units = kept
}

// weight is how much stands below a unit.
func (r *reading) weight(u *section.Unit) int {
	return 100*len(r.doc.ItemsIn(u.From+1, u.To)) + u.To - u.From
}

// idOf is the id of a label, or "".
func idOf(label string) string {
	id, err := plan.NormalID(label)
	if err != nil {
		return ""
	}
	return id
}

// report adds a finding about a line.
func (r *reading) report(code string, severity plan.Severity, line int, marked, message, hint string) {
	p := plan.Problem{
		Code: code, Severity: severity, Pos: plan.Pos{Line: line, Col: 1}, Line: r.doc.Line(line),
		Message: message, Hint: hint,
	}
	if at := strings.Index(p.Line, strings.TrimSpace(marked)); at >= 0 && marked != "" {
		p.Pos.Col, p.Width = at+1, len(strings.TrimSpace(marked))
	}
	r.found = append(r.found, p)
}

// boxSeries are the boxes of a document, grouped by depth and kind of their ids.
type boxSeries struct {
	all    []*series
	titles []document.Title // by item
	parts  map[int]bool     // items that are parts of the one before: "1.1" beside "1"
	total  int
}

func (r *reading) boxSeries() *boxSeries {
	b := &boxSeries{titles: make([]document.Title, len(r.doc.Items)), parts: map[int]bool{}}
	index, of := map[string]*series{}, map[int]*series{} // by key, and by item
	for i := range r.doc.Items {
		it := &r.doc.Items[i]
		if !r.counts(it) {
			continue
		}
		b.total++
		t := r.itemTitle(it)
		b.titles[i] = t
		for p := it.Parent; p >= 0; p = r.doc.Items[p].Parent {
			if s := of[p]; s != nil {
				s.boxes++
			}
		}
		if t.Label == "" {
			continue
		}
		kind, plain := groupOf(&t)
		key := fmt.Sprint(it.Depth, kind)
		s := index[key]
		whole, _, dotted := strings.Cut(t.Label, ".")
		if dotted && s != nil && plain && b.titles[s.members[len(s.members)-1]].Label == whole {
			b.parts[i] = true
			s.boxes++
			continue
		}
		if s == nil {
			s = &series{depth: it.Depth, kind: kind, plain: plain}
			index[key] = s
			b.all = append(b.all, s)
		}
		s.members, s.boxes = append(s.members, i), s.boxes+1
		of[i] = s
	}
	if joined := b.joinedCodes(); joined != nil {
		b.all = append(b.all, joined)
	}
	b.all = slices.DeleteFunc(b.all, func(s *series) bool { return len(s.members) < 2 })
	slices.SortStableFunc(b.all, func(x, y *series) int {
		return cmp.Or(x.depth-y.depth, x.rank()-y.rank())
	})
	return b
}

// joinedCodes is the series of all codes at the outermost depth, whatever their letters; nil where
// there is one kind of them alone.
func (b *boxSeries) joinedCodes() *series {
	joined := &series{depth: -1, kind: "codes"}
	kinds := 0
	for _, s := range b.all {
		if s.plain || !strings.HasSuffix(s.kind, "-") || joined.depth >= 0 && s.depth != joined.depth {
			continue
		}
		kinds++
		joined.depth, joined.boxes = s.depth, joined.boxes+s.boxes
		joined.members = append(joined.members, s.members...)
	}
	if slices.Sort(joined.members); kinds < 2 {
		return nil
	}
	return joined
}

// phaseBoxes reads boxes with an id, at one depth, as phases.
func (r *reading) phaseBoxes(forced bool) {
	b := r.boxSeries()
	at := slices.IndexFunc(b.all, func(s *series) bool { return covers(s.boxes, b.total) })
	var chosen *series
	switch {
	case at >= 0:
		chosen = b.all[at]
	case len(b.all) > 0 && (forced || r.chooseHeadings(true) == nil):
		chosen = slices.MaxFunc(b.all, func(x, y *series) int { return x.boxes - y.boxes })
	default:
		return
	}
	spaced := r.spaced(chosen.members)
	for at, i := range chosen.members {
		r.addItem(i, b.titles[i])
		u := &r.units[len(r.units)-1]
		if spaced {
			u.To = r.doc.Count() + 1
			if at+1 < len(chosen.members) {
				u.To = r.doc.Items[chosen.members[at+1]].Line
			}
			if heads := r.doc.HeadingsIn(u.From+1, u.To); len(heads) > 0 {
				u.To = heads[0].Line
			}
		}
		for k := i + 1; k < len(r.doc.Items) && (b.parts[k] || r.doc.Items[k].Line < u.To); k++ {
			u.To = max(u.To, r.doc.Items[k].End)
		}
	}
	r.dropTwins()
}

// spaced reports whether what belongs to the boxes stands in paragraphs below them, and not within
// their items.
func (r *reading) spaced(members []int) bool {
	for k := 1; k < len(members); k++ {
		end, next := r.doc.Items[members[k-1]].End, r.doc.Items[members[k]].Line
		if len(r.doc.HeadingsIn(end, next)) > 0 {
			continue
		}
		for _, p := range r.doc.ParagraphsIn(end, next) {
			if p.Item < 0 {
				return true
			}
		}
	}
	return false
}

// itemTitle is the title of a box: its own id, or the number of an ordered list.
func (r *reading) itemTitle(it *document.Item) document.Title {
	raw := it.Raw
	if at := document.NextBold(raw); at > 0 {
		raw = raw[:at] // labels on the next lines
	}
	t := document.ReadTitle(raw)
	if t.Label == "" && it.Number != "" {
		t = document.ReadTitle(it.Number + ". " + raw)
	}
	return t
}

func (r *reading) addItem(i int, t document.Title) {
	it := &r.doc.Items[i]
	u := section.Unit{Title: t, From: it.Line, To: it.End, Own: i + 1, Raw: it.Raw}
	u.Offset, u.Kind, u.Label, u.Name = it.Offset, t.Kind, t.Label, t.Name
	u.Pos, u.Width = r.doc.Pos(it.Offset), len(inline.FirstLine(it.Raw))
	u.Status = document.BoxStatus(it.Box)
	if t.Stated {
		u.Status = t.Status
		u.Stated = []document.Cell{{Raw: it.Raw, Offset: it.Offset, Title: true}}
	}
	r.units = append(r.units, u)
}

// frontMatter reads the todos of a front matter, or a document whose front matter says that it is
// one phase.
func (r *reading) frontMatter() {
	d := r.doc
	todo := slices.IndexFunc(d.Front, func(e document.Entry) bool {
		return e.Indent == 0 && !e.Dash && e.Value == "" &&
			slices.Contains([]string{"todos", "phases", "tasks", "steps", "milestones"}, e.Key)
	})
	if todo >= 0 {
		r.todos(d.Front[todo+1:])
		return
	}
	one := func(key string) string {
		e, _ := document.TopEntry(d.Front, key)
		return e.Value
	}
	label := one("id")
	if phase, number := one("phase"), one("plan"); phase != "" && number != "" {
		phase = phase[:len(phase)-len(strings.TrimLeft(phase, "0123456789."))]
		label = padded(phase) + "-" + padded(number)
	}
	needs, line, ok := []string(nil), 0, false
	for _, e := range d.Front {
		if e.Indent == 0 && plan.IsWord("needs", strings.ReplaceAll(document.WordsOfKey(e.Key), "_", " ")) && !ok {
			needs, line, ok = document.EntryList(d.Front, e.Key)
		}
	}
	if strings.Trim(label, "-") == "" || !ok && one("plan") == "" {
		return
	}
	u := section.Unit{From: d.FrontEnd + 1, To: d.Count() + 1}
	u.Label, u.Name, u.Pos = label, one("title"), plan.Pos{Line: 1, Col: 1}
	if u.Name == "" {
		u.Name = one("name")
	}
	if ok {
		u.Needs = []plan.Ref{{
			Text: cmp.Or(strings.Join(needs, ", "), "none"), Pos: plan.Pos{Line: line, Col: 1},
		}}
	}
	u.Status = document.StatusOf(one("status"))
	files, _, _ := document.EntryList(d.Front, "files_modified")
	for _, file := range files {
		if section.PathLike(file) {
			u.Files = section.WithFile(u.Files, "touch", file)
		}
	}
	r.units = append(r.units, u)
}

func padded(n string) string {
	if len(n) == 1 {
		return "0" + n
	}
	return n
}

// todos reads the elements of a list of todos.
func (r *reading) todos(entries []document.Entry) {
	for i := 0; i < len(entries); {
		e := entries[i]
		if e.Indent == 0 && !e.Dash {
			return
		}
		end := i + 1
		for end < len(entries) && entries[end].Indent > e.Indent {
			end++
		}
		if e.Dash && e.Key != "" {
			r.todo(entries[i:end])
		}
		i = end
	}
}

// todo reads one element as a phase.
func (r *reading) todo(entries []document.Entry) {
	fields := slices.Clone(entries)
	for k := range fields {
		fields[k].Indent, fields[k].Dash = 0, fields[k].Dash && k > 0
	}
	field := func(key string) document.Entry { f, _ := document.TopEntry(fields, key); return f }
	id, first, last := field("id"), entries[0].Line, entries[len(entries)-1].Line
	if id.Value == "" {
		return
	}
	u := section.Unit{NoBoxes: true}
	u.Kind, u.Label = plan.SplitKind(id.Value)
	u.Name = cmp.Or(field("content").Value, field("name").Value, field("title").Value)
	if t := document.ReadTitle(u.Name); t.Label != "" && idOf(t.Label) == idOf(u.Label) {
		u.Name = t.Name // "Phase 0: Name" of phase-0
	}
	u.Pos = plan.Pos{Line: id.Line, Col: 1}
	u.Text, u.TextLine = strings.Trim(r.doc.Span(first, last+1), "\n"), first
	u.Meaning = u.Name
	if status := field("status"); status.Value != "" {
		u.Status = document.StatusOf(status.Value)
		line := r.doc.Line(status.Line)
		at := r.doc.Lines[status.Line-1] + strings.LastIndex(line, status.Value)
		u.Stated = []document.Cell{{Raw: status.Value, Offset: at}}
	}
	for _, f := range fields {
		if plan.IsWord("needs", document.WordsOfKey(f.Key)) && len(u.Needs) == 0 {
			list, line, _ := document.EntryList(fields, f.Key)
			u.Needs = []plan.Ref{{
				Text: cmp.Or(strings.Join(list, ", "), "none"), Pos: plan.Pos{Line: line, Col: 1},
			}}
		}
	}
	for n := first; n <= last; n++ {
		r.as[n] = "phase " + u.Label
	}
	r.units = append(r.units, u)
}
