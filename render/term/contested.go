package term

import (
	"fmt"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// contestedSection shows what contested phases changed, and why.
func contestedSection(d render.Overview, b *box) {
	phases := d.Contested()
	if len(phases) == 0 {
		return
	}
	b.section("CONTESTED", render.Warn)
	b.para("The plan does not ask for these changes of tests and gates. Look at them, then "+
		"accept each phase, or take its work out again and reset it. "+
		"The commands stand below.", render.PlainInk)
	b.blank()
	for _, p := range phases[:min(len(phases), foldDetail)] {
		items := render.ContestItems(p.Contested())
		b.leader(render.PhaseTitle(p), text.Count(len(items), "change"), render.Warn)
		for _, item := range items[:min(len(items), render.FoldContested)] {
			b.item(2, b.glyph.Warned, item)
		}
		if more := len(items) - render.FoldContested; more > 0 {
			b.para(fmt.Sprintf("  and %d more: %s", more,
				b.style.Command([]string{"autobuild", "explain", render.PhaseArg(p)})),
				render.Faint)
		}
		b.blank()
	}
	if more := phases[min(len(phases), foldDetail):]; len(more) > 0 {
		b.bounded(0, "Likewise:", text.JoinSome(render.Labels(more), render.FoldLabels), 3)
		b.blank()
	}
}

// item shows one item behind a mark or a name.
func (b *box) item(indent int, name string, t render.ContestItem) {
	for i, row := range t.Rows() {
		if i == 0 {
			b.bounded(indent, name, row.Text, 3)
			continue
		}
		b.bounded(indent+2, row.Name, row.Text, 3)
	}
}

// proofField shows what the phases' own tests prove, and how many phases were reviewed, where that
// was tried.
func proofField(d render.Overview, b *box) {
	if text := d.Proofs(); text != "" {
		b.field(0, "Proof:", text)
	}
	if text := d.Reviews(); text != "" {
		b.field(0, "Review:", text)
	}
}

// Accepted says what a person has just accepted of a phase, and why.
func Accepted(p *state.Phase, changes []state.RefereeChange, s render.Style) string {
	d := sayer{style: s}
	items := render.ContestItems(changes)
	content := fmt.Sprintf("phase %s: accepted, %s", p.Label, text.Count(len(items), "change"))
	if p.AcceptedWhy != "" {
		content += ", because: " + p.AcceptedWhy
	}
	d.line(0, "", content, render.PlainInk)
	for _, item := range items {
		for i, row := range item.Rows() {
			if i == 0 {
				d.line(2, "", row.Text, render.PlainInk)
				continue
			}
			d.line(4, row.Name+" ", row.Text, render.PlainInk)
		}
	}
	return text.DisarmLines(d.out.String())
}

// AcceptedBefore says that a person has accepted a phase already: when, and why.
func AcceptedBefore(p *state.Phase, s render.Style) string {
	d := sayer{style: s}
	d.line(0, "", fmt.Sprintf("phase %s was accepted on %s", p.Label, render.AcceptedWords(p, s)),
		render.PlainInk)
	return text.DisarmLines(d.out.String())
}
