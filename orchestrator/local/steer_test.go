package local

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/state"
)

// asker sends commands at their times and counts the answers.
type asker struct {
	requests chan orchestrator.Request
	sent     atomic.Int64
	answers  atomic.Int64
}

func (a *asker) ask(c orchestrator.Command, stop <-chan struct{}) {
	r := orchestrator.Request{Command: c, Answer: func(string, error) { a.answers.Add(1) }}
	select {
	case a.requests <- r:
		a.sent.Add(1)
	case <-stop:
	}
}

// TestSteeringLaws: whatever is asked, and whenever, no phase runs twice at once or after it is
// complete, nothing complete is lost, each command is answered once, the run ends as soon as
// nothing holds it, and its diary gives the same run.
func TestSteeringLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		w.opts.Policy = policy.Single{}
		type timed struct {
			at time.Duration
			c  orchestrator.Command
		}
		commands := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) timed {
			return timed{
				time.Duration(rapid.IntRange(0, 120).Draw(t, "minute"))*time.Minute + time.Second,
				orchestrator.Command{
					Kind: rapid.SampledFrom([]orchestrator.CommandKind{
						orchestrator.PauseRun, orchestrator.ContinueRun, orchestrator.NotePhase,
						orchestrator.SkipPhase, orchestrator.RetryPhase,
					}).Draw(t, "command"),
					Phase: w.plan.At(rapid.IntRange(0, w.plan.Len()-1).Draw(t, "phase")).ID,
					Text:  "words", Now: rapid.Bool().Draw(t, "now"),
				},
			}
		}), 0, 12).Draw(rt, "commands")
		synctest.Test(t, func(t *testing.T) {
			f := &fake{w: w, attempts: map[string]int{}, running: map[string]bool{}}
			landed := map[string]int{}
			watch := &deaf{on: func(e state.Event, r *state.Run) error {
				switch {
				case e.Type == state.PhaseStarted && f.running[e.Phase]:
					t.Errorf("%s runs twice at once", e.Phase)
				case e.Type == state.PhaseStarted && !r.Config.Paused.IsZero():
					t.Errorf("%s starts while the run is paused", e.Phase)
				case e.Type == state.PhaseStarted:
					f.running[e.Phase] = true
				case e.Type == state.AttemptFinished || e.Type == state.PhaseInterrupted:
					delete(f.running, e.Phase)
				}
				if e.Type == state.AttemptFinished && e.Status == state.Complete {
					landed[e.Phase]++
				}
				return nil
			}}
			asks := &asker{requests: make(chan orchestrator.Request)}
			over := make(chan struct{})
			for _, c := range commands {
				time.AfterFunc(c.at, func() { asks.ask(c.c, over) })
			}
			// however it was left, it goes on in the end
			time.AfterFunc(24*time.Hour, func() {
				asks.ask(orchestrator.Command{Kind: orchestrator.ContinueRun}, over)
			})
			o := orchestra(w.plan, f, watch)
			o.Options, o.Requests = w.opts, asks.requests
			var run state.Run
			err := o.Run(t.Context(), &run, fresh())
			close(over)
			synctest.Wait()
			if halt, ok := errors.AsType[*orchestrator.HaltError](err); err != nil && !ok {
				t.Fatalf("%v %v", halt, err)
			}
			if asks.answers.Load() != asks.sent.Load() {
				t.Errorf("%d of %d commands were answered", asks.answers.Load(), asks.sent.Load())
			}
			for i := range run.Phases {
				p := &run.Phases[i]
				if done := p.Status == state.Complete; landed[p.ID] > 1 || done != (landed[p.ID] == 1) {
					t.Errorf("%s is %s and landed %d times", p.ID, p.Status, landed[p.ID])
				}
			}
			var again state.Run
			for _, e := range watch.events {
				if err := again.Apply(e); err != nil {
					t.Fatal(err)
				}
			}
			if a, b := again.Totals(), run.Totals(); a != b {
				t.Errorf("the diary gives %+v, the run is %+v", a, b)
			}
		})
	})
}
