// Package plantest makes small plans for tests of what decides about phases. A phase is one line:
// its label, the labels that it needs, an estimate. It does not know runs.
package plantest

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"autobuild/plan"
)

// fataler is a test that can be ended: a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// Diamond is the smallest plan with phases beside each other and one that needs both.
var Diamond = []string{"1", "2A: 1", "2B: 1", "3: 2A, 2B"}

// Draw is a random plan of 1 to 12 phases.
func Draw(t *rapid.T) *plan.Plan {
	n := rapid.IntRange(1, 12).Draw(t, "phases")
	lines := make([]string, n)
	for i := range n {
		var needs []string
		for j := range i {
			if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
				needs = append(needs, strconv.Itoa(j+1))
			}
		}
		lines[i] = strconv.Itoa(i+1) + ": " + strings.Join(needs, ", ")
	}
	return New(t, lines...)
}

// New reads phases as "LABEL: NEEDS; ESTIMATE", the latter two optional. A star behind the label
// marks it as done.
func New(t fataler, lines ...string) *plan.Plan {
	t.Helper()
	var draft plan.Draft
	for i, line := range lines {
		stated, weight, _ := strings.Cut(line, ";")
		label, needs, _ := strings.Cut(stated, ":")
		label, done := strings.CutSuffix(label, "*")
		p := plan.DraftPhase{Phase: plan.Phase{
			Label: label, Name: "phase", Text: stated,
			Pos: plan.Pos{Line: i + 1, Col: 1},
		}}
		if needs = strings.TrimSpace(needs); needs == "" {
			needs = "none"
		}
		p.Needs = []plan.Ref{{Text: needs, Pos: p.Pos}}
		if done {
			p.Status = plan.StatusDone
		}
		p.Estimate.Weight, _ = strconv.ParseFloat(strings.TrimSpace(weight), 64)
		draft.Phases = append(draft.Phases, p)
	}
	p, err := plan.New(draft)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
