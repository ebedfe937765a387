package local

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// A phase that freezes ends the session; the next one does everything else, and one with another
// text all of it.
func TestFrozenSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		contradicts := true
		work := doer(func(_ context.Context, task state.Task) (state.Attempt, error) {
			if task.Phase.ID == "1" && contradicts {
				return tested(3)
			}
			return state.Attempt{Verdict: state.Verified}, nil
		})
		var run state.Run
		play := func(lines ...string) (halt *orchestrator.HaltError, story string) {
			t.Helper()
			p, heard, s := plantest.New(t, lines...), &deaf{}, fresh()
			if run.Config.RunID != "" {
				s.Decisions = orchestrator.Resume(p, &run, orchestrator.ResumeOptions{})
			}
			o := orchestra(p, work, heard)
			o.Options.Jobs = 1
			o.Options.Policy = whim{3, []failure.Decision{{Action: failure.Freeze, Rationale: "F5"}}}
			err := o.Run(t.Context(), &run, s)
			halt, halted := errors.AsType[*orchestrator.HaltError](err)
			if err != nil && !halted {
				t.Fatal(err)
			}
			return halt, strings.Join(heard.story(), ", ")
		}
		expect := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s:\n got %s\nwant %s", what, got, want)
			}
		}
		lines := []string{"1", "2: 1", "3", "4: 3"}
		halt, story := play(lines...)
		expect("it freezes", story, "run.started, phase.started 1, attempt.finished 1, phase.blocked 2, run.finished")
		expect("why", halt.Reason, "Phase 1 is frozen: F5")
		halt, story = play(lines...)
		expect("the others run", story, "run.started, phase.started 3, attempt.finished 3, phase.started 4, attempt.finished 4, run.finished")
		expect("why", halt.Reason, "Phase 1 is frozen: F5")
		halt, story = play(lines...)
		expect("nothing is left to run", story, "run.started, run.finished")
		expect("why", halt.Reason, "Phase 1 is frozen: F5")
		contradicts = false
		lines[0] = "1:;2"
		halt, story = play(lines...)
		expect("it has thawed", story,
			"run.started, phase.reset 1, phase.reset 2, phase.started 1, attempt.finished 1, phase.started 2, attempt.finished 2, run.finished")
		if halt != nil {
			t.Error(halt)
		}
	})
}
