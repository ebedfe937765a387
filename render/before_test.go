package render

import (
	"testing"

	"autobuild/state"
)

// A gate that fails as it did before a phase is not called a failure of that phase, and where it is all there was, it proves nothing.
func TestFailsAsBefore(t *testing.T) {
	p := feature(t)
	before := func(how state.Comparison) state.Gate {
		return state.Gate{Name: "test", Kind: "test", Command: "make test", Status: state.GateFailed, Exit: 2, Before: how}
	}
	var run *state.Run
	text := told(t, p, func(x *tale) {
		for i, how := range []state.Comparison{state.NotComparable, state.NotWorse} {
			id := label(i)
			x.start(id)
			g := before(how)
			x.tell(state.Event{Type: state.GateFinished, Phase: id, Gate: &g})
			a := state.Attempt{Verdict: state.Verified, Gates: []state.Gate{g}, Commit: &state.Commit{SHA: "0123456789", Message: "feat: " + id}}
			if how == state.NotComparable {
				a.Verdict = state.Unverified
			}
			x.finish(id, a)
		}
		x.end(state.Done, "all phases complete")
		run = &x.run
	})
	has(t, text, "gate     test fails as before, exit 2\n", "unverified: the gates failed before it as well, and prove nothing\n")
	lacks(t, text, "FAILED", "no gate was run")
	box := Done(run, Ending{}, Style{Width: 80})
	has(t, box, "unverified: the gates of 0 failed before as well, and prove")
	lacks(t, box, "no gate was run")
	e := explained(run, 0)
	has(t, Explain(e, Style{Width: 80}), "gate      test fails as before", "the gates failed before it as well")
}
