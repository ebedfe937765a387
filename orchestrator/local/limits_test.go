package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// limited is a worker whose accounts have limits: refused says until when an account refuses
// everybody, beginning now; zero: it does not.
type limited struct {
	takes   time.Duration
	refused func(task state.Task, now time.Time) (until time.Time, kind failure.Type)
}

func (w *limited) try(ctx context.Context, task state.Task, _ func(state.Event)) (state.Attempt, error) {
	a := state.Attempt{Agent: task.Agent}
	if until, kind := w.refused(task, time.Now()); kind != "" {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return a, context.Cause(ctx)
		}
		return a, &failure.Failure{Diagnosis: failure.Diagnosis{Type: kind, Message: "no", Until: until}}
	}
	select {
	case <-time.After(w.takes):
	case <-ctx.Done():
		return a, context.Cause(ctx)
	}
	a.Verdict, a.Commit = state.Verified, &state.Commit{Message: "done"}
	return a, nil
}

// both are agents with an account each, for every one of n phases.
func both(n int) [][]orchestrator.Agent {
	return slices.Repeat([][]orchestrator.Agent{{{Name: "claude", Account: "a"}, {Name: "codex", Account: "b"}}}, n)
}

// starts are "MINUTES PHASE#ATTEMPT AGENT" of every start.
type starts struct {
	began time.Time
	lines []string
	waits []string
	notes []string
}

func (s *starts) Event(e state.Event, _ *state.Run) error {
	since := int(e.Time.Sub(s.began).Minutes())
	switch {
	case e.Type == state.PhaseStarted:
		s.lines = append(s.lines, fmt.Sprintf("%d %s#%d %s", since, e.Label, e.Attempt, e.Agent))
	case e.Type == state.AttemptFinished && e.Status == state.Waiting, e.Type == state.Heartbeat && e.Waiting > 0:
		s.waits = append(s.waits, fmt.Sprintf("%d %s %s %d", since, e.Account, e.Until.Sub(s.began).Round(time.Minute), e.Waiting))
	case e.Type == state.Notice:
		s.notes = append(s.notes, e.Text)
	}
	return nil
}

// are compares without regard to who of several came first at the same moment.
func (s *starts) are(t *testing.T, want ...string) {
	t.Helper()
	slices.Sort(s.lines)
	slices.Sort(want)
	if !slices.Equal(s.lines, want) {
		t.Errorf("started\n  %s\nwant\n  %s", strings.Join(s.lines, "\n  "), strings.Join(want, "\n  "))
	}
}

// limitRun plays four phases on three jobs.
func limitRun(t *testing.T, agents [][]orchestrator.Agent, goOn <-chan struct{}, refused func(state.Task, time.Time) (time.Time, failure.Type)) (run state.Run, seen *starts, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		seen = &starts{began: time.Now()}
		began := seen.began
		w := &limited{takes: 10 * time.Minute, refused: func(task state.Task, now time.Time) (time.Time, failure.Type) {
			until, kind := refused(task, time.Time{}.Add(now.Sub(began)))
			if !until.IsZero() {
				until = began.Add(until.Sub(time.Time{}))
			}
			return until, kind
		}}
		o := orchestra(plantest.New(t, "1", "2", "3", "4"), w, seen)
		o.Options = orchestrator.Options{Policy: o.Options.Policy, Jobs: 3, Agents: agents, KeepGoing: true}
		o.Options.Policy, o.Heartbeat, o.GoOn = policy.Single{}, 30*time.Minute, goOn
		err = o.Run(t.Context(), &run, fresh())
	})
	return run, seen, err
}

// at is a time of a limitRun's own clock.
func at(d time.Duration) time.Time { return time.Time{}.Add(d) }

// A limit belongs to its account: nothing starts on it before its reset, then one phase tries it,
// and the others follow when the account has accepted that one. No phase spends an attempt, and one
// limit that three meet side by side is one wait.
func TestLimitIsShared(t *testing.T) {
	reset := at(2 * time.Hour)
	run, seen, err := limitRun(t, nil, nil, func(_ state.Task, now time.Time) (time.Time, failure.Type) {
		if now.Before(reset) {
			return reset, failure.UsageLimit
		}
		return time.Time{}, ""
	})
	if err != nil {
		t.Fatal(err)
	}
	seen.are(t, "0 1#1 ", "0 2#1 ", "0 3#1 ", "120 1#1 ", "122 2#1 ", "122 3#1 ", "130 4#1 ")
	if want := []string{"0  2h0m0s 2", "0  2h0m0s 3", "0  2h0m0s 4", "30  2h0m0s 4", "60  2h0m0s 4", "90  2h0m0s 4"}; !slices.Equal(seen.waits, want) {
		t.Errorf("told %q, want %q", seen.waits, want)
	}
	for i := range run.Phases {
		if p := &run.Phases[i]; len(p.Attempts) != 1 || p.Waits != 0 || len(p.Limits) != 0 {
			t.Errorf("phase %s: %d attempts, %d waits, limits %v", p.ID, len(p.Attempts), p.Waits, p.Limits)
		}
	}
}

// Waiting is bounded: after three waits in a row, of any phases, the run halts.
func TestLimitPersists(t *testing.T) {
	_, seen, err := limitRun(t, nil, nil, func(_ state.Task, now time.Time) (time.Time, failure.Type) {
		return now.Add(time.Hour), failure.UsageLimit
	})
	if _, halted := errors.AsType[*orchestrator.HaltError](err); !halted {
		t.Fatal(err)
	}
	seen.are(t, "0 1#1 ", "0 2#1 ", "0 3#1 ", "60 1#1 ", "120 1#1 ", "180 1#1 ")
}

// It is bounded also where two are refused in turns, each after a while in which the other has
// begun again.
func TestLimitPersistsInTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int64
		work := doer(func(_ context.Context, task state.Task) (state.Attempt, error) {
			if time.Sleep(5 * time.Minute); task.Phase.ID == "2" || tries.Add(1) > 50 {
				return state.Attempt{Verdict: state.Verified, Commit: &state.Commit{Message: "done"}}, nil
			}
			time.Sleep(5 * time.Minute)
			return state.Attempt{}, &failure.Failure{Diagnosis: failure.Diagnosis{Type: failure.TransportError, Message: "no"}}
		})
		o := orchestra(plantest.New(t, "1", "2", "3: 2"), work)
		o.Options = orchestrator.Options{Policy: o.Options.Policy, Jobs: 3, Schedule: orchestrator.Eager, KeepGoing: true}
		var run state.Run
		err := o.Run(t.Context(), &run, fresh())
		if _, halted := errors.AsType[*orchestrator.HaltError](err); !halted || tries.Load() > 8 {
			t.Errorf("after %d attempts: %v", tries.Load(), err)
		}
	})
}

// While the first agent is limited the next one works; afterwards the first does again.
func TestLimitFallback(t *testing.T) {
	reset := at(15 * time.Minute)
	run, seen, err := limitRun(t, both(4), nil, func(task state.Task, now time.Time) (time.Time, failure.Type) {
		if task.Agent == "claude" && now.Before(reset) {
			return reset, failure.UsageLimit
		}
		return time.Time{}, ""
	})
	if err != nil {
		t.Fatal(err)
	}
	seen.are(t, "0 1#1 claude", "0 2#1 claude", "0 3#1 claude", "0 1#1 codex", "0 2#1 codex", "0 3#1 codex", "10 4#1 codex")
	if p := run.Phases[0]; p.Attempts[0].Agent != "codex" || p.Attempts[0].Account != "b" {
		t.Errorf("the attempt was made by %s on %s", p.Attempts[0].Agent, p.Attempts[0].Account)
	}
	reset = at(5 * time.Minute)
	_, seen, err = limitRun(t, both(4), nil, func(task state.Task, now time.Time) (time.Time, failure.Type) {
		if task.Agent == "claude" && now.Before(reset) {
			return reset, failure.UsageLimit
		}
		return time.Time{}, ""
	})
	if err != nil || !slices.Contains(seen.lines, "10 4#1 claude") {
		t.Errorf("after its reset the first works again: %q, %v", seen.lines, err)
	}
}

// Where every account is limited, the earliest reset is waited for.
func TestLimitOfAll(t *testing.T) {
	resets := map[string]time.Time{"claude": at(3 * time.Hour), "codex": at(time.Hour)}
	_, seen, err := limitRun(t, both(4), nil, func(task state.Task, now time.Time) (time.Time, failure.Type) {
		if now.Before(resets[task.Agent]) {
			return resets[task.Agent], failure.UsageLimit
		}
		return time.Time{}, ""
	})
	if err != nil || !slices.Contains(seen.lines, "60 1#1 codex") || slices.ContainsFunc(seen.lines, func(l string) bool {
		return strings.HasSuffix(l, "claude") && !strings.HasPrefix(l, "0 ")
	}) {
		t.Errorf("started %q: %v", seen.lines, err)
	}
}

// Agents that share an account share its limit.
func TestLimitOfOneAccount(t *testing.T) {
	agents := slices.Repeat([][]orchestrator.Agent{{{Name: "claude", Account: "a"}, {Name: "sonnet", Account: "a"}}}, 4)
	reset := at(time.Hour)
	_, seen, err := limitRun(t, agents, nil, func(_ state.Task, now time.Time) (time.Time, failure.Type) {
		if now.Before(reset) {
			return reset, failure.UsageLimit
		}
		return time.Time{}, ""
	})
	if err != nil || slices.ContainsFunc(seen.lines, func(l string) bool { return strings.HasSuffix(l, "sonnet") }) {
		t.Errorf("started %q: %v", seen.lines, err)
	}
}

// An agent that cannot be used gives way to the next, with a word about it and for the whole
// session. The last one halts the run.
func TestUnusableGivesWay(t *testing.T) {
	refused := func(name string) func(state.Task, time.Time) (time.Time, failure.Type) {
		return func(task state.Task, _ time.Time) (time.Time, failure.Type) {
			if name == "" || task.Agent == name {
				return time.Time{}, failure.AgentUnusable
			}
			return time.Time{}, ""
		}
	}
	run, seen, err := limitRun(t, both(4), nil, refused("claude"))
	if err != nil {
		t.Fatal(err)
	}
	seen.are(t, "0 1#1 claude", "0 2#1 claude", "0 3#1 claude", "0 1#1 codex", "0 2#1 codex", "0 3#1 codex", "10 4#1 codex")
	if len(seen.notes) != 1 || !strings.Contains(seen.notes[0], "codex goes on") {
		t.Errorf("told %q", seen.notes)
	}
	if len(run.Phases[0].Attempts) != 1 {
		t.Errorf("%d attempts", len(run.Phases[0].Attempts))
	}
	_, _, err = limitRun(t, both(4), nil, refused(""))
	if halt, halted := errors.AsType[*orchestrator.HaltError](err); !halted || !halt.Unusable {
		t.Errorf("nobody can be used: %v", err)
	}
}

// A person who does not want to wait ends every wait at once; the limit is tried by one phase, and
// may be met again.
func TestGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		seen := &starts{began: time.Now()}
		tries := 0
		w := &limited{takes: 10 * time.Minute, refused: func(_ state.Task, now time.Time) (time.Time, failure.Type) {
			if tries++; tries <= 2 {
				return now.Add(10 * time.Hour), failure.UsageLimit
			}
			return time.Time{}, ""
		}}
		o := orchestra(plantest.New(t, "1"), w, seen)
		o.GoOn, o.Heartbeat = goOn, -1
		o.Options.Policy = policy.Single{}
		go func() {
			for range 2 {
				time.Sleep(time.Hour)
				goOn <- struct{}{}
			}
		}()
		var run state.Run
		if err := o.Run(t.Context(), &run, fresh()); err != nil {
			t.Fatal(err)
		}
		seen.are(t, "0 1#1 ", "60 1#1 ", "120 1#1 ")
		if len(seen.notes) != 2 {
			t.Errorf("told %q", seen.notes)
		}
	})
}

// A reset is a time of the wall clock: when that is put forward the wait ends within a minute.
func TestClockJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jump atomic.Int64 // nanoseconds
		met := false
		w := &limited{takes: time.Minute, refused: func(state.Task, time.Time) (time.Time, failure.Type) {
			if met {
				return time.Time{}, ""
			}
			met = true
			time.AfterFunc(time.Hour, func() { jump.Store(int64(24 * time.Hour)) })
			return time.Now().Add(20 * time.Hour), failure.UsageLimit
		}}
		o := orchestra(plantest.New(t, "1"), w)
		o.Options.Policy, o.Now = policy.Single{}, func() time.Time { return time.Now().Add(time.Duration(jump.Load())).Round(0) }
		began := time.Now()
		var run state.Run
		if err := o.Run(t.Context(), &run, fresh()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > time.Hour+3*time.Minute {
			t.Errorf("waited %s of a clock that had jumped past the reset after an hour", took)
		}
	})
}

// For accounts that refuse at any time: every phase is complete or has failed at the end, waits
// spend no attempt, and nothing starts on an account between the meeting of its limit and its
// reset, but one attempt that tries it.
func TestLimitLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "phases")
		var lines []string
		agents := make([][]orchestrator.Agent, n)
		for i := range n {
			lines = append(lines, fmt.Sprint(i+1))
			agents[i] = rapid.SliceOfNDistinct(rapid.SampledFrom([]orchestrator.Agent{{Name: "claude", Account: "a"}, {Name: "sonnet", Account: "a"}, {Name: "codex", Account: "b"}, {Name: "qwen", Account: "c"}}), 1, 3,
				func(a orchestrator.Agent) string { return a.Name }).Draw(rt, "agents")
		}
		resets := make(map[string]time.Duration)
		for _, account := range []string{"a", "b", "c"} {
			resets[account] = time.Duration(rapid.IntRange(0, 300).Draw(rt, account)) * time.Minute
		}
		told := rapid.IntRange(1, 3).Draw(rt, "told of a part")
		unusable := rapid.SampledFrom([]string{"", "", "claude", "codex"}).Draw(rt, "unusable")
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			law := &limitLaw{until: make(map[string]time.Time), met: make(map[string]time.Time), tried: make(map[string]time.Time)}
			accounts := map[string]string{"claude": "a", "sonnet": "a", "codex": "b", "qwen": "c"}
			w := &limited{takes: 7 * time.Minute, refused: func(task state.Task, now time.Time) (time.Time, failure.Type) {
				reset := began.Add(resets[accounts[task.Agent]])
				switch {
				case task.Agent == unusable:
					return time.Time{}, failure.AgentUnusable
				case !now.Before(reset):
					return time.Time{}, ""
				}
				return now.Add(reset.Sub(now)/time.Duration(told) + time.Second), failure.UsageLimit
			}}
			o := orchestra(plantest.New(t, lines...), w, law)
			o.Options = orchestrator.Options{Policy: policy.Single{}, Jobs: 3, KeepGoing: true, Agents: agents}
			var run state.Run
			err := o.Run(t.Context(), &run, fresh())
			if _, halted := errors.AsType[*orchestrator.HaltError](err); err != nil && !halted {
				rt.Fatalf("Run = %v", err)
			}
			for i := range run.Phases {
				p := &run.Phases[i]
				if err == nil && p.Status != state.Complete || len(p.Attempts) > 1 {
					rt.Errorf("phase %s is %s after %d attempts", p.ID, p.Status, len(p.Attempts))
				}
			}
			for _, broken := range law.broken {
				rt.Error(broken)
			}
		})
	})
}

// probation is how long the first attempt after a limit works alone.
const probation = 2 * time.Minute

// limitLaw watches starts.
type limitLaw struct {
	until  map[string]time.Time // of the limit that was met last on each account
	met    map[string]time.Time // when, until an attempt has overcome it
	tried  map[string]time.Time // start of the attempt that tries it
	broken []string
}

func (l *limitLaw) Event(e state.Event, r *state.Run) error {
	_, limited := l.met[e.Account]
	switch {
	case e.Type == state.PhaseStarted && limited:
		if e.Time.Before(l.until[e.Account]) {
			l.broken = append(l.broken, fmt.Sprintf("%s starts on %s, %s before its reset", e.Phase, e.Account, l.until[e.Account].Sub(e.Time)))
		}
		if first, ok := l.tried[e.Account]; ok && e.Time.Sub(first) < probation {
			l.broken = append(l.broken, fmt.Sprintf("%s starts on %s, %s after the one that tries it", e.Phase, e.Account, e.Time.Sub(first)))
		} else if !ok {
			l.tried[e.Account] = e.Time
		}
	case e.Type == state.AttemptFinished && e.Status == state.Waiting && e.Account != "":
		if p, _ := r.Find(e.Phase); p.Waits > 3 {
			l.broken = append(l.broken, fmt.Sprintf("%s waits for the %dth time", e.Phase, p.Waits))
		}
		l.until[e.Account], l.met[e.Account] = e.Until, e.Time
		delete(l.tried, e.Account)
	case e.Type == state.AttemptFinished && e.Status != state.Complete:
		// it has gone over to another agent, or has halted the run
		delete(l.tried, e.Result.Account)
	case e.Type == state.AttemptFinished && e.Status == state.Complete && !e.Result.Started.Before(l.met[e.Result.Account]):
		delete(l.met, e.Result.Account)
		delete(l.tried, e.Result.Account)
	}
	return nil
}

// A resume tries the account at once: the limit that was waited for is forgotten.
func TestResumeTriesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := true
		w := &limited{takes: time.Minute, refused: func(_ state.Task, now time.Time) (time.Time, failure.Type) {
			if refuse {
				return now.Add(10 * time.Hour), failure.UsageLimit
			}
			return time.Time{}, ""
		}}
		p := plantest.New(t, "1", "2")
		o := orchestra(p, w)
		o.Options.Policy = policy.Single{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var run state.Run
		if err := o.Run(ctx, &run, fresh()); !errors.Is(err, context.DeadlineExceeded) || run.Phases[0].Status != state.Waiting {
			t.Fatalf("Run = %v, phase 1 is %s", err, run.Phases[0].Status)
		}
		refuse = false
		session := fresh()
		session.Decisions = orchestrator.Resume(p, &run, orchestrator.ResumeOptions{})
		began := time.Now()
		if err := o.Run(t.Context(), &run, session); err != nil || time.Since(began) != time.Minute {
			t.Errorf("Run = %v after %s", err, time.Since(began))
		}
	})
}
