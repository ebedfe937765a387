package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/plan"
	"autobuild/state"
)

// drawEdit is a plan that keeps some phases of 1 to 12, with any edges that point backwards and,
// for some, another text.
func drawEdit(t *rapid.T) *plan.Plan {
	var lines, labels []string
	for n := range 14 {
		if rapid.IntRange(0, 3).Draw(t, "leaves out") == 0 && len(labels) > 0 {
			continue
		}
		var needs []string
		for _, other := range labels {
			if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
				needs = append(needs, other)
			}
		}
		labels = append(labels, fmt.Sprint(n+1))
		lines = append(lines, fmt.Sprintf("%d: %s;%d", n+1, strings.Join(needs, ", "),
			rapid.IntRange(1, 2).Draw(t, "text")))
	}
	return plantest.New(t, lines...)
}

// to is an edit to a plan, with the worker of the run.
func to(p *plan.Plan, o orchestrator.Options, w orchestrator.Worker, take func()) Edit {
	return Edit{Plan: p, Settle: func(*state.Run) (Parts, error) {
		return Parts{Options: o, Worker: w, Take: take}, nil
	}}
}

// completed are the ids of the complete phases, each with a count of one.
func completed(r *state.Run) map[string]int {
	ids := make(map[string]int)
	for i := range r.Phases {
		if r.Phases[i].Status == state.Complete {
			ids[r.Phases[i].ID] = 1
		}
	}
	return ids
}

// TestEditLaws saves random plans and asks for random commands at random times. No phase runs twice
// at once or after it is complete. No complete phase leaves the run. The run ends by the plan that
// was saved last, and its diary gives the same run.
func TestEditLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		w.opts.Policy = policy.Single{}
		type timed struct {
			at time.Duration
			p  *plan.Plan
		}
		edits := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) timed {
			return timed{
				time.Duration(rapid.IntRange(0, 60).Draw(t, "minute"))*time.Minute + time.Second,
				drawEdit(t),
			}
		}), 1, 4).Draw(rt, "edits")
		skips := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 3).Draw(rt, "commands")
		dies := rapid.IntRange(0, 60).Draw(rt, "dies at")
		synctest.Test(t, func(t *testing.T) {
			running, landed := map[string]bool{}, map[string]int{}
			last, resumed := w.plan, false
			watch := &deaf{}
			watch.on = func(e state.Event, r *state.Run) error {
				if dies > 0 && len(watch.events) > dies {
					return errLights
				}
				switch {
				case e.Type == state.PhaseStarted && running[e.Phase]:
					t.Errorf("%s runs twice at once", e.Phase)
				case e.Type == state.PhaseStarted && landed[e.Phase] > 0:
					t.Errorf("%s runs again and is complete", e.Phase)
				case e.Type == state.PhaseStarted:
					running[e.Phase] = true
				case e.Type == state.AttemptFinished || e.Type == state.PhaseInterrupted:
					delete(running, e.Phase)
				}
				if e.Type == state.AttemptFinished && e.Status == state.Complete {
					landed[e.Phase]++
				}
				for id := range landed {
					if p, ok := r.Find(id); !ok || p.Status != state.Complete {
						t.Errorf("after %s the work of %s is lost", e.Type, id)
					}
				}
				return nil
			}
			work := doer(func(ctx context.Context, task state.Task) (state.Attempt, error) {
				n, _ := strconv.Atoi(task.Phase.ID)
				select {
				case <-time.After(time.Duration(n%5*3+1) * time.Minute):
				case <-ctx.Done():
					return state.Attempt{}, context.Cause(ctx)
				}
				if n%3 == 0 && task.Phase.Estimate.Weight < 2 {
					return state.Attempt{}, &failure.Failure{Diagnosis: failure.Diagnosis{
						Type: failure.TestFailure, Retryable: n%2 == 0,
					}}
				}
				return state.Attempt{Verdict: state.Verified, Commit: &state.Commit{Message: "done"}}, nil
			})
			saved, over := make(chan Edit), make(chan struct{})
			asks := &asker{requests: make(chan orchestrator.Request)}
			o := orchestra(w.plan, work, watch)
			o.Options, o.Edits, o.Requests = w.opts, saved, asks.requests
			for _, e := range edits {
				time.AfterFunc(e.at, func() {
					select {
					case saved <- to(e.p, orchestrator.Options{
						Policy: policy.Single{}, Jobs: w.opts.Jobs, Schedule: w.opts.Schedule,
						KeepGoing: w.opts.KeepGoing,
					}, o.Worker, func() { last = e.p }):
					case <-over:
					}
				})
			}
			for _, minute := range skips {
				time.AfterFunc(time.Duration(minute)*time.Minute, func() {
					asks.ask(orchestrator.Command{
						Kind: orchestrator.RetryPhase, Phase: fmt.Sprint(minute % 14),
					}, over)
				})
			}
			var run state.Run
			err := o.Run(t.Context(), &run, fresh())
			close(over)
			synctest.Wait()
			if errors.Is(err, errLights) {
				run = state.Run{}
				for _, e := range watch.events[:len(watch.events)-1] {
					if err = run.Apply(e); err != nil {
						t.Fatal(err)
					}
				}
				// a landing that was not recorded is found by its key, which this test has not
				resumed = true
				landed, running, dies = completed(&run), map[string]bool{}, 0
				for id := range landed {
					if _, in := last.Index(id); !in {
						delete(landed, id) // its commit stays, and a new session does not name it
					}
				}
				s := fresh()
				s.Decisions = orchestrator.Resume(last, &run, orchestrator.ResumeOptions{})
				o := orchestra(last, work, watch)
				o.Options = w.opts
				watch.events = watch.events[:len(watch.events)-1]
				err = o.Run(t.Context(), &run, s)
			}
			if halt, ok := errors.AsType[*orchestrator.HaltError](err); err != nil && !ok {
				t.Fatalf("%v %v", halt, err)
			}
			for _, phase := range last.Phases() {
				p, ok := run.Find(phase.ID)
				if !ok {
					t.Fatalf("%s was saved and is not in the run", phase.ID)
				}
				if err == nil && p.Status != state.Complete {
					t.Errorf("all is well, and %s is %s", p.ID, p.Status)
				}
				if want := p.Fingerprint != phase.Fingerprint; p.Status == state.Complete &&
					want == p.Edited.IsZero() && !resumed {
					t.Errorf("%s is complete; its text differs: %t; marked: %s", p.ID, want, p.Edited)
				}
			}
			for i := range run.Phases {
				p := &run.Phases[i]
				if _, in := last.Index(p.ID); !in && p.Status != state.Complete {
					t.Errorf("%s was removed and is %s", p.ID, p.Status)
				}
			}
			var again state.Run
			for _, e := range watch.events {
				if err := again.Apply(e); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(statuses(&again), statuses(&run)) {
				t.Errorf("the diary gives %v, the run is %v", statuses(&again), statuses(&run))
			}
		})
	})
}
