package ci

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// traceEvent is one event of Chrome's trace format, in which Perfetto and chrome://tracing draw.
// Times are microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Kind  string         `json:"ph"`
	Cat   string         `json:"cat,omitzero"`
	At    int64          `json:"ts"`
	For   *int64         `json:"dur,omitzero"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Color string         `json:"cname,omitzero"`
	Args  map[string]any `json:"args,omitzero"`
}

// Trace writes the events of a run as a Chrome trace: a track a phase in the plan's order, on it
// its attempts, in them the agent and the gates, between them the waits for limits; a track of the
// sessions; and counters of running phases and of their cost. Slices that are open when the events
// end, end there. Foreign text is made safe to show; times are those of the events, but none goes
// back: a clock that was set back between two sessions would make them overlap, and viewers do not
// draw overlapping slices.
func Trace(w io.Writer, events iter.Seq2[state.Event, error]) error {
	buffered := bufio.NewWriter(w)
	t := tracer{w: buffered, tracks: map[string]int{}, open: map[slice]opened{}}
	t.raw("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [")
	for e, err := range events {
		if err != nil {
			return fmt.Errorf("reading the events of the run: %w", err)
		}
		t.event(e)
	}
	t.rest("none yet")
	t.raw("\n]}\n")
	if t.err == nil {
		t.err = buffered.Flush()
	}
	if t.err != nil {
		return fmt.Errorf("writing the trace: %w", t.err)
	}
	return nil
}

// slice names something that takes time on a track.
type slice struct{ track, what string }

type opened struct {
	name  string
	at    time.Time
	order int // of opening: the latest ends first
}

type tracer struct {
	w       *bufio.Writer
	err     error
	some    bool // an event has been written
	tracks  map[string]int
	open    map[slice]opened
	opens   int
	running int
	spent   state.Usage
	last    time.Time
}

// The slices that may be open on a phase's track, outermost first, and on the run's.
const (
	wholeTrack   = ""
	sliceSession = "session"
	sliceWait    = "wait"
	sliceAttempt = "attempt"
	sliceAgent   = "agent"
	sliceGate    = "gate"
)

func (t *tracer) event(e state.Event) {
	if e.Type == state.RunStarted {
		t.rest("cut off") // at the time of the last event
	}
	if e.Time.After(t.last) {
		t.last = e.Time
	}
	if e.Phase != "" {
		t.track(e.Phase, text.CleanLine(e.Label+" "+e.Name, 120))
	}
	switch e.Type {
	case state.RunStarted:
		t.started(e)
	case state.PhaseStarted:
		t.end(e.Phase, "", nil)
		t.close(slice{e.Phase, sliceWait}, "", nil)
		t.begin(slice{e.Phase, sliceAttempt}, fmt.Sprintf("attempt %d", e.Attempt))
		t.begin(slice{e.Phase, sliceAgent}, text.CleanLine("agent "+e.Agent, render.MaxLine))
		t.count(1)
	case state.AgentFinished:
		t.close(slice{e.Phase, sliceAgent}, "", nil)
	case state.GateStarted:
		if e.Gate != nil {
			t.close(slice{e.Phase, sliceAgent}, "", nil)
			t.begin(slice{e.Phase, sliceGate}, text.CleanLine(e.Gate.Name, render.MaxLine))
		}
	case state.GateFinished:
		if g := e.Gate; g != nil {
			t.close(slice{e.Phase, sliceGate}, gateColor(g.Status),
				map[string]any{
					"status":  string(g.Status),
					"command": text.CleanLine(g.Command, 400),
				})
		}
	case state.AttemptFinished:
		t.finished(e)
	case state.PhaseInterrupted:
		t.end(e.Phase, "bad", map[string]any{"end": "interrupted"})
	case state.PhaseBlocked:
		t.instant(e, "blocked by "+e.By)
	case state.PhaseReset, state.PhaseSkipped, state.PhaseAccepted, state.PhaseMended,
		state.PhaseNoted, state.RunPaused, state.RunContinued, state.PlanEdited, state.Notice:
		t.instant(e, e.Text)
	case state.RunFinished:
		if e.End != nil {
			t.close(slice{wholeTrack, sliceSession}, "",
				map[string]any{
					"outcome": string(e.End.Outcome),
					"reason":  text.CleanLine(e.End.Reason, 400),
				})
		}
		t.rest("the session ended")
	case state.Activity, state.Heartbeat:
	}
}

// started names the tracks. A later session may have phases that the first did not.
func (t *tracer) started(e state.Event) {
	name := "autobuild"
	sessions := 1
	if e.Config != nil {
		name += " " + text.CleanLine(e.Config.Plan, render.MaxLine)
		sessions = max(1, e.Config.Sessions)
	}
	t.name(0, "process_name", name)
	t.track(wholeTrack, "run")
	for _, p := range e.Phases {
		t.track(p.ID, text.CleanLine(p.Label+" "+p.Name, 120))
	}
	t.begin(slice{wholeTrack, sliceSession}, fmt.Sprintf("session %d", sessions))
}

func (t *tracer) finished(e state.Event) {
	color, args := "good", map[string]any{}
	if a := e.Result; a != nil {
		args["agent"] = text.CleanLine(a.Agent, render.MaxLine)
		if a.Model != "" {
			args["model"] = text.CleanLine(a.Model, render.MaxLine)
		}
		if a.Verdict != "" {
			args["verdict"] = string(a.Verdict)
		}
		if money := render.Spent(a.Usage); money != "" {
			args["spent"] = money
		}
		if a.Failure != nil {
			color = "terrible"
			args["failure"] = text.CleanLine(string(a.Failure.Type)+": "+a.Failure.Message, 400)
		}
		t.spent = t.spent.Add(a.Usage)
	}
	t.end(e.Phase, color, args)
	if a := e.Result; a != nil && a.Decision != nil && a.Decision.Action == failure.Wait {
		t.begin(slice{e.Phase, sliceWait}, text.CleanLine("waits for "+e.Account, render.MaxLine))
	}
}

// end closes an attempt and its open slices.
func (t *tracer) end(phase, color string, args map[string]any) {
	t.close(slice{phase, sliceGate}, "", nil)
	t.close(slice{phase, sliceAgent}, "", nil)
	if _, ok := t.open[slice{phase, sliceAttempt}]; ok {
		t.close(slice{phase, sliceAttempt}, color, args)
		t.count(-1)
	}
}

// rest ends what is still open, inner slices first.
func (t *tracer) rest(why string) {
	for len(t.open) > 0 {
		var latest slice
		order := -1
		for s, o := range t.open {
			if o.order > order {
				latest, order = s, o.order
			}
		}
		t.close(latest, "", map[string]any{"end": why})
	}
	if t.running > 0 {
		t.count(-t.running)
	}
}

func (t *tracer) begin(s slice, name string) {
	t.close(s, "", nil)
	t.opens++
	t.open[s] = opened{name, t.last, t.opens}
}

// close writes a slice that was open.
func (t *tracer) close(s slice, color string, args map[string]any) {
	o, ok := t.open[s]
	if !ok {
		return
	}
	delete(t.open, s)
	// of whole moments: two durations that are cut would put an end beyond the one around it
	took := t.last.UnixMicro() - o.at.UnixMicro()
	t.write(traceEvent{
		Name: o.name, Kind: "X", Cat: s.what, At: o.at.UnixMicro(), For: &took,
		PID: 1, TID: t.tracks[s.track], Color: color, Args: args,
	})
}

func (t *tracer) instant(e state.Event, content string) {
	t.write(traceEvent{
		Name: text.CleanLine(string(e.Type)+": "+content, render.MaxLine), Kind: "i", Cat: "note",
		At: t.last.UnixMicro(), PID: 1, TID: t.tracks[e.Phase],
		Args: map[string]any{"text": text.CleanLine(content, 2000)},
	})
}

// count moves the counters.
func (t *tracer) count(by int) {
	t.running = max(0, t.running+by)
	t.write(traceEvent{
		Name: "running phases", Kind: "C", At: t.last.UnixMicro(), PID: 1,
		Args: map[string]any{"running": t.running},
	})
	if t.spent.CostUSD > 0 {
		t.write(traceEvent{
			Name: "cost", Kind: "C", At: t.last.UnixMicro(), PID: 1,
			Args: map[string]any{"USD": t.spent.CostUSD},
		})
	}
}

// track gives a phase a line of its own, the first time that it is named.
func (t *tracer) track(id, name string) {
	if _, known := t.tracks[id]; known {
		return
	}
	n := len(t.tracks)
	t.tracks[id] = n
	t.name(n, "thread_name", name)
	t.write(traceEvent{
		Name: "thread_sort_index", Kind: "M", PID: 1, TID: n,
		Args: map[string]any{"sort_index": n},
	})
}

func (t *tracer) name(tid int, what, name string) {
	t.write(traceEvent{Name: what, Kind: "M", PID: 1, TID: tid, Args: map[string]any{"name": name}})
}

func (t *tracer) write(e traceEvent) {
	content, err := json.Marshal(e)
	if err != nil && t.err == nil {
		t.err = err
	}
	if t.some {
		t.raw(",")
	}
	t.some = true
	t.raw("\n")
	t.raw(string(text.EscapeJSON(content)))
}

func (t *tracer) raw(s string) {
	if t.err == nil {
		_, t.err = t.w.WriteString(s)
	}
}

func gateColor(s state.GateStatus) string {
	switch s {
	case state.GatePassed:
		return "good"
	case state.GateFailed, state.GateTimeout:
		return "terrible"
	case state.GateNotAvailable:
	}
	return "grey"
}
