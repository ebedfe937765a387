package section

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
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
		u.Begun = u.Begun || words.BoxStatus(it.Box) == plan.StatusInProgress
		if document.ClassAt(all, it.Line) == words.ClassCriteria {
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
	for _, l := range d.LabelsIn(u.From, u.WholeEnd(d)) {
		if l.Item >= 0 && l.Item != u.Own-1 && d.InTask(l.Item, u.Own-1) {
			continue // a task may be about anything
		}
		ref := plan.Ref{Text: inline.References(l.Value), Pos: d.Pos(l.Offset)}
		u.settings(d, l)
		switch {
		case slices.Contains(words.NeedLabels, l.Name) && !l.Loose && u.saidNeeds() == "":
			u.Needs = append(u.Needs, d.LabelRefs(l, ref)...)
		case slices.Contains(words.BesideLabels, l.Name):
			u.Beside = append(u.Beside, ref)
		case slices.Contains(words.BesideAnswers, l.Name):
			needs, beside := words.BesideAnswer(l.Value)
			if needs != "" && u.saidNeeds() == "" {
				u.Needs = append(u.Needs, plan.Ref{Text: needs, Pos: ref.Pos})
			}
			if beside != "" {
				u.Beside = append(u.Beside, plan.Ref{Text: beside, Pos: ref.Pos})
			}
		case slices.Contains(words.UnlockLabels, l.Name) && !l.Loose:
			u.Unlocks = append(u.Unlocks, ref)
		case slices.Contains(words.StatusLabels, l.Name) && l.Value != "":
			u.Stated = append(u.Stated, document.Cell{Raw: l.Value, Offset: l.Offset})
			if u.StatusAt.Raw == "" {
				u.StatusAt = document.Cell{Raw: l.Value, Offset: l.Offset}
				u.Status = words.FieldStatus(l.Value)
			}
		case slices.Contains(words.EstimateNames, l.Name) && u.Estimate.Text == "" && l.Value != "":
			u.Estimate = words.Estimate(ref.Text)
		}
		if strings.Contains(strings.ToLower(l.Value), "no changes expected") ||
			l.Name == "no changes expected" {
			u.AllowEmpty = true
		}
	}
	for _, p := range d.ParagraphsIn(u.From, u.To) {
		if !u.AllowEmpty && strings.Contains(p.Raw, "o changes expected") {
			u.AllowEmpty = strings.Contains(strings.ToLower(p.Raw), "no changes expected")
		}
	}
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
