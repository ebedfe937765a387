package local

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// doer is a worker in one function.
type doer func(ctx context.Context, task state.Task) (state.Attempt, error)

func (d doer) try(ctx context.Context, task state.Task, _ func(state.Event)) (state.Attempt, error) {
	return d(ctx, task)
}

// tested is a failed attempt: so many tests fail, and these files were changed.
func tested(count int, files ...string) (state.Attempt, error) {
	a := state.Attempt{Verdict: state.Refused, Changes: state.Changes{Modified: files}, Usage: state.Usage{InputTokens: 10, OutputTokens: 1}}
	return a, &failure.Failure{Diagnosis: failure.Diagnosis{
		Type: failure.TestFailure, Message: "tests fail", Count: count, Retryable: true, Fingerprint: "f",
	}}
}

// A task carries the facts that the rules of a diagnosis use: the phase, its batch, and the
// decision that it follows.
func TestTaskTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tasks := map[string][]state.Task{}
		work := doer(func(_ context.Context, task state.Task) (state.Attempt, error) {
			id := task.Phase.ID
			tasks[id] = append(tasks[id], task)
			switch {
			case id == "1":
				return state.Attempt{Verdict: state.Verified, Changes: state.Changes{Created: []string{"a.go"}}}, nil
			case id == "2" && task.Attempt < 3:
				return tested(5-task.Attempt, "b.go", "c.go")
			case id == "3" && task.Attempt < 2:
				time.Sleep(time.Minute)
				return tested(3, "c.go")
			}
			return state.Attempt{Verdict: state.Verified}, nil
		})
		p := plantest.New(t, "1", "2", "3", "4: 1")
		o := orchestra(p, work)
		o.Options.Jobs = 1
		o.Options.Policy = whim{4, []failure.Decision{{Action: failure.Escalate, To: "opus", Fresh: true, Propose: true}}}
		o.Options.Policies = map[string]failure.Policy{"3": whim{2, []failure.Decision{{Action: failure.Arbitrate, To: failure.ToSequential, Propose: true}}}}
		var run state.Run
		if err := o.Run(t.Context(), &run, fresh()); err != nil {
			t.Fatal(err)
		}
		if n := len(tasks["2"]); n != 3 {
			t.Fatalf("phase 2 was tried %d times", n)
		}
		again := tasks["2"][1]
		want := failure.Past{
			Node: "2", Parent: ".", Failed: 1, Allowed: 4, Tokens: 11, Revisions: 1,
			Earlier: []failure.Earlier{{
				Type: failure.TestFailure, Message: "tests fail", Count: 4, Fingerprint: "f", Files: []string{"b.go", "c.go"}, Action: failure.Escalate,
			}},
			Siblings: []failure.Sibling{{Phase: "1", Files: []string{"a.go"}}, {Phase: "3", Files: []string{"c.go"}}},
		}
		if diff := cmp.Diff(want, again.Past); diff != "" {
			t.Errorf("past of the second attempt (-want +got):\n%s", diff)
		}
		trouble := []state.Trouble{{Label: "3", Name: "phase", Type: failure.TestFailure, Message: "tests fail"}}
		if diff := cmp.Diff(trouble, again.Troubles); diff != "" {
			t.Errorf("troubles (-want +got):\n%s", diff)
		}
		if again.Tier != "opus" || !again.Fresh || again.Last {
			t.Errorf("tier %q, fresh %v, last %v", again.Tier, again.Fresh, again.Last)
		}
		if third := tasks["2"][2]; third.Past.Failed != 2 || third.Past.Revisions != 1 || len(third.Troubles) != 0 {
			t.Errorf("the third attempt hears of %+v and of %+v", third.Past, third.Troubles)
		}
		if last := tasks["3"][1]; last.Tier != "" || last.Fresh || last.Last || len(last.Past.Siblings) != 2 {
			t.Errorf("an arbitration leads to tier %q, fresh %v, last %v, siblings %+v", last.Tier, last.Fresh, last.Last, last.Past.Siblings)
		}
		if first := tasks["4"][0]; first.Last || first.Past.Failed != 0 || first.Past.Siblings != nil || first.Troubles != nil {
			t.Errorf("a first attempt hears of %+v", first.Past)
		}
	})
}

// A task keeps the failures of another session; under another text it starts without them.
func TestTaskOfAnotherSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var task state.Task
		work := doer(func(_ context.Context, now state.Task) (state.Attempt, error) {
			task = now
			return tested(3)
		})
		var run state.Run
		play := func(line string, attempt, failed, revisions int) {
			t.Helper()
			p := plantest.New(t, line)
			s := fresh()
			if run.Config.RunID != "" {
				s.Decisions = orchestrator.Resume(p, &run, orchestrator.ResumeOptions{})
			}
			err := orchestra(p, work).Run(t.Context(), &run, s)
			if _, halted := errors.AsType[*orchestrator.HaltError](err); !halted {
				t.Fatal(err)
			}
			if task.Attempt != attempt || task.Past.Failed != failed || task.Past.Revisions != revisions {
				t.Errorf("attempt %d after %d failures and %d revisions; want %d, %d, %d",
					task.Attempt, task.Past.Failed, task.Past.Revisions, attempt, failed, revisions)
			}
		}
		play("1", 2, 1, 0)
		play("1", 2, 3, 0)
		play("1:;2", 2, 1, 0)
		play("1:;2", 2, 3, 0)
	})
}

// A wait in the middle of an attempt that began afresh takes nothing back: it goes on where it was.
func TestTaskAfterWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fresh []bool
		work := doer(func(_ context.Context, task state.Task) (state.Attempt, error) {
			fresh = append(fresh, task.Fresh)
			switch len(fresh) {
			case 1:
				return tested(3)
			case 2:
				return state.Attempt{}, &failure.Failure{Diagnosis: failure.Diagnosis{Type: failure.UsageLimit}}
			}
			return state.Attempt{Verdict: state.Verified}, nil
		})
		o := orchestra(plantest.New(t, "1"), work)
		o.Options.Policy = waiter{whim{2, []failure.Decision{{Action: failure.Arbitrate, To: failure.ToSequential, Fresh: true}}}}
		var run state.Run
		if err := o.Run(t.Context(), &run, orchestrator.Session{Config: state.Config{RunID: "r1"}}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]bool{false, true, false}, fresh); diff != "" {
			t.Errorf("fresh attempts (-want +got):\n%s", diff)
		}
	})
}

// waiter waits for limits and leaves everything else to a whim.
type waiter struct{ whim }

func (w waiter) Decide(d failure.Diagnosis, h failure.History) failure.Decision {
	if d.Type == failure.UsageLimit {
		return failure.Decision{Action: failure.Wait, Delay: time.Minute}
	}
	return w.whim.Decide(d, h)
}
