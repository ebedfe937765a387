package workflow_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"autobuild/state"
	"github.com/stretchr/testify/mock"

	"autobuild/temporal/wire"
)

// rowOf integrates the first two works of a row.
func rowOf(
	integrate func(context.Context, wire.Errand) (wire.Outcome, error),
) func(context.Context, []wire.Errand) ([]wire.Outcome, error) {
	return func(ctx context.Context, row []wire.Errand) (done []wire.Outcome, err error) {
		for _, e := range row[:min(len(row), 2)] {
			out, err := integrate(ctx, e)
			if err != nil {
				return done, err
			}
			done = append(done, out)
		}
		return done, nil
	}
}

// Works that are ready are integrated in one row, each once, in the order in which they were ready.
func TestRows(t *testing.T) {
	const phases = 40
	var lines []string
	for i := range phases {
		lines = append(lines, string(rune('A'+i/26))+string(rune('A'+i%26)))
	}
	env, in := staged(t, lines, nil)
	in.Options.Jobs = phases
	var rows, landed []string
	fails, interrupted := true, true
	integrate := rowOf(func(_ context.Context, e wire.Errand) (wire.Outcome, error) {
		r, _ := step{}.result(e.Phase, e.Attempt, env.Now())
		landed = append(landed, e.Phase)
		return wire.Outcome{Result: state.Result{Attempt: wire.ThinAttempt(r.Attempt)}, Ref: e.Ref}, nil
	})
	env.OnActivity(wire.Row, mock.Anything, mock.Anything).After(time.Second).Return(
		func(ctx context.Context, row []wire.Errand) ([]wire.Outcome, error) {
			if len(row) > wire.MaxRow {
				t.Errorf("a row of %d works", len(row))
			}
			rows = append(rows, row[0].Phase)
			switch {
			case len(landed) > 4 && fails:
				fails = false
				return nil, errors.New("no way to the remote")
			case len(landed) > 8 && interrupted:
				interrupted = false
				return []wire.Outcome{{Interrupted: true}}, nil
			}
			return integrate(ctx, row)
		})
	_, events := played(t, env, in)
	if events[state.AttemptFinished] != phases || len(landed) != phases {
		t.Errorf("%v; landed: %v", events, landed)
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(landed)))
	if len(sorted) != phases || fails || interrupted || len(rows) > phases/2+3 {
		t.Errorf("%d of them once, in %d rows: %s; %t %t", len(sorted), len(rows), strings.Join(rows, " "), fails, interrupted)
	}
}
