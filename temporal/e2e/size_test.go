//go:build linux

package e2e

import (
	"context"
	"strconv"
	"testing"
	"time"

	"autobuild/orchestrator"
	"autobuild/state"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"

	"autobuild/temporal/wire"
	"autobuild/temporal/worker"
)

// A run of 5,000 phases whose attempts do nothing ends within Temporal's limits.
func TestSize(t *testing.T) {
	needsLong(t)
	l := newLab(t)
	const phases, width = 5000, 100
	in := wire.Input{
		Run: "size", Session: 1, Queue: "size", Lease: 60, Seq: 1, Listing: wire.Noted, Rows: true,
		Options: wire.Options{Jobs: width, Schedule: orchestrator.Eager, Attempts: 2},
	}
	for i := range phases {
		p := wire.Phase{ID: strconv.Itoa(i), Label: strconv.Itoa(i), Name: "a phase with a title", Attempts: 2}
		if i >= width {
			p.Needs = []string{strconv.Itoa(i - width)}
		}
		in.Phases = append(in.Phases, p)
	}
	w := sdkworker.New(l.conn, in.Queue, sdkworker.Options{})
	worker.RegisterWorkflow(w)
	land := func(_ context.Context, e wire.Errand) (wire.Outcome, error) {
		return wire.Outcome{
			Worker: "w", Ref: wire.Ref{Key: e.Key, Attempt: e.Attempt, Record: e.Key, Commit: e.Key},
			Result: state.Result{Attempt: state.Attempt{
				Verdict: state.Verified, Commit: &state.Commit{SHA: e.Key},
			}},
		}, nil
	}
	w.RegisterActivityWithOptions(land, activity.RegisterOptions{Name: wire.Attempt})
	row := func(ctx context.Context, all []wire.Errand) (done []wire.Outcome, _ error) {
		for _, e := range all {
			out, _ := land(ctx, e)
			done = append(done, out)
		}
		return done, nil
	}
	w.RegisterActivityWithOptions(row, activity.RegisterOptions{Name: wire.Row})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	begun := time.Now()
	run, err := l.conn.ExecuteWorkflow(t.Context(), sdk.StartWorkflowOptions{
		ID: "size", TaskQueue: in.Queue,
	}, wire.Workflow, in)
	if err != nil {
		t.Fatal(err)
	}
	var out wire.Output
	if err = run.Get(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begun)
	if out.Cause != orchestrator.Completed || out.First+len(out.Tail) != 2*phases {
		t.Errorf("cause %d after %d events", out.Cause, out.First+len(out.Tail))
	}
	links, events, largest := l.chain("size")
	t.Logf("%d phases: %s, %d events in %d links, the largest input %d kB", phases,
		took.Round(time.Second), events, links, largest>>10)
	if largest > 2<<20 {
		t.Errorf("an input of %d bytes is more than Temporal takes", largest)
	}
}

// chain measures the links of a workflow, from its last one back.
func (l *lab) chain(id string) (links, events, largest int) {
	l.t.Helper()
	seen, err := l.conn.DescribeWorkflowExecution(l.t.Context(), id, "")
	if err != nil {
		l.t.Fatal(err)
	}
	last := seen.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	for last != "" {
		links++
		history := l.conn.GetWorkflowHistory(l.t.Context(), id, last, false,
			enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for last = ""; history.HasNext(); events++ {
			e, err := history.Next()
			if err != nil {
				l.t.Fatal(err)
			}
			if began := e.GetWorkflowExecutionStartedEventAttributes(); began != nil {
				last = began.GetContinuedExecutionRunId()
				for _, p := range began.GetInput().GetPayloads() {
					largest = max(largest, len(p.GetData()))
				}
			}
		}
	}
	return links, events, largest
}
