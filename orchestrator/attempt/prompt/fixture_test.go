package prompt

import (
	"testing"

	"autobuild/plan"
)

const nonce = "n0nce-of-this-attempt"

func phase(label, name, text string, tasks ...string) plan.DraftPhase {
	p := plan.DraftPhase{Phase: plan.Phase{Label: label, Name: name, Text: text, Pos: plan.Pos{Line: 1, Col: 1}}}
	for _, text := range tasks {
		p.Tasks = append(p.Tasks, plan.Task{Text: text})
	}
	p.Needs = []plan.Ref{{Text: "none"}}
	return p
}

func planOf(t testing.TB, phases ...plan.DraftPhase) *plan.Plan {
	t.Helper()
	p, err := plan.New(plan.Draft{Title: "A feature", Phases: phases})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
