package term

import (
	"testing"

	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// A gate that fails as it did before a phase is not called a failure of that phase, and where it is
// all there was, it proves nothing.
func TestFailsAsBefore(t *testing.T) {
	p := rendertest.FeaturePlan(t)
	before := func(how state.Comparison) state.Gate {
		return state.Gate{Name: "test", Kind: "test", Command: "make test", Status: state.GateFailed, Exit: 2, Before: how}
	}
	var run *state.Run
	text := told(t, p, func(x *rendertest.Story) {
		for i, how := range []state.Comparison{state.NotComparable, state.NotWorse} {
			id := rendertest.Label(i)
			x.Start(id)
			g := before(how)
			x.Tell(state.Event{Type: state.GateFinished, Phase: id, Gate: &g})
			a := state.Attempt{Verdict: state.Verified, Gates: []state.Gate{g}, Commit: &state.Commit{SHA: "0123456789", Message: "feat: " + id}}
			if how == state.NotComparable {
				a.Verdict = state.Unverified
			}
			x.Finish(id, a)
		}
		x.End(state.Done, "all phases complete")
		run = &x.Run
	})
	rendertest.Has(t, text, "gate     test fails as before, exit 2\n", "unverified: the gates failed before it as well, and prove nothing\n")
	rendertest.Lacks(t, text, "FAILED", "no gate was run")
	box := Done(run, render.Ending{}, render.Style{Width: 80})
	rendertest.Has(t, box, "unverified: the gates of 0 failed before as well, and prove")
	rendertest.Lacks(t, box, "no gate was run")
	e := rendertest.Explained(run, 0)
	rendertest.Has(t, Explain(e, render.Style{Width: 80}), "gate      test fails as before", "the gates failed before it as well")
}
