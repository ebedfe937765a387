package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/state"
)

// foldContested is how many items of one phase a box shows.
const foldContested = 6

// contestItem is what a person decides about: changes of the referee with one cause, or a single one.
type contestItem struct {
	changes []state.RefereeChange
}

// contestItems puts the changes of one group together, in the order in which groups begin.
func contestItems(changes []state.RefereeChange) []contestItem {
	var items []contestItem
	at := map[string]int{}
	for _, c := range changes {
		key := string(c.Ruling) + " " + c.Group
		i, known := at[key]
		if c.Group == "" || !known {
			at[key] = len(items)
			items = append(items, contestItem{[]state.RefereeChange{c}})
			continue
		}
		items[i].changes = append(items[i].changes, c)
	}
	return items
}

// causeWords says what a change of each kind is, of one test or file and of several.
func causeWords(c state.RefereeCause) string {
	switch c {
	case state.CauseValue:
		return "expects another value"
	case state.CauseRemoved:
		return "removed"
	case state.CauseSkipped:
		return "skipped"
	case state.CauseEmptied:
		return "asserts less"
	case state.CauseAdapted:
		return "adapted"
	case state.CauseGate:
		return "gate changed"
	case state.CauseStronger:
		return "gate made stronger"
	case state.CauseLever:
		return "new file that could steer tests or gates"
	case state.CauseUnseen:
		return "not seen passing"
	case state.CauseAlone:
		return "fails without the phase's own tests and settings"
	case state.CauseSupport:
		return "file that tests use changed"
	}
	return strings.ReplaceAll(string(c), "_", " ")
}

// where names what changed: the test with its place, the file alone, or how many of them there are.
func (t contestItem) where() string {
	c := t.changes[0]
	if len(t.changes) == 1 {
		return located(c.Test, place(c.File, c.Line))
	}
	var names []string
	noun := "test"
	for _, c := range t.changes {
		if c.Test == "" {
			noun = "change"
		}
		if name := cmp.Or(c.Test, c.File); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return fmt.Sprintf("%s (%s)", count(len(t.changes), noun), some(names, 4))
}

// kinds says how it changed.
func (t contestItem) kinds() string {
	var causes []string
	for _, c := range t.changes {
		if word := causeWords(c.Cause); !slices.Contains(causes, word) {
			causes = append(causes, word)
		}
	}
	return strings.Join(causes, ", ")
}

// what says how it changed, with the old and new text of the first.
func (t contestItem) what() string {
	text := t.kinds()
	if first := t.changes[0].What; first != "" {
		text += ": " + first
	}
	return text
}

// itemRow is one row about an item; the name of the first row is empty.
type itemRow struct{ name, text string }

// rows are the item for a screen: what changed, the old and the new text, each on a row of its
// own, and the reason.
func (t contestItem) rows() []itemRow {
	c := t.changes[0]
	var rows []itemRow
	if c.Was == "" && c.Now == "" {
		rows = append(rows, itemRow{"", t.where() + ": " + t.what()})
	} else {
		rows = append(rows, itemRow{"", t.where() + ": " + t.kinds()}, itemRow{"was:", c.Was}, itemRow{"now:", c.Now})
	}
	if why := t.why(); why != "" {
		rows = append(rows, itemRow{t.speaker() + ":", why})
	}
	return rows
}

// why are the reasons that were given.
func (t contestItem) why() string {
	var reasons []string
	for _, c := range t.changes {
		if c.Why != "" && !slices.Contains(reasons, c.Why) {
			reasons = append(reasons, c.Why)
		}
	}
	return strings.Join(reasons, "; ")
}

// line is all of it on one line.
func (t contestItem) line() string {
	text := t.where() + ": " + t.what()
	if why := t.why(); why != "" {
		text += " (the " + t.speaker() + " says: " + why + ")"
	}
	return text
}

// speaker is who gave the reason.
func (t contestItem) speaker() string {
	if t.changes[0].Ruling == state.RulingAsked {
		return "plan"
	}
	return "agent"
}

// contestLines are the items of a phase or attempt, a line each.
func contestLines(changes []state.RefereeChange) []string {
	items := contestItems(changes)
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = item.line()
	}
	return lines
}

// ContestedLines are the changes of a complete phase that a person has to decide about, a line a cause. They hold foreign text.
func ContestedLines(p *state.Phase) []string { return contestLines(p.Contested()) }

// contested are the phases that a person has to decide about, in the plan's order.
func (d account) contested() []*state.Phase {
	var out []*state.Phase
	for _, p := range d.by[state.Complete] {
		if len(p.Contested()) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// disputed shows what contested phases changed, and why.
func (d account) disputed(b *box) {
	phases := d.contested()
	if len(phases) == 0 {
		return
	}
	b.section("CONTESTED", warn)
	b.para("The plan does not ask for these changes of tests and gates. Look at them, then accept each phase, or take its work out again and reset it. "+
		"The commands stand below.", plainInk)
	b.blank()
	for _, p := range phases[:min(len(phases), foldDetail)] {
		items := contestItems(p.Contested())
		b.leader(heading(p), count(len(items), "change"), warn)
		for _, item := range items[:min(len(items), foldContested)] {
			b.item(2, b.glyph.warned, item)
		}
		if more := len(items) - foldContested; more > 0 {
			b.para(fmt.Sprintf("  and %d more: %s", more, b.style.command([]string{"autobuild", "explain", typed(p)})), faint)
		}
		b.blank()
	}
	if more := phases[min(len(phases), foldDetail):]; len(more) > 0 {
		b.bounded(0, "Likewise:", some(labels(more), foldLabels), 3)
		b.blank()
	}
}

// accepting are the commands that take what is contested.
func (d account) accepting(e Ending, s Style) []string {
	phases := d.contested()
	if len(phases) == 0 {
		return nil
	}
	words := append(program(e), "accept")
	for _, p := range phases {
		words = append(words, typed(p))
	}
	return []string{s.command(words)}
}

// item shows one item behind a mark or a name.
func (b *box) item(indent int, name string, t contestItem) {
	for i, row := range t.rows() {
		if i == 0 {
			b.bounded(indent, name, row.text, 3)
			continue
		}
		b.bounded(indent+2, row.name, row.text, 3)
	}
}

// proofWord is what a phase's own tests prove, in a few words; empty where nothing was tried.
func proofWord(p state.Proof) string {
	switch p {
	case state.ProofRedGreen:
		return "red before, green after"
	case state.ProofRegression:
		return "older tests only"
	case state.ProofNone:
		return "no test of its own"
	}
	return ""
}

// proofs says how many complete phases each proof is there for; empty where none was tried.
func (d account) proofs() string {
	n := map[state.Proof]int{}
	for _, p := range d.by[state.Complete] {
		a, _ := p.Last()
		n[a.Proof]++
	}
	var parts []string
	for _, proof := range []state.Proof{state.ProofRedGreen, state.ProofRegression, state.ProofNone} {
		if n[proof] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[proof], proofWord(proof)))
		}
	}
	return strings.Join(parts, "; ")
}

// proved shows what the phases' own tests prove, where that was tried.
func (d account) proved(b *box) {
	if text := d.proofs(); text != "" {
		b.field(0, "Proof:", text)
	}
}

// contestedRemarks says of each contested phase, on a line each, that a person has to decide.
func (d account) contestedRemarks() []string {
	var out []string
	for _, p := range d.contested() {
		items := contestItems(p.Contested())
		text := fmt.Sprintf("contested: %s changed its own tests or gates, and the plan does not ask for it: %s", heading(p), items[0].line())
		if more := len(items) - 1; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		out = append(out, text)
	}
	return out
}

// rulingWords says what became of a change of the referee.
func rulingWords(r state.RefereeRuling) string {
	switch r {
	case state.RulingRecorded:
		return "recorded"
	case state.RulingAdapted:
		return "adapted"
	case state.RulingAsked:
		return "asked for"
	case state.RulingContested:
		return "contested"
	case state.RulingRefused:
		return "refused"
	}
	return string(r)
}

// referee tells what an attempt changed of what judges it, the contested changes first.
func (x *explanation) referee(a state.Attempt) {
	if len(a.Referee) == 0 {
		return
	}
	x.section("What it changed of its own tests and gates")
	if !x.p.Accepted.IsZero() {
		x.fact("accepted", acceptedWords(x.p, x.style))
	}
	for _, ruling := range []state.RefereeRuling{
		state.RulingContested, state.RulingRefused, state.RulingAsked, state.RulingAdapted, state.RulingRecorded,
	} {
		x.ruled(ruling, a.Referee)
	}
}

// ruled shows the changes of one ruling, the first ten of them.
func (x *explanation) ruled(ruling state.RefereeRuling, changes []state.RefereeChange) {
	const most = 10
	shown, all := 0, 0
	name := rulingWords(ruling)
	for _, item := range contestItems(changes) {
		if item.changes[0].Ruling != ruling {
			continue
		}
		if all++; all > most {
			continue
		}
		shown++
		for _, row := range item.rows() {
			x.fact(name, strings.TrimSpace(row.name+" "+row.text))
			name = ""
		}
	}
	if all > shown {
		x.fact("", fmt.Sprintf("%s and %d more", x.style.glyphs().more, all-shown))
	}
}

// acceptedWords say when a person accepted the contested changes, and why.
func acceptedWords(p *state.Phase, s Style) string {
	text := s.stamp(p.Accepted, "2006-01-02 15:04")
	if p.AcceptedWhy != "" {
		text += ", because: " + p.AcceptedWhy
	}
	return text
}

// Accepted says what a person has just accepted of a phase, and why.
func Accepted(p *state.Phase, changes []state.RefereeChange, s Style) string {
	d := sayer{style: s}
	items := contestItems(changes)
	text := fmt.Sprintf("phase %s: accepted, %s", p.Label, count(len(items), "change"))
	if p.AcceptedWhy != "" {
		text += ", because: " + p.AcceptedWhy
	}
	d.line(0, "", text, plainInk)
	for _, item := range items {
		for i, row := range item.rows() {
			if i == 0 {
				d.line(2, "", row.text, plainInk)
				continue
			}
			d.line(4, row.name+" ", row.text, plainInk)
		}
	}
	return screen(d.out.String())
}

// AcceptedBefore says that a person has accepted a phase already: when, and why.
func AcceptedBefore(p *state.Phase, s Style) string {
	d := sayer{style: s}
	d.line(0, "", fmt.Sprintf("phase %s was accepted on %s", p.Label, acceptedWords(p, s)), plainInk)
	return screen(d.out.String())
}
