package attempt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/state"
)

// spends makes the bench's agent tell these usages one after the other, and go on until it is
// stopped, if it is.
func (b *bench) spends(all ...state.Usage) {
	b.agent.does = func(ctx context.Context, job Job) {
		for _, u := range all {
			job.Spent(u.CostUSD, u.InputTokens, u.OutputTokens)
			b.agent.out.CostUSD, b.agent.out.InputTokens, b.agent.out.OutputTokens = u.CostUSD, u.InputTokens, u.OutputTokens
			if cause := context.Cause(ctx); cause != nil { // as an agent whose context has ended
				b.agent.out.Final, b.agent.out.Signal, b.agent.out.ExitCode, b.agent.err = "", "SIGTERM", -1, cause
				return
			}
		}
	}
}

func cents(n float64) state.Usage { return state.Usage{CostUSD: n / 100} }

// The run's budget is no fault of the phase: the attempt gives *failure.Spent, its usage is
// recorded, nothing is verified.
func TestRunBudget(t *testing.T) {
	b := newBench(t)
	b.runner.Meter = NewMeter(Budget{CostUSD: 1}, cents(40))
	b.spends(cents(10), cents(45), cents(62), cents(90))
	got, err := b.attempt()
	spent, ok := errors.AsType[*failure.Spent](err)
	if !ok || spent.Reason != "the cost budget is spent: $1.02 of $1.00" {
		t.Fatalf("Attempt = %v", err)
	}
	if got.Usage != cents(62) || got.Verdict != "" || len(b.checks.prefixes) > 0 {
		t.Errorf("usage %+v, verdict %q, gates %q", got.Usage, got.Verdict, b.checks.prefixes)
	}
	if notes := b.notes(); len(notes) != 1 || notes[0] != "the run has used up 85 % of what it may cost: $0.85 of $1.00" {
		t.Errorf("notices %q", notes)
	}
	if b.agent.job.MaxCost != 0.6 {
		t.Errorf("the agent was told that it may cost $%.2f", b.agent.job.MaxCost)
	}
}

// A phase's budget is its own failure, counts what earlier attempts spent, and is not begun again
// when nothing is left.
func TestPhaseBudget(t *testing.T) {
	b := newBench(t)
	b.runner.Meter = NewMeter(Budget{CostUSD: 100}, cents(50))
	b.runner.Budget, b.task.Spent = Budget{Tokens: 100}, state.Usage{OutputTokens: 30}
	b.spends(state.Usage{InputTokens: 40}, state.Usage{InputTokens: 40, OutputTokens: 35})
	got, d := b.fails()
	if d.Type != failure.BudgetExhausted || d.Message != "out of budget: the phase has used 105 tokens and may use 100" {
		t.Errorf("%s: %s", d.Type, d.Message)
	}
	if got.Usage.OutputTokens != 35 || got.Changes.Len() != 1 {
		t.Errorf("usage %+v, changes %+v: what was done must be known", got.Usage, got.Changes)
	}
	b.task.Spent, b.agent.job = state.Usage{OutputTokens: 100}, Job{}
	if _, d := b.fails(); d.Type != failure.BudgetExhausted || b.agent.job.Prompt != "" {
		t.Errorf("%s, and the agent got %q", d.Type, b.agent.job.Prompt)
	}
}

// Who has said its result when the budget ends is judged by it: the work is paid for.
func TestBudgetAfterResult(t *testing.T) {
	for name, does := range map[string]func(b *bench){
		"with its end": func(b *bench) { b.agent.out.CostUSD = 5 },
		"just before its end": func(b *bench) {
			final := b.agent.out.Final
			b.spends(cents(500))
			inner := b.agent.does
			b.agent.does = func(ctx context.Context, job Job) {
				inner(ctx, job)
				b.agent.out.Final = final
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.runner.Meter = NewMeter(Budget{CostUSD: 1}, state.Usage{})
			does(b)
			b.lands(state.Verified)
		})
	}
}

// An agent that stops itself at what it may cost ends like one that is stopped, for the budget that
// was the smaller one.
func TestOwnCap(t *testing.T) {
	for name, c := range map[string]struct {
		run, phase float64
		told       float64
		ofRun      bool
	}{
		"run": {2, 3, 2, true}, "phase": {3, 2, 2, false}, "only the run's": {2, 0, 2, true}, "only the phase's": {0, 2, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.runner.Meter, b.runner.Budget = NewMeter(Budget{CostUSD: c.run}, state.Usage{}), Budget{CostUSD: c.phase}
			b.agent.out = Outcome{Claims: true, Kind: "budget_exhausted", Message: "stopped by its own limit", ExitCode: 1, CostUSD: 1.99}
			_, err := b.attempt()
			_, ofRun := errors.AsType[*failure.Spent](err)
			d, ofPhase := asFailure(err)
			if ofRun != c.ofRun || ofPhase == c.ofRun || ofPhase && d.Diagnosis.Type != failure.BudgetExhausted {
				t.Errorf("Attempt = %v", err)
			}
			if b.agent.job.MaxCost != c.told {
				t.Errorf("told $%.2f", b.agent.job.MaxCost)
			}
		})
	}
}

// What an interrupted attempt has used up is recorded: a resume goes on counting.
func TestInterruptedUsage(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.agent.does = func(context.Context, Job) {
		cancel(errors.New("interrupted"))
		b.agent.out.CostUSD, b.agent.err = 0.25, context.Cause(ctx)
	}
	got, err := asError(b.runner.Attempt(ctx, b.task, func(state.Event) {}))
	if err == nil || got.Usage != cents(25) {
		t.Errorf("%v; usage %+v", err, got.Usage)
	}
}

// notes are the notices so far.
func (b *bench) notes() (texts []string) {
	for _, e := range b.events {
		if e.Type == state.Notice {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// TestMeterLaws: whatever attempts tell, in whatever order, the meter's sum is that of the last
// word of each; nobody is stopped while something is left, everybody once nothing is, and an
// attempt at a phase's own limit alone.
func TestMeterLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := Budget{Tokens: rapid.Int64Range(0, 400).Draw(t, "run")}
		phase := Budget{Tokens: rapid.Int64Range(0, 200).Draw(t, "phase")}
		used := rapid.Int64Range(0, 100).Draw(t, "used")
		m := NewMeter(run, state.Usage{InputTokens: used})
		var (
			tabs  [3]*tab
			last  [3]int64
			cause [3]error
		)
		for i := range tabs {
			tabs[i], _ = m.start(phase, state.Usage{}, func(err error) {
				if cause[i] == nil {
					cause[i] = err
				}
			})
		}
		if used >= run.Tokens && run.Tokens > 0 {
			if tabs[0] != nil {
				t.Fatal("an attempt began with nothing left")
			}
			return
		}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			i := rapid.IntRange(0, 2).Draw(t, "who")
			last[i] += rapid.Int64Range(0, 60).Draw(t, "more")
			tabs[i].set(state.Usage{InputTokens: last[i]})
			sum := used + last[0] + last[1] + last[2]
			for j := range tabs {
				over := run.Tokens > 0 && sum >= run.Tokens || phase.Tokens > 0 && last[j] >= phase.Tokens
				if over != (cause[j] != nil) {
					t.Fatalf("attempt %d at %d of %+v, run at %d of %+v: stopped by %v", j, last[j], phase, sum, run, cause[j])
				}
			}
		}
		for i := range tabs {
			tabs[i].close(state.Usage{InputTokens: last[i]})
		}
		if m.ended.InputTokens != used+last[0]+last[1]+last[2] || len(m.open) > 0 {
			t.Fatalf("the meter ends at %+v with %d open", m.ended, len(m.open))
		}
	})
}

// TestMeterSideBySide: attempts tell at the same time, each stop reaches each, and no cent is lost.
func TestMeterSideBySide(t *testing.T) {
	const attempts, steps = 8, 100
	m := NewMeter(Budget{CostUSD: 1}, state.Usage{})
	var stopped sync.WaitGroup
	var all sync.WaitGroup
	stopped.Add(attempts)
	var tabs []*tab // all are open before any begins to spend
	for range attempts {
		var once sync.Once
		tab, err := m.start(Budget{}, state.Usage{}, func(error) { once.Do(stopped.Done) })
		if err != nil {
			t.Fatal(err)
		}
		tabs = append(tabs, tab)
	}
	for _, tab := range tabs {
		all.Go(func() {
			for i := range steps {
				tab.set(cents(float64(i + 1)))
			}
			stopped.Wait()
			tab.close(cents(steps))
		})
	}
	all.Wait()
	if math.Abs(m.ended.CostUSD-attempts) > 1e-9 {
		t.Errorf("the meter ends at $%.4f", m.ended.CostUSD)
	}
}

// A notice is told once for each budget, and not before most of it is used up.
func TestNearly(t *testing.T) {
	m := NewMeter(Budget{CostUSD: 10}, state.Usage{})
	tab, _ := m.start(Budget{Tokens: 1000}, state.Usage{InputTokens: 500}, func(error) {})
	var told []string
	for _, u := range []state.Usage{{CostUSD: 7.99}, {CostUSD: 8}, {CostUSD: 8, OutputTokens: 299}, {CostUSD: 9, OutputTokens: 400}, {CostUSD: 9.5, OutputTokens: 450}} {
		told = append(told, fmt.Sprint(tab.set(u)))
	}
	want := "[] [the run has used up 80 % of what it may cost: $8.00 of $10.00] [] [the phase has used up 90 % of its tokens: 900 of 1000] []"
	if got := strings.Join(told, " "); got != want {
		t.Errorf("told %s\nwant %s", got, want)
	}
}
