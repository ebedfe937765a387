package local

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// elsewhere is a run that goes on elsewhere and has recorded these events.
type elsewhere struct {
	events []state.Event
	ending orchestrator.Ending
	err    error
}

func (e elsewhere) Follow(
	_ context.Context, _ *state.Run, _ orchestrator.Options, emit func(state.Event) bool,
) (orchestrator.Ending, []state.Gate, error) {
	for _, event := range e.events {
		if !emit(event) {
			break
		}
	}
	return e.ending, nil, e.err
}

// What happens elsewhere is recorded with its own time and ends as a run on this machine.
func TestFollow(t *testing.T) {
	then := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	done := &state.Attempt{N: 1, Verdict: state.Verified, Commit: &state.Commit{Message: "done"}}
	started := state.Event{Type: state.PhaseStarted, Phase: "1", Attempt: 1, Time: then}
	finished := state.Event{Type: state.AttemptFinished, Phase: "1", Result: done, Time: then}
	for _, test := range []struct {
		name  string
		of    elsewhere
		story []string
		fails bool
	}{
		{"complete", elsewhere{
			events: []state.Event{started, finished},
			ending: orchestrator.Ending{Cause: orchestrator.Completed},
		}, []string{"run.started", "phase.started 1", "attempt.finished 1", "run.finished"}, false},
		{
			"its end is unknown",
			elsewhere{events: []state.Event{started}, err: errors.New("no answer")},
			[]string{"run.started", "phase.started 1"},
			true,
		},
	} {
		heard, run, session := new(deaf), new(state.Run), fresh()
		engine := orchestra(plantest.New(t, "1"), hand{}, heard)
		err := engine.Follow(t.Context(), run, &session, test.of)
		if (err != nil) != test.fails || !slices.Equal(heard.story(), test.story) {
			t.Errorf("%s: %v, %v", test.name, err, heard.story())
		}
		if p := run.Phases[0]; !p.Started.Equal(then) {
			t.Errorf("%s: phase 1 was started at %s", test.name, p.Started)
		}
	}
}
