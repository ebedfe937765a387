package workflow_test

import (
	"testing"

	"autobuild/orchestrator/plantest"
	"autobuild/plan"
	"autobuild/state"

	"autobuild/temporal/wire"
)

// edits are the plans of the scene's edits, in their order.
func (p *play) edits(t *testing.T) (plans []*plan.Plan) {
	t.Helper()
	for _, a := range p.asks {
		if a.edit != nil {
			plans = append(plans, plantest.New(t, a.edit...))
		}
	}
	return plans
}

// edit is an edit of the plan as it travels.
func (p *play) edit(edited *plan.Plan) *wire.Edit {
	attempts := p.opts.Policy.Attempts()
	run := &state.Run{Phases: make([]state.Phase, edited.Len())}
	return &wire.Edit{
		Phases: wire.Thin(edited, run, func(string) int { return attempts },
			func(plan.Phase) string { return "" }),
		Options: wire.ThinOptions(p.opts, attempts), Whole: wire.Whole(edited),
	}
}

// mirrorEdit goes by an edit as a starter does.
func (p *play) mirrorEdit(t *testing.T, e *wire.Event, run *state.Run, edits []*plan.Plan) {
	t.Helper()
	n := 0
	for i, a := range p.asks {
		if e.Command == ref(i) {
			break
		}
		if a.edit != nil {
			n++
		}
	}
	said := e.Text
	var err error
	p.plan, _, err = wire.WholeEdit(&e.Event, p.plan, run, p.opts, edits[n], p.opts)
	if err != nil || e.Text != said {
		t.Errorf("the edit is %q, and %q as it travelled: %v", e.Text, said, err)
	}
}
