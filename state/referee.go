package state

import "strings"

// RefereeChange is one change of the referee: of a test, a gate or a file that steers either
// (SPEC.md 7).
type RefereeChange struct {
	Ruling RefereeRuling `json:"ruling"`
	Cause  RefereeCause  `json:"cause"`
	File   string        `json:"file"`
	Line   int           `json:"line,omitzero"`  // in the new file, else in the old one; 0: the whole file
	Test   string        `json:"test,omitzero"`  // the test's name, or the key of a configuration
	What   string        `json:"what"`           // the change in one line: the old and the new text
	Was    string        `json:"was,omitzero"`   // the old text alone, where What compares two; cut to 120 bytes
	Now    string        `json:"now,omitzero"`   // the new text alone, where What compares two; cut to 120 bytes
	Why    string        `json:"why,omitzero"`   // the words of the plan that ask for it, or the agent's reason
	Group  string        `json:"group,omitzero"` // changes with one cause have the same group; empty: alone
}

// RefereeRuling is the ruling on a change of the referee.
type RefereeRuling string

// The rulings.
const (
	// harmless: the base's referee still passes, or nothing is weaker
	RulingRecorded RefereeRuling = "recorded"
	// follows a changed interface with the same assertions and values
	RulingAdapted RefereeRuling = "adapted"
	RulingAsked   RefereeRuling = "asked_for" // the phase's section asks for it
	// named by the agent with a reason, unasked: a person decides
	RulingContested RefereeRuling = "contested"
	RulingRefused   RefereeRuling = "refused" // unasked and unnamed: the attempt fails
)

// RefereeCause is the kind of a change.
type RefereeCause string

// The causes.
const (
	// a test that passes on the base fails there: it expects something else now
	CauseValue   RefereeCause = "changed_value"
	CauseRemoved RefereeCause = "removed" // a test is gone
	CauseSkipped RefereeCause = "skipped" // a test is there and does not run
	CauseEmptied RefereeCause = "emptied" // a test is there and asserts less
	CauseAdapted RefereeCause = "adapted" // a test follows a changed interface
	// a gate, or what decides its meaning, is weaker or not clearly stronger
	CauseGate RefereeCause = "gate_changed"
	// strictly added checks, comments, keys that no gate reads
	CauseStronger RefereeCause = "gate_stronger"
	// a new file could shadow a runner, a module or a program
	CauseLever RefereeCause = "lever_added"
	// a test that passed on the base was not seen passing
	CauseUnseen RefereeCause = "not_seen"
	// the base's tests pass only together with the phase's own tests and settings
	CauseAlone   RefereeCause = "fails_alone"
	CauseSupport RefereeCause = "support_changed" // a helper, fixture or snapshot that tests use
)

// ClaimedChange is a change of the referee as the agent names it in its result block.
type ClaimedChange struct {
	File string `json:"file"`
	Test string `json:"test,omitzero"` // empty: the whole file
	Why  string `json:"why"`
}

// Proof says whether the phase's own tests fail on its base's code.
type Proof string

// The proofs. The zero value means that nothing was tried.
const (
	// at least one new or changed test fails on the base's code and passes on the work
	ProofRedGreen   Proof = "red_green"
	ProofRegression Proof = "regression" // only tests that pass on the base's code too
	ProofNone       Proof = "none"       // no test ran
)

// Contested are the changes of an attempt that a person has to decide about.
func (a Attempt) Contested() []RefereeChange {
	var out []RefereeChange
	for _, c := range a.Referee {
		if c.Ruling == RulingContested {
			out = append(out, c)
		}
	}
	return out
}

// Contested are the changes of a complete phase that a person still has to decide about.
func (p *Phase) Contested() []RefereeChange {
	n := len(p.Attempts)
	if n == 0 || p.Status != Complete || !p.Accepted.IsZero() ||
		len(p.Attempts[n-1].Referee) == 0 { // no copy: Totals asks all phases at each event
		return nil
	}
	return p.Attempts[n-1].Contested()
}

// settleContest brings the last end up to date after an acceptance: once nothing is contested any
// more, a run that ended for that reason alone is complete.
func (r *Run) settleContest() {
	if r.End == nil {
		return
	}
	end := *r.End
	end.Totals.Contested = r.Totals().Contested
	if end.Exit == ExitUnproven && end.Totals.Contested == 0 && end.Totals.Unverified == 0 {
		end.Exit = 0
	}
	r.End = &end
}

// Place is where a change is: its file, and the test or key in it.
func (c RefereeChange) Place() string {
	if c.Test == "" {
		return c.File
	}
	return c.File + ": " + c.Test
}

// ContestedAt are contested changes of which only their places are known.
func ContestedAt(places []string) []RefereeChange {
	var changes []RefereeChange
	for _, at := range places {
		file, test, _ := strings.Cut(at, ": ")
		changes = append(changes, RefereeChange{
			Ruling: RulingContested, Cause: CauseUnseen, File: file, Test: test,
			What: "contested when it landed; the record of what changed is lost",
		})
	}
	return changes
}
