package ci

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/internal/text/texttest"
	"autobuild/render/rendertest"
	"autobuild/state"
)

func happening(events []state.Event) iter.Seq2[state.Event, error] {
	return func(yield func(state.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

type readTrace struct {
	Events []struct {
		Name string         `json:"name"`
		Kind string         `json:"ph"`
		Cat  string         `json:"cat"`
		At   int64          `json:"ts"`
		For  int64          `json:"dur"`
		PID  int            `json:"pid"`
		TID  int            `json:"tid"`
		Args map[string]any `json:"args"`
	} `json:"traceEvents"`
}

// traced reads a trace and checks its laws: it is JSON, no slice has a negative length, and those
// of one track lie in each other or apart, since Perfetto drops what overlaps.
func traced(t testing.TB, events []state.Event) readTrace {
	t.Helper()
	var out strings.Builder
	rendertest.Check(t, Trace(&out, happening(events)))
	var r readTrace
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatalf("%v in\n%s", err, out.String())
	}
	for i, a := range r.Events {
		if a.Kind == "X" && a.For < 0 {
			t.Fatalf("%s takes %d", a.Name, a.For)
		}
		for _, b := range r.Events[i+1:] {
			if a.Kind == "X" && b.Kind == "X" && a.TID == b.TID && a.At < b.At+b.For && b.At < a.At+a.For &&
				(a.At > b.At || b.At+b.For > a.At+a.For) && (b.At > a.At || a.At+a.For > b.At+b.For) {
				t.Fatalf("%s and %s overlap on track %d", a.Name, b.Name, a.TID)
			}
		}
	}
	return r
}

func TestTrace(t *testing.T) {
	x := rendertest.Halted(t, nil)
	r := traced(t, x.Events)
	slices := map[string]int{}
	tracks := map[int]bool{}
	for _, e := range r.Events {
		if e.Kind == "X" {
			slices[e.Cat]++
		}
		if e.Name == "thread_name" {
			tracks[e.TID] = true
		}
	}
	if slices["session"] != 1 || slices["attempt"] != 6 || slices["agent"] != 6 || slices["gate"] == 0 || len(tracks) != 7 {
		t.Errorf("slices %v on %d tracks", slices, len(tracks))
	}
	var out strings.Builder
	rendertest.Check(t, Trace(&out, happening(x.Events)))
	rendertest.Golden(t, "trace.json", out.String())
}

// TestTraceWaits: a wait for a limit is a slice until the phase goes on.
func TestTraceWaits(t *testing.T) {
	x := rendertest.Begin(t, rendertest.FeaturePlan(t), nil)
	x.Start("0")
	x.Decide("0", failure.Decision{Action: failure.Wait, Until: rendertest.Midnight.Add(60 * 60 * 1e9)})
	x.Start("0")
	x.Complete("0", "feat: x")
	var found bool
	for _, e := range traced(t, x.Events).Events {
		found = found || e.Cat == "wait" && e.For == 1_000_000
	}
	if !found {
		t.Error("no wait of a second")
	}
}

// TestTraceCutOff: open slices of a killed session end at its last event, not at the resume.
func TestTraceCutOff(t *testing.T) {
	x := rendertest.Begin(t, rendertest.FeaturePlan(t), nil)
	x.Start("0")
	x.Now = x.Now.Add(8 * 60 * 60 * 1e9)
	x.Tell(state.Event{Type: state.RunStarted, Config: &x.Run.Config, Phases: x.Events[0].Phases})
	for _, e := range traced(t, x.Events).Events {
		if e.Kind == "X" && e.For > 2_000_000 {
			t.Errorf("%s takes %d µs", e.Name, e.For)
		}
	}
}

// TestTraceCounts: between a session that was killed and the next one nothing runs, and waits end
// with their session.
func TestTraceCounts(t *testing.T) {
	x := rendertest.Begin(t, rendertest.FeaturePlan(t), nil)
	x.Start("0")
	at := x.Now
	x.Now = x.Now.Add(8 * 60 * 60 * 1e9)
	x.Tell(state.Event{Type: state.RunStarted, Config: &x.Run.Config, Phases: x.Events[0].Phases})
	x.Tell(state.Event{Type: state.PhaseInterrupted, Phase: "0"})
	x.Start("0")
	x.Decide("0", failure.Decision{Action: failure.Wait, Until: x.Now.Add(time.Hour)})
	x.End(state.Interrupted, "interrupted by SIGINT")
	running := map[int64]any{}
	for _, e := range traced(t, x.Events).Events {
		if e.Name == "running phases" {
			running[e.At] = e.Args["running"]
		}
		if e.Kind == "X" && e.Args["end"] == "none yet" {
			t.Errorf("%s has no end", e.Name)
		}
	}
	if running[at.UnixMicro()] != 0.0 {
		t.Errorf("%v run when the session was heard of last", running)
	}
}

// TestTraceNests: a microsecond that is cut puts no gate beyond its attempt.
func TestTraceNests(t *testing.T) {
	at := func(ns time.Duration, e state.Event) state.Event {
		e.Time, e.Phase, e.Gate = rendertest.Midnight.Add(ns), "1", &state.Gate{Name: "test"}
		return e
	}
	for ns := time.Duration(0); ns < 3000; ns += 100 {
		traced(t, []state.Event{
			at(600, state.Event{Type: state.PhaseStarted}), at(1000+ns, state.Event{Type: state.GateStarted}),
			at(5500+ns, state.Event{Type: state.GateFinished}), at(5500+ns, state.Event{Type: state.AttemptFinished}),
		})
	}
}

// TestTraceLaw: for all events in any order, at any times, the trace can be read.
func TestTraceLaw(t *testing.T) {
	story := rendertest.Halted(t, nil).Events
	rapid.Check(t, func(r *rapid.T) {
		events := slices.Clone(story)
		if rapid.Bool().Draw(r, "out of order") {
			events = slices.Clone(rapid.SliceOfN(rapid.SampledFrom(story), 0, 30).Draw(r, "events"))
		}
		text := texttest.Foreign().Draw(r, "text")
		for i := range events {
			events[i].Time = rendertest.Midnight
			if i > 0 {
				events[i].Time = events[i-1].Time.Add(time.Duration(rapid.Int64Range(-3000, 9000).Draw(r, "ns")))
			}
			events[i].Name, events[i].Text, events[i].Agent, events[i].By = text, text, text, text
		}
		traced(t, events)
	})
}

func TestTraceTellsWhatItCouldNotRead(t *testing.T) {
	broken := errors.New("line 3 is none")
	err := Trace(&strings.Builder{}, func(yield func(state.Event, error) bool) { yield(state.Event{}, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if err := Trace(&fullDisk{}, happening(rendertest.Halted(t, nil).Events)); err == nil {
		t.Error("a full disk is no error")
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

func (*fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }
