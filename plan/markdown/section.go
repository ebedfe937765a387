package markdown

import (
	"slices"
	"strings"

	"autobuild/plan"
)

// unit is a phase that a dialect found, and where the document speaks of it.
type unit struct {
	plan.DraftPhase
	from, to int    // the lines of its section, to excluded; 0 when it has none
	off      int    // of the label or heading text, for the caret
	raw      string // its heading as written
	title    title
	status   cell   // where the document states its status; raw is empty when nowhere
	stated   []cell // every place that states it, for Mark
	parts    []cell // the statuses of its sub-tasks, which are done when it is
	unboxed  bool   // its tasks are no boxes
	begun    bool   // a box says that work on it goes on

	directives []label // lines that say how it is done
	own        int     // position of the list item that is the phase, plus one
	twins      []int   // positions of other boxes that stand for it
	// the words of its dialect for a status, where only these are understood
	says   map[plan.Status]string
	level  int    // of its heading
	row    int    // line of its table row; 0 when there is none
	called string // its name in that row
}

func among(list []string, name string) bool {
	for _, s := range list {
		if s == name {
			return true
		}
	}
	return false
}

// fill reads the section of a unit: whatever the dialect, a section says the same things in the
// same ways.
func (d *document) fill(u *unit) {
	if u.from == 0 {
		return
	}
	all := d.stretches(u.from, u.to)
	u.Text, u.TextLine = strings.Trim(d.span(u.from, u.to), "\n"), u.from
	d.boxes(u, all)
	d.statements(u)
	d.scope(u, all)
	d.commands(u, all)
	d.prerequisites(u)
	d.message(u, all)
	u.Meaning = d.meaning(u)
}

// boxes collects the tasks and criteria of a section.
func (d *document) boxes(u *unit, all []stretch) {
	for _, it := range d.itemsIn(u.from, u.to) {
		if it.box == 0 || u.own > 0 && it.off == d.items[u.own-1].off || slices.ContainsFunc(u.twins, func(k int) bool { return d.items[k].off == it.off }) {
			continue
		}
		t := d.task(it)
		u.begun = u.begun || boxStatus(it.box) == plan.StatusInProgress
		if d.criterion(it, all) {
			u.Criteria = append(u.Criteria, t)
		} else {
			u.Tasks = append(u.Tasks, t)
		}
	}
	if len(u.Tasks)+len(u.Criteria) == 0 {
		d.rowTasks(u)
	}
	if len(u.Tasks) == 0 && strings.Contains(u.Text, "<task") {
		d.xmlTasks(u)
	}
	if u.own > 0 && d.items[u.own-1].box != 0 && len(u.Tasks)+len(u.Criteria) == 0 {
		t := d.task(d.items[u.own-1])
		for _, k := range u.twins {
			t.Done = t.Done && d.task(d.items[k]).Done
		}
		u.Tasks = []plan.Task{t}
	}
}

// criterion reports whether a box says when the phase is done rather than what to do.
func (d *document) criterion(it item, all []stretch) bool {
	return about(all, it.line) == classCriteria
}

func (d *document) task(it item) plan.Task {
	text := plain(it.raw)
	t := plan.Task{Text: text, Done: it.box == 'x' || it.box == 'X', Pos: d.pos(it.boxOff - 1), Optional: it.star}
	t.Parallel = strings.HasPrefix(text, "[P]") || strings.Contains(text[:min(len(text), 24)], " [P]")
	return t
}

// statements reads the labels of a section that say something of the whole phase.
func (d *document) statements(u *unit) {
	for _, l := range d.labelsIn(u.from, d.introEnd(u)) {
		if l.item >= 0 && l.item != u.own-1 && d.inTask(l.item, u.own-1) {
			continue // a task may be about anything
		}
		ref := plan.Ref{Text: plain(l.value), Pos: d.pos(l.off)}
		d.settings(u, l)
		switch {
		case among(needLabels, l.name) && !l.loose && u.saidNeeds() == "":
			u.Needs = append(u.Needs, d.refs(l, ref)...)
		case among(besideLabels, l.name):
			u.Beside = append(u.Beside, ref)
		case among(unlockLabels, l.name) && l.bold:
			u.Unlocks = append(u.Unlocks, ref)
		case among(statusLabels, l.name) && l.value != "":
			u.stated = append(u.stated, cell{raw: l.value, off: l.off})
			if u.status.raw == "" {
				u.status = cell{raw: l.value, off: l.off}
				u.Status = statusOf(l.value, true)
			}
		case among(estimateNames, l.name) && u.Estimate.Text == "" && l.value != "":
			u.Estimate = estimate(ref.Text)
		}
		if strings.Contains(strings.ToLower(l.value), "no changes expected") || l.name == "no changes expected" {
			u.AllowEmpty = true
		}
	}
	for _, p := range d.parasIn(u.from, u.to) {
		if !u.AllowEmpty && strings.Contains(p.raw, "o changes expected") {
			u.AllowEmpty = strings.Contains(strings.ToLower(p.raw), "no changes expected")
		}
	}
}

// introEnd is the line up to which a section is about the whole phase: below a heading with an id
// of its own it is about a part.
func (d *document) introEnd(u *unit) int {
	for _, h := range d.headsIn(u.from+1, u.to) {
		if h.title.label != "" {
			return h.line
		}
	}
	return u.to
}

// inTask reports whether an item is a box or stands below one. The box that is the phase itself, at
// own, is no task.
func (d *document) inTask(i, own int) bool {
	for ; i >= 0 && i != own; i = d.items[i].parent {
		if d.items[i].box != 0 {
			return true
		}
	}
	return false
}

func (u *unit) saidNeeds() string {
	if len(u.Needs) == 0 {
		return ""
	}
	return u.Needs[0].Text
}

// refs is the value of a label, or, when it has none, the items of the list below it.
func (d *document) refs(l label, ref plan.Ref) []plan.Ref {
	if l.value != "" {
		if end := sentenceEnd(ref.Text); end < len(ref.Text) && relational(ref.Text[end:]) {
			// "Phase 9. Can run in parallel with 2"
			ref.Text = strings.TrimRight(ref.Text[:end], ". ")
		}
		return []plan.Ref{ref}
	}
	var refs []plan.Ref
	end := l.line + 40
	if l.item >= 0 {
		end = d.items[l.item].end
	}
	previous, boxes := l.line, false
	for k, it := range d.itemsIn(l.line+1, end) {
		if boxes = boxes || k == 0 && it.box != 0; it.line > previous+2 || boxes != (it.box != 0) {
			break // what is to be done begins
		}
		previous = it.end - 1
		refs = append(refs, plan.Ref{Text: plain(it.raw), Pos: d.pos(it.off)})
	}
	return refs
}

// weak reads, once all phases are known, the labels that may be about something else.
func (r *reading) weak(u *unit) {
	d := r.doc
	if u.from == 0 || len(u.Needs) > 0 {
		return
	}
	for _, l := range d.labelsIn(u.from, d.introEnd(u)) {
		mayNeed := among(weakNeeds, l.name) || l.loose && among(needLabels, l.name)
		if !mayNeed || l.item >= 0 && l.item != u.own-1 && d.items[l.item].box != 0 {
			continue
		}
		refs := d.refs(l, plan.Ref{Text: plain(l.value), Pos: d.pos(l.off)})
		if among(prerequisiteNames, l.name) {
			refs = r.onlyPhases(refs)
		}
		u.Needs = append(u.Needs, r.phaseRefs(refs)...)
		if len(u.Needs) > 0 {
			return
		}
	}
	for _, h := range d.headsIn(u.from+1, d.introEnd(u)) {
		if classOf(h.text) != classDepends {
			continue
		}
		var refs []plan.Ref
		for _, p := range d.parasIn(h.line+1, min(h.end, u.to)) {
			refs = append(refs, plan.Ref{Text: plain(strings.TrimLeft(p.raw, "[] ")), Pos: d.pos(p.off)})
		}
		u.Needs = append(u.Needs, r.phaseRefs(refs)...)
	}
	if text, ok := u.title.needs(); ok && len(u.Needs) == 0 {
		u.Needs = r.phaseRefs([]plan.Ref{{Text: text, Pos: d.pos(u.off)}})
	}
}

// phaseRefs keeps the references that speak of phases.
func (r *reading) phaseRefs(refs []plan.Ref) []plan.Ref {
	var kept []plan.Ref
	for _, ref := range refs {
		if r.index().Says(ref.Text) || refLike(ref.Text) || r.foreign(ref.Text) {
			kept = append(kept, ref)
		}
	}
	return kept
}

// onlyPhases leaves out the tools and the like that stand beside phases under "Requires". An entry
// with the kind word of a phase stays, known or not.
func (r *reading) onlyPhases(refs []plan.Ref) []plan.Ref {
	for i := range refs {
		if known, unknown, _ := r.index().Count(refs[i].Text); known > 0 && unknown > 0 && !slices.ContainsFunc(splitOutside(refs[i].Text), func(part string) bool {
			return !r.index().Says(part) && (refLike(part) || r.foreign(part) || codeLike(strings.TrimSpace(part)))
		}) {
			refs[i].Text = r.index().Named(refs[i].Text)
		}
	}
	return refs
}

// foreign reports whether a list begins with a phase of another document.
func (r *reading) foreign(text string) bool {
	if r.elsewhere == nil {
		return false
	}
	first, _, _ := strings.Cut(text, ",")
	first, _, _ = strings.Cut(first, "(")
	_, ok := r.elsewhere(strings.TrimSpace(first))
	return ok
}

// refLike reports whether a text can only be meant as a list of phases, known or not: "Phase 9",
// "4, 12".
func refLike(text string) bool {
	if text == "" {
		return false
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		kind, core := plan.SplitKind(part)
		label, rest := idAt(core)
		if label == "" || (kind == "" && (strings.TrimSpace(rest) != "" || len(label) > 4)) {
			return false
		}
	}
	return true
}

// meaning is the text of a phase without what only says how far it has come: the marks in its
// boxes, what it states as its status, and its heading, whose name is compared apart.
func (d *document) meaning(u *unit) string {
	from := u.from
	if u.own == 0 && u.raw != "" {
		from++
	}
	text := d.span(from, u.to)
	if text == "" {
		return "\n"
	}
	base := d.lines[from-1]
	cuts := make([]edit, 0, 8)
	for _, it := range d.itemsIn(from, u.to) {
		switch {
		case it.picture > 0:
			cuts = append(cuts, edit{from: it.boxOff - 1 - base, to: it.boxOff - 1 - base + int(it.picture)})
		case it.box != 0:
			cuts = append(cuts, edit{from: it.boxOff - base, to: it.boxOff - base + 1})
		}
	}
	for _, c := range u.stated {
		if c.off >= base && c.off+len(c.raw) <= base+len(text) {
			cuts = append(cuts, edit{from: c.off - base, to: c.off - base + len(c.raw)})
		}
	}
	return apply(text, d.withoutDirectives(u, base, text, cuts))
}
