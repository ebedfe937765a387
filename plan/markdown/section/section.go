package section

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// Fill reads the section of a unit: tasks, statements, files, commands, prerequisites, the commit
// message. A unit without a section stays as it is.
func (u *Unit) Fill(d *document.Document) {
	if u.From == 0 {
		return
	}
	all := d.Topics(u.From, u.To)
	u.Text, u.TextLine = strings.Trim(d.Span(u.From, u.To), "\n"), u.From
	u.boxes(d, all)
	u.statements(d)
	u.scope(d, all)
	u.Commands(d, all)
	u.prerequisites(d)
	u.message(d, all)
	u.Meaning = u.meaning(d)
}

// boxes collects the tasks and criteria of a section.
func (u *Unit) boxes(d *document.Document, all []document.Topic) {
	for _, it := range d.ItemsIn(u.From, u.To) {
		if it.Box == 0 || u.Own > 0 && it.Offset == d.Items[u.Own-1].Offset ||
			slices.ContainsFunc(u.OtherBoxes,
				func(k int) bool { return d.Items[k].Offset == it.Offset }) {
			continue
		}
		t := TaskOf(d, it)
		u.Begun = u.Begun || document.BoxStatus(it.Box) == plan.StatusInProgress
		if document.ClassAt(all, it.Line) == document.ClassCriteria {
			u.Criteria = append(u.Criteria, t)
		} else {
			u.Tasks = append(u.Tasks, t)
		}
	}
	if len(u.Tasks)+len(u.Criteria) == 0 {
		u.rowTasks(d)
	}
	if len(u.Tasks) == 0 && strings.Contains(u.Text, "<task") {
		u.ReadXMLTasks(d)
	}
	if u.Own > 0 && d.Items[u.Own-1].Box != 0 && len(u.Tasks)+len(u.Criteria) == 0 {
		t := TaskOf(d, d.Items[u.Own-1])
		for _, k := range u.OtherBoxes {
			t.Done = t.Done && TaskOf(d, d.Items[k]).Done
		}
		u.Tasks = []plan.Task{t}
	}
}

// TaskOf makes a task of an item with a box.
func TaskOf(d *document.Document, it document.Item) plan.Task {
	text := inline.Plain(it.Raw)
	t := plan.Task{
		Text: text, Done: it.Box == 'x' || it.Box == 'X', Pos: d.Pos(it.BoxOffset - 1),
		Optional: it.Optional,
	}
	t.Parallel = strings.HasPrefix(text, "[P]") || strings.Contains(text[:min(len(text), 24)],
		" [P]")
	return t
}

// statements reads the labels of a section that are about the whole phase.
func (u *Unit) statements(d *document.Document) {
	end := u.WholeEnd(d)
	for _, l := range d.LabelsIn(u.From, end) {
		if l.Item >= 0 && l.Item != u.Own-1 && d.InTask(l.Item, u.Own-1) {
			continue // a task may be about anything
		}
		u.settings(d, l)
		u.Statement(d, l)
		if strings.Contains(strings.ToLower(l.Value), "no changes expected") ||
			l.Name == "no changes expected" {
			u.AllowEmpty = true
		}
	}
	for _, h := range d.HeadingsIn(u.From+1, end) {
		if document.IsNeed(inline.Words(h.Text)) {
			u.Statement(d, document.Label{
				Line: h.Line, Offset: h.Offset, Name: inline.Words(h.Text), Item: -1, Loose: true,
			})
		}
	}
	for _, p := range d.ParagraphsIn(u.From, u.To) {
		if !u.AllowEmpty && strings.Contains(p.Raw, "o changes expected") {
			u.AllowEmpty = strings.Contains(strings.ToLower(p.Raw), "no changes expected")
		}
	}
}

// Statement reads one label that is about the phase.
func (u *Unit) Statement(d *document.Document, l document.Label) {
	ref := plan.Ref{Text: inline.References(l.Value), Pos: d.Pos(l.Offset), Weak: l.Loose}
	switch {
	case plan.IsWord("needs", l.Name), plan.IsWord("needs weak", l.Name):
		ref.Weak = ref.Weak || !plan.IsWord("needs", l.Name)
		u.Said = append(u.Said, labelRefs(d, l, ref)...)
	case plan.IsWord("beside", l.Name) && l.Value != "":
		u.Beside = append(u.Beside, ref)
	case plan.IsWord("blocks", l.Name) && l.Value != "":
		ref.Weak = true
		u.Unlocks = append(u.Unlocks, ref)
	case plan.IsWord("label status", l.Name) && l.Value != "":
		u.Stated = append(u.Stated, document.Cell{Raw: l.Value, Offset: l.Offset})
		if u.StatusAt.Raw == "" {
			u.StatusAt = document.Cell{Raw: l.Value, Offset: l.Offset}
			u.Status = document.StatusOf(l.Value)
		}
	case plan.IsWord("label estimate", l.Name) && u.Estimate.Text == "" && l.Value != "":
		u.Estimate = document.Estimate(ref.Text)
	}
}

// labelRefs is the value of a label, or, where it has none, the items of the list below it.
func labelRefs(d *document.Document, l document.Label, ref plan.Ref) []plan.Ref {
	if l.Value != "" {
		if at := strings.Index(ref.Text, ". "); at > 0 && ref.Text[at-1] != ' ' &&
			strings.Count(strings.TrimSpace(ref.Text[at+2:]), " ") > 1 {
			ref.Text = ref.Text[:at] // "Phase 9. Can run in parallel with 2"
		}
		return []plan.Ref{ref}
	}
	const most = 40 // lines
	var refs []plan.Ref
	end := l.Line + most
	if l.Item >= 0 {
		end = d.Items[l.Item].End
	}
	if list := d.ParagraphsIn(l.Line+1, l.Line+3); len(list) > 0 && list[0].Item < 0 && len(list[0].Raw) < 200 && !l.Bold {
		return []plan.Ref{{Text: inline.References(list[0].Raw), Pos: d.Pos(list[0].Offset), Weak: true}}
	}
	previous, boxes := l.Line, false
	for k, it := range d.ItemsIn(l.Line+1, end) {
		if boxes = boxes || k == 0 && it.Box != 0; it.Line > previous+2 || boxes != (it.Box != 0) {
			break // what is to be done begins
		}
		previous = it.End - 1
		refs = append(refs, plan.Ref{
			Text: inline.References(it.Raw), Pos: d.Pos(it.Offset), Weak: true,
		})
	}
	return refs
}

// meaning is the text of a phase without its progress: without the marks in its boxes, its status
// and its heading. The fingerprint has the name of the phase on its own.
func (u *Unit) meaning(d *document.Document) string {
	from := u.From
	if u.Own == 0 && u.Raw != "" {
		from++
	}
	text := d.Span(from, u.To)
	if text == "" {
		return "\n"
	}
	base := d.Lines[from-1]
	cuts := make([]document.Edit, 0, 8)
	for _, it := range d.ItemsIn(from, u.To) {
		switch {
		case it.EmojiSize > 0:
			cuts = append(cuts, document.Edit{
				From: it.BoxOffset - 1 - base,
				To:   it.BoxOffset - 1 - base + int(it.EmojiSize),
			})
		case it.Box != 0:
			cuts = append(cuts, document.Edit{From: it.BoxOffset - base, To: it.BoxOffset - base +
				1})
		}
	}
	for _, c := range u.Stated {
		if c.Offset >= base && c.Offset+len(c.Raw) <= base+len(text) {
			cuts = append(cuts,
				document.Edit{From: c.Offset - base, To: c.Offset - base + len(c.Raw)})
		}
	}
	return document.Apply(text, u.withoutDirectives(base, text, cuts))
}

// containsAny reports whether a text holds one of the parts.
func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}
