package term

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// TestOneWriteAnEvent: lines of one event reach the pipe together, or not at all.
func TestOneWriteAnEvent(t *testing.T) {
	var out rendertest.Writer
	sink := Plain{W: &out}
	rendertest.Halted(t, func(e state.Event, run *state.Run) {
		before := out.Writes
		rendertest.Check(t, sink.Event(e, run))
		if n := out.Writes - before; n > 1 {
			t.Errorf("%s: %d writes", e.Type, n)
		}
	})
	if !strings.HasSuffix(out.Text.String(), "\n") || out.Writes == 0 {
		t.Errorf("%d writes, ends %q", out.Writes, out.Text.String())
	}
}

// TestClosedPipe: a reader that went away stops the lines, not the run.
func TestClosedPipe(t *testing.T) {
	var lines, docs rendertest.Writer
	lines.Left, docs.Left = 3, 3
	plain, doc := Plain{W: &lines}, render.JSON{W: &docs}
	rendertest.Halted(t, func(e state.Event, run *state.Run) {
		rendertest.Check(t, plain.Event(e, run))
		rendertest.Check(t, doc.Event(e, run))
	})
	if !errors.Is(plain.Err(), io.ErrClosedPipe) || !errors.Is(doc.Err(), io.ErrClosedPipe) {
		t.Errorf("errors %v and %v", plain.Err(), doc.Err())
	}
	if lines.Writes != 3 || docs.Writes != 3 {
		t.Errorf("%d and %d writes to a closed pipe", lines.Writes-3, docs.Writes-3)
	}
}

// TestRetryWaitsForSiblings: the notice names the phases that a retry waits for, and the kept work.
func TestRetryWaitsForSiblings(t *testing.T) {
	text := told(t, rendertest.FeaturePlan(t), func(x *rendertest.Story) {
		rendertest.Ready(x)
		x.Complete("2c", "test: more")
		x.Fail("2a", failure.Retry)
		x.Complete("2b", "feat: ui")
	})
	rendertest.Has(t, text,
		"2A  next     retry once 2B has finished; 2C complete and kept\n",
		"2A  next     retry with the error as context; 2B and 2C complete and kept\n")
}

// TestSeveralFail: retries that run side by side are announced in one line.
func TestSeveralFail(t *testing.T) {
	text := told(t, rendertest.FeaturePlan(t), func(x *rendertest.Story) {
		rendertest.Ready(x)
		x.Fail("2a", failure.Retry)
		x.Fail("2b", failure.Retry)
		x.Complete("2c", "test: more")
		x.Start("2a")
		x.Start("2b")
		x.Complete("2a", "feat: api")
		x.Fail("2b", failure.Fail)
	})
	rendertest.Has(t, text,
		"2A  next     retry once 2B and 2C have finished\n",
		"2B  next     retry once 2C has finished\n",
		"..  next     2A and 2B failed: retrying them side by side; 2C complete and kept\n",
		"2A  retry    Backend (attempt 2/2), told of its test_failure\n",
		"2B  next     no retry: the second failure of the same attempt is final; halting\n")
}

// TestHaltWaitsForTheRunning: a failure without a retry names the phases that may still finish.
func TestHaltWaitsForTheRunning(t *testing.T) {
	text := told(t, rendertest.FeaturePlan(t), func(x *rendertest.Story) {
		rendertest.Ready(x)
		x.Fail("2a", failure.Fail)
	})
	rendertest.Has(t, text, "halting: nothing new starts, 2B and 2C may finish\n")
}

// TestEagerHasNoBatches: an eager schedule retries at once and has no headings.
func TestEagerHasNoBatches(t *testing.T) {
	text := told(t, rendertest.FeaturePlan(t), func(x *rendertest.Story) {
		x.Run.Config.Schedule = "eager"
		x.Start("0")
		x.Fail("0", failure.Retry)
	})
	rendertest.Has(t, text, "0   next     retry at once\n")
	rendertest.Lacks(t, text, "batch    ")
}

// TestHeartbeat: a heartbeat shows the running phases and their last sign of life; activity alone
// prints nothing.
func TestHeartbeat(t *testing.T) {
	text := told(t, rendertest.FeaturePlan(t), func(x *rendertest.Story) {
		rendertest.Ready(x)
		before := len(x.Events)
		x.Tell(state.Event{Type: state.Activity, Phase: "2a", Text: "npm \x1b[31mtest\n::error::x"})
		x.Tell(state.Event{Type: state.GateStarted, Phase: "2b", Gate: &state.Gate{Name: "lint"}})
		if len(x.Events) != before+2 {
			t.Fatal("the story lost events")
		}
		x.Now = x.Now.Add(time.Hour)
		x.Tell(state.Event{Type: state.Heartbeat})
	})
	rendertest.Has(t, text, "..  running  2A 1h00m (npm test ::error::x), 2B 1h00m (gate lint), 2C 1h00m\n")
	if n := strings.Count(text, "npm"); n != 1 {
		t.Errorf("the activity is told %d times", n)
	}
}

// TestNoGatesYet: phases may bring gates, so a run that begins with none does not promise that
// there will be none.
func TestNoGatesYet(t *testing.T) {
	var out strings.Builder
	sink, run := Plain{W: &out}, state.Run{}
	rendertest.Check(t, sink.Event(state.Event{Type: state.RunStarted, Config: &state.Config{Schema: state.Schema, RunID: "r"}}, &run))
	rendertest.Has(t, out.String(), "gates    each phase's own, and those that its work brings; one without any completes unverified\n")

	p := rendertest.FeaturePlan(t)
	rendertest.Has(t, DryRun(p, &state.Run{Config: state.Config{Schema: state.Schema}}, render.Style{Width: 120}), "gates      each phase's own, ")
	text := DryRun(p, &state.Run{Config: state.Config{Plan: "plan.md"}}, render.Style{})
	rendertest.Has(t, text, "gates      unknown\n")
	rendertest.Lacks(t, text, noGates)
}

func TestLimitsInterruptionsAndResets(t *testing.T) {
	text := told(t, rendertest.FeaturePlan(t), func(x *rendertest.Story) {
		x.Start("0")
		x.Finish("0", state.Attempt{
			Failure:  &failure.Diagnosis{Type: failure.UsageLimit, Message: "limit reached"},
			Decision: &failure.Decision{Action: failure.Wait, Until: rendertest.Midnight.Add(time.Hour)},
		})
		x.Start("0")
		x.Tell(state.Event{Type: state.PhaseInterrupted, Phase: "0"})
		x.Tell(state.Event{Type: state.PhaseReset, Phase: "0", Text: "resumed"})
		x.Tell(state.Event{Type: state.PhaseSkipped, Phase: "1", Text: "left out by --skip"})
		x.Tell(state.Event{Type: state.Notice, Text: "main moved"})
		x.End(state.Interrupted, "interrupted by Ctrl-C")
	})
	rendertest.Has(t, text,
		"0   waiting  the agent: usage limit, tried again 03:17 UTC (in 59m57s): limit reached\n",
		"0   stopped  interrupted; keeps its attempts\n",
		"0   reset    resumed\n",
		"1   skipped  left out by --skip\n",
		"..  note     main moved\n",
		"..  stopped  interrupted by Ctrl-C (0 of 6 phases complete, 5 not started, 1 skipped, in 42m10s)\n")
}

// TestTierIsNamed: where a failure goes to a tier, its name stands where a retry would be
// announced.
func TestTierIsNamed(t *testing.T) {
	text := told(t, rendertest.FeaturePlan(t), func(x *rendertest.Story) {
		rendertest.Ready(x)
		x.Complete("2b", "feat: ui")
		x.Complete("2c", "test: more")
		x.Decide("2a", failure.Decision{Action: failure.Escalate, To: "sonnet", Attempts: 3})
		x.Start("2a")
		x.Decide("2a", failure.Decision{Action: failure.Arbitrate, To: failure.ToSequential, Attempts: 3})
		x.Start("2a")
		x.Decide("2a", failure.Decision{Action: failure.Escalate, To: failure.ToUser, Attempts: 3})
	})
	rendertest.Has(t, text, "2A  next     once more, from the line as it now stands; 2B and 2C complete and kept\n")
	rendertest.Has(t, text,
		"2A  next     sonnet looks into it; 2B and 2C complete and kept\n",
		"to look into its test_failure\n")
	rendertest.Lacks(t, text, "with the error as context")
}

// told is Plain's output for a story, without its time stamps.
func told(t testing.TB, p *plan.Plan, tell func(*rendertest.Story)) string {
	t.Helper()
	var out strings.Builder
	sink := Plain{W: &out}
	tell(rendertest.Begin(t, p, func(e state.Event, run *state.Run) { rendertest.Check(t, sink.Event(e, run)) }))
	rendertest.Check(t, sink.Err())
	var bare strings.Builder
	for row := range strings.Lines(out.String()) {
		bare.WriteString(row[min(len(row)-1, len(time.TimeOnly)+1):])
	}
	return bare.String()
}
