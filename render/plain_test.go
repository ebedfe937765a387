package render

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// page counts its writes, and fails after some of them.
type page struct {
	text   strings.Builder
	writes int
	left   int // writes until it breaks; 0 never does
}

func (p *page) Write(b []byte) (int, error) {
	p.writes++
	if p.left > 0 {
		if p.left--; p.left == 0 {
			return 0, io.ErrClosedPipe
		}
	}
	return p.text.Write(b)
}

// told is what Plain says of a story, without its stamps.
func told(t testing.TB, p *plan.Plan, tell func(*tale)) string {
	t.Helper()
	var out strings.Builder
	sink := Plain{W: &out}
	tell(begin(t, p, func(e state.Event, run *state.Run) { check(t, sink.Event(e, run)) }))
	check(t, sink.Err())
	var bare strings.Builder
	for row := range strings.Lines(out.String()) {
		bare.WriteString(row[min(len(row)-1, len(time.TimeOnly)+1):])
	}
	return bare.String()
}

func has(t testing.TB, text string, rows ...string) {
	t.Helper()
	for _, row := range rows {
		if !strings.Contains(text, row) {
			t.Errorf("%q is not in\n%s", row, text)
		}
	}
}

func lacks(t testing.TB, text string, rows ...string) {
	t.Helper()
	for _, row := range rows {
		if strings.Contains(text, row) {
			t.Errorf("%q is in\n%s", row, text)
		}
	}
}

// TestOneWriteAnEvent: lines of one event reach the pipe together, or not at all.
func TestOneWriteAnEvent(t *testing.T) {
	var out page
	sink := Plain{W: &out}
	halted(t, func(e state.Event, run *state.Run) {
		before := out.writes
		check(t, sink.Event(e, run))
		if n := out.writes - before; n > 1 {
			t.Errorf("%s: %d writes", e.Type, n)
		}
	})
	if !strings.HasSuffix(out.text.String(), "\n") || out.writes == 0 {
		t.Errorf("%d writes, ends %q", out.writes, out.text.String())
	}
}

// TestClosedPipe: a reader that went away stops the lines, not the run.
func TestClosedPipe(t *testing.T) {
	var lines, docs page
	lines.left, docs.left = 3, 3
	plain, doc := Plain{W: &lines}, JSON{W: &docs}
	halted(t, func(e state.Event, run *state.Run) {
		check(t, plain.Event(e, run))
		check(t, doc.Event(e, run))
	})
	if !errors.Is(plain.Err(), io.ErrClosedPipe) || !errors.Is(doc.Err(), io.ErrClosedPipe) {
		t.Errorf("errors %v and %v", plain.Err(), doc.Err())
	}
	if lines.writes != 3 || docs.writes != 3 {
		t.Errorf("%d and %d writes to a closed pipe", lines.writes-3, docs.writes-3)
	}
}

// TestRetryWaitsForSiblings: the notice says whom a retry waits for, and what is kept.
func TestRetryWaitsForSiblings(t *testing.T) {
	text := told(t, feature(t), func(x *tale) {
		ready(x)
		x.complete("2c", "test: more")
		x.fail("2a", failure.Retry)
		x.complete("2b", "feat: ui")
	})
	has(t, text,
		"2A  next     retry once 2B has finished; 2C complete and kept\n",
		"2A  next     retry with the error as context; 2B and 2C complete and kept\n")
}

// TestSeveralFail: retries that run side by side are announced in one line.
func TestSeveralFail(t *testing.T) {
	text := told(t, feature(t), func(x *tale) {
		ready(x)
		x.fail("2a", failure.Retry)
		x.fail("2b", failure.Retry)
		x.complete("2c", "test: more")
		x.start("2a")
		x.start("2b")
		x.complete("2a", "feat: api")
		x.fail("2b", failure.Fail)
	})
	has(t, text,
		"2A  next     retry once 2B and 2C have finished\n",
		"2B  next     retry once 2C has finished\n",
		"..  next     2A and 2B failed: retrying them side by side; 2C complete and kept\n",
		"2A  retry    Backend (attempt 2/2), told of its test_failure\n",
		"2B  next     no retry: the second failure of the same attempt is final; halting\n")
}

// TestHaltWaitsForTheRunning: a failure without a retry says who may still finish.
func TestHaltWaitsForTheRunning(t *testing.T) {
	text := told(t, feature(t), func(x *tale) {
		ready(x)
		x.fail("2a", failure.Fail)
	})
	has(t, text, "halting: nothing new starts, 2B and 2C may finish\n")
}

// TestEagerHasNoBatches: an eager schedule retries at once and has no headings.
func TestEagerHasNoBatches(t *testing.T) {
	text := told(t, feature(t), func(x *tale) {
		x.run.Config.Schedule = "eager"
		x.start("0")
		x.fail("0", failure.Retry)
	})
	has(t, text, "0   next     retry at once\n")
	lacks(t, text, "batch    ")
}

// TestHeartbeat tells what runs and its last sign of life; activity alone says nothing.
func TestHeartbeat(t *testing.T) {
	text := told(t, feature(t), func(x *tale) {
		ready(x)
		before := len(x.events)
		x.tell(state.Event{Type: state.Activity, Phase: "2a", Text: "npm \x1b[31mtest\n::error::x"})
		x.tell(state.Event{Type: state.GateStarted, Phase: "2b", Gate: &state.Gate{Name: "lint"}})
		if len(x.events) != before+2 {
			t.Fatal("the story lost events")
		}
		x.now = x.now.Add(time.Hour)
		x.tell(state.Event{Type: state.Heartbeat})
	})
	has(t, text, "..  running  2A 1h00m (npm test ::error::x), 2B 1h00m (gate lint), 2C 1h00m\n")
	if n := strings.Count(text, "npm"); n != 1 {
		t.Errorf("the activity is told %d times", n)
	}
}

// TestNoGatesYet: phases may bring gates, so a run that begins with none does not promise that there will be none.
func TestNoGatesYet(t *testing.T) {
	var out strings.Builder
	sink, run := Plain{W: &out}, state.Run{}
	check(t, sink.Event(state.Event{Type: state.RunStarted, Config: &state.Config{Schema: state.Schema, RunID: "r"}}, &run))
	has(t, out.String(), "gates    each phase's own, and those that its work brings; one without any completes unverified\n")

	p := feature(t)
	has(t, DryRun(p, &state.Run{Config: state.Config{Schema: state.Schema}}, Style{Width: 120}), "gates      each phase's own, ")
	text := DryRun(p, &state.Run{Config: state.Config{Plan: "plan.md"}}, Style{})
	has(t, text, "gates      unknown\n")
	lacks(t, text, noGates)
}

func TestLimitsInterruptionsAndResets(t *testing.T) {
	text := told(t, feature(t), func(x *tale) {
		x.start("0")
		x.finish("0", state.Attempt{
			Failure:  &failure.Diagnosis{Type: failure.UsageLimit, Message: "limit reached"},
			Decision: &failure.Decision{Action: failure.Wait, Until: midnight.Add(time.Hour)},
		})
		x.start("0")
		x.tell(state.Event{Type: state.PhaseInterrupted, Phase: "0"})
		x.tell(state.Event{Type: state.PhaseReset, Phase: "0", Text: "resumed"})
		x.tell(state.Event{Type: state.PhaseSkipped, Phase: "1", Text: "left out by --skip"})
		x.tell(state.Event{Type: state.Notice, Text: "main moved"})
		x.end(state.Interrupted, "interrupted by Ctrl-C")
	})
	has(t, text,
		"0   waiting  the agent: usage limit, tried again 03:17 UTC (in 59m57s): limit reached\n",
		"0   stopped  interrupted; keeps its attempts\n",
		"0   reset    resumed\n",
		"1   skipped  left out by --skip\n",
		"..  note     main moved\n",
		"..  stopped  interrupted by Ctrl-C (0 of 6 phases complete, 5 not started, 1 skipped, in 42m10s)\n")
}

// ready brings the feature plan to its third batch, all running.
func ready(x *tale) {
	x.t.Helper()
	for _, id := range []string{"0", "1"} {
		x.start(id)
		x.complete(id, "feat: "+id)
	}
	for _, id := range []string{"2a", "2b", "2c"} {
		x.start(id)
	}
}

// TestJSONLines: every event is one line, and reading it gives the event back.
func TestJSONLines(t *testing.T) {
	var out page
	sink := JSON{W: &out}
	story := halted(t, func(e state.Event, run *state.Run) { check(t, sink.Event(e, run)) })
	lines := strings.Split(strings.TrimSuffix(out.text.String(), "\n"), "\n")
	if len(lines) != len(story.events) || out.writes != len(lines) {
		t.Fatalf("%d lines by %d writes for %d events", len(lines), out.writes, len(story.events))
	}
	for i, line := range lines {
		var e state.Event
		check(t, json.Unmarshal([]byte(line), &e))
		if !reflect.DeepEqual(e, story.events[i]) {
			t.Errorf("line %d reads back as %+v, want %+v", i+1, e, story.events[i])
		}
		if strings.Contains(line, `"seq":`) != e.Type.Lifecycle() {
			t.Errorf("line %d, %s: a number belongs to what changes the run, and to nothing else:\n%s", i+1, e.Type, line)
		}
	}
}

// TestJSONIsMute: what a terminal or a CI runner would obey is written as escapes, and reads back the same.
func TestJSONIsMute(t *testing.T) {
	text := "\x1b[31m ##[x] ##vso[y] ## z \u202e \u009b \u200d \u2028 \x7f 🚀 \U000e0041"
	var out page
	sink := JSON{W: &out}
	check(t, sink.Event(state.Event{Type: state.Activity, Text: text}, nil))
	line := out.text.String()
	lacks(t, line, "\x1b", "##[", "##vso[", "\u202e", "\u009b", "\u200d", "\x7f", "\U000e0041")
	var e state.Event
	check(t, json.Unmarshal([]byte(line), &e))
	if e.Text != text {
		t.Errorf("reads back as %q", e.Text)
	}
}

// TestTierIsNamed: where a failure goes to a tier, its name stands where a retry would be announced.
func TestTierIsNamed(t *testing.T) {
	text := told(t, feature(t), func(x *tale) {
		ready(x)
		x.complete("2b", "feat: ui")
		x.complete("2c", "test: more")
		x.decide("2a", failure.Decision{Action: failure.Escalate, To: "sonnet", Attempts: 3})
		x.start("2a")
		x.decide("2a", failure.Decision{Action: failure.Arbitrate, To: failure.ToSequential, Attempts: 3})
		x.start("2a")
		x.decide("2a", failure.Decision{Action: failure.Escalate, To: failure.ToUser, Attempts: 3})
	})
	has(t, text, "2A  next     once more, from the line as it now stands; 2B and 2C complete and kept\n")
	has(t, text,
		"2A  next     sonnet looks into it; 2B and 2C complete and kept\n",
		"to look into its test_failure\n")
	lacks(t, text, "with the error as context")
}
