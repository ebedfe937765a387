package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/state"
)

// FoldContested is how many items of one phase a box shows.
const FoldContested = 6

// ContestItem is the subject of one decision of the user: changes of the referee with one cause, or
// a single one.
type ContestItem struct {
	changes []state.RefereeChange
}

// ContestItems puts the changes of one group together, in the order in which groups begin.
func ContestItems(changes []state.RefereeChange) []ContestItem {
	var items []ContestItem
	at := map[string]int{}
	for _, c := range changes {
		key := string(c.Ruling) + " " + c.Group
		i, known := at[key]
		if c.Group == "" || !known {
			at[key] = len(items)
			items = append(items, ContestItem{[]state.RefereeChange{c}})
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
	case state.CauseReview:
		return "answers a reviewer's finding"
	}
	return strings.ReplaceAll(string(c), "_", " ")
}

// where names what changed: the test with its place, the file alone, or how many of them there are.
func (t ContestItem) where() string {
	c := t.changes[0]
	if len(t.changes) == 1 {
		return located(c.Test, FileLine(c.File, c.Line))
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
	return fmt.Sprintf("%s (%s)", text.Count(len(t.changes), noun), text.JoinSome(names, 4))
}

// kinds says how it changed.
func (t ContestItem) kinds() string {
	var causes []string
	for _, c := range t.changes {
		if word := causeWords(c.Cause); !slices.Contains(causes, word) {
			causes = append(causes, word)
		}
	}
	return strings.Join(causes, ", ")
}

// what describes the change, with the old and new text of the first.
func (t ContestItem) what() string {
	text := t.kinds()
	if first := t.changes[0].What; first != "" {
		text += ": " + first
	}
	return text
}

// ItemRow is one row about an item; the name of the first row is empty.
type ItemRow struct{ Name, Text string }

// Rows are the item for a screen: the change, the old and the new text, each on a row of its own,
// and the reason.
func (t ContestItem) Rows() []ItemRow {
	c := t.changes[0]
	var rows []ItemRow
	if c.Was == "" && c.Now == "" {
		rows = append(rows, ItemRow{"", t.where() + ": " + t.what()})
	} else {
		rows = append(rows, ItemRow{"", t.where() + ": " + t.kinds()}, ItemRow{"was:", c.Was},
			ItemRow{"now:", c.Now})
	}
	if why := t.why(); why != "" {
		rows = append(rows, ItemRow{t.speaker() + ":", why})
	}
	return rows
}

// why are the reasons that were given.
func (t ContestItem) why() string {
	var reasons []string
	for _, c := range t.changes {
		if c.Why != "" && !slices.Contains(reasons, c.Why) {
			reasons = append(reasons, c.Why)
		}
	}
	return strings.Join(reasons, "; ")
}

// line is all of it on one line.
func (t ContestItem) line() string {
	text := t.where() + ": " + t.what()
	if why := t.why(); why != "" {
		text += " (the " + t.speaker() + " says: " + why + ")"
	}
	return text
}

// speaker names the source of the reason.
func (t ContestItem) speaker() string {
	if t.changes[0].Ruling == state.RulingAsked {
		return "plan"
	}
	return "agent"
}

// ContestedPlan says that a run went by a plan that an agent can have changed, and what to do.
const ContestedPlan = "it was edited while an agent that can write it was at work, and the run went " +
	"by that. Look at the file. If the edit is yours, resume with --resume=edited; else put it back " +
	"and resume"

// ContestLines are the changes that a person has to decide about, a line a cause. They hold foreign
// text.
func ContestLines(changes []state.RefereeChange) []string {
	items := ContestItems(changes)
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = item.line()
	}
	return lines
}

// Contested are the phases that a person has to decide about, in the plan's order.
func (d Overview) Contested() []*state.Phase {
	var out []*state.Phase
	for _, p := range d.ByStatus[state.Complete] {
		if len(p.Contested()) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// AcceptCommands are the commands that take what is contested.
func (d Overview) AcceptCommands(e Ending, s Style) []string {
	phases := d.Contested()
	if len(phases) == 0 {
		return nil
	}
	words := append(ProgramOf(e), "accept")
	for _, p := range phases {
		words = append(words, PhaseArg(p))
	}
	return []string{s.Command(words)}
}

// ProofWord is the result of a phase's own tests as a proof, in a few words; empty where nothing
// was tried.
func ProofWord(p state.Proof) string {
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

// Proofs says how many complete phases each proof is there for; empty where none was tried.
func (d Overview) Proofs() string {
	n := map[state.Proof]int{}
	for _, p := range d.ByStatus[state.Complete] {
		a, _ := p.Last()
		n[a.Proof]++
	}
	var parts []string
	for _, proof := range []state.Proof{
		state.ProofRedGreen, state.ProofRegression,
		state.ProofNone,
	} {
		if n[proof] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[proof], ProofWord(proof)))
		}
	}
	return strings.Join(parts, "; ")
}

// ContestedRemarks says of each contested phase, on a line each, that a person has to decide.
func (d Overview) ContestedRemarks() []string {
	var out []string
	for _, p := range d.Contested() {
		items := ContestItems(p.Contested())
		text := fmt.Sprintf(
			"contested: %s changed its own tests or gates, and the plan does not ask for it: %s",
			PhaseTitle(p), items[0].line())
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

// referee lists an attempt's changes of tests and gates, the contested ones first.
func (x *explanation) referee(a state.Attempt) {
	if len(a.Referee) == 0 {
		return
	}
	x.section("What it changed of its own tests and gates")
	if !x.p.Accepted.IsZero() {
		x.fact("accepted", AcceptedWords(x.p, x.style))
	}
	for _, ruling := range []state.RefereeRuling{
		state.RulingContested, state.RulingRefused, state.RulingAsked, state.RulingAdapted,
		state.RulingRecorded,
	} {
		x.ruled(ruling, a.Referee)
	}
}

// ruled shows the changes of one ruling, the first ten of them.
func (x *explanation) ruled(ruling state.RefereeRuling, changes []state.RefereeChange) {
	const most = 10
	shown, all := 0, 0
	name := rulingWords(ruling)
	for _, item := range ContestItems(changes) {
		if item.changes[0].Ruling != ruling {
			continue
		}
		if all++; all > most {
			continue
		}
		shown++
		for _, row := range item.Rows() {
			x.fact(name, strings.TrimSpace(row.Name+" "+row.Text))
			name = ""
		}
	}
	if all > shown {
		x.fact("", fmt.Sprintf("%s and %d more", x.style.Marks().More, all-shown))
	}
}

// AcceptedWords say when a person accepted the contested changes, and why.
func AcceptedWords(p *state.Phase, s Style) string {
	text := s.Stamp(p.Accepted, "2006-01-02 15:04")
	if p.AcceptedWhy != "" {
		text += ", because: " + p.AcceptedWhy
	}
	return text
}
