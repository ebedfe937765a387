package orchestrator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/orchestrator/plantest"
	"autobuild/plan"
	"autobuild/state"
)

// told formats actions in a few words: "start 2A#1", "block 3 by 2a", "sleep 10m0s".
func told(p *plan.Plan, actions []Action) []string {
	var words []string
	for _, a := range actions {
		switch a.Kind {
		case Start:
			words = append(words, fmt.Sprintf("start %s#%d", p.At(a.Phase).Label, a.Attempt))
		case Block:
			words = append(words, fmt.Sprintf("block %s by %s", p.At(a.Phase).Label, a.By))
		case Sleep:
			words = append(words, "sleep "+a.Until.Sub(noon).String())
		case Finish:
			words = append(words, "finish")
		case Halt:
			words = append(words, "halt: "+a.Reason)
		case Stop:
			words = append(words, fmt.Sprintf("stop %s: %s", a.StopType, a.Reason))
		}
	}
	return words
}

// nextCase is one rule of Next.
type nextCase struct {
	law   string
	plan  []string // diamond where nil
	said  map[string]word
	opts  Options
	parts string // labels of the selected phases; all where empty
	want  string // actions, separated by " | "; empty: none
}

var diamond = plantest.Diamond

func (c nextCase) check(t *testing.T) {
	t.Helper()
	lines := c.plan
	if lines == nil {
		lines = diamond
	}
	p := plantest.New(t, lines...)
	if c.parts != "" {
		c.opts.Selected = make([]bool, p.Len())
		for _, label := range strings.Fields(c.parts) {
			phase, _ := p.Find(label)
			i, _ := p.Index(phase.ID)
			c.opts.Selected[i] = true
		}
	}
	run, before := runOf(t, p, c.said), runOf(t, p, c.said)
	got := strings.Join(told(p, Next(p, run, c.opts, noon)), " | ")
	if got != c.want {
		t.Errorf("%s:\n got %s\nwant %s", c.law, got, c.want)
	}
	if diff := cmp.Diff(before, run, cmpopts.IgnoreUnexported(state.Run{})); diff != "" {
		t.Errorf("%s: Next changed the run:\n%s", c.law, diff)
	}
}

var (
	complete = is(state.Complete, 1)
	running  = is(state.Running, 1)
)

func TestNextBatch(t *testing.T) {
	five := []string{"1", "2", "3", "4", "5"}
	for _, c := range []nextCase{
		{law: "a fresh run starts what needs nothing", want: "start 1#1"},
		{law: "what needs the same starts together", said: map[string]word{"1": complete}, want: "start 2A#1 | start 2B#1"},
		{law: "while a batch runs and nothing is ready, nothing happens", said: map[string]word{"1": running}},
		{law: "a phase waits for all that it needs", said: map[string]word{"1": complete, "2A": complete, "2B": running}},
		{law: "a skipped need is as good as a complete one", said: map[string]word{"1": is(state.Skipped, 0)}, want: "start 2A#1 | start 2B#1"},
		{law: "four run at once by default", plan: five, want: "start 1#1 | start 2#1 | start 3#1 | start 4#1"},
		{law: "no more run than may", plan: five, opts: Options{Jobs: 2}, want: "start 1#1 | start 2#1"},
		{law: "what runs counts", plan: five, said: map[string]word{"1": running}, opts: Options{Jobs: 2}, want: "start 2#1"},
		{law: "more may run than there is", plan: five, opts: Options{Jobs: 9}, want: "start 1#1 | start 2#1 | start 3#1 | start 4#1 | start 5#1"},
		{law: "too many that run are no reason to fail", plan: five, said: map[string]word{"1": running, "2": running}, opts: Options{Jobs: 1}},
		{
			law:  "a conflict is redone when nothing else runs or is ready",
			plan: five, said: map[string]word{"1": redo(1), "2": redo(1), "3": failed(1, 0), "4": complete, "5": complete}, want: "start 3#2",
		},
		{
			law:  "… not while something runs",
			plan: five, said: map[string]word{"1": redo(1), "2": redo(1), "3": is(state.Running, 2), "4": complete, "5": complete},
		},
		{
			law:  "… and one after the other",
			plan: five, said: map[string]word{"1": redo(1), "2": redo(1), "3": complete, "4": complete, "5": complete}, want: "start 1#2",
		},
		{
			law:  "nothing starts beside it, whatever the schedule",
			plan: five, said: map[string]word{"1": redoing(), "2": redo(1), "3": complete, "4": complete}, opts: Options{Schedule: Eager},
		},
		{
			law: "a batch waits for the one before, needed or not", plan: []string{"1", "X", "2: 1"},
			said: map[string]word{"1": complete, "X": running},
		},
		{
			law:  "a retry waits until the siblings have ended",
			said: map[string]word{"1": complete, "2A": failed(1, 0), "2B": running},
		},
		{
			law: "first attempts come before retries", plan: five, opts: Options{Jobs: 5},
			said: map[string]word{"1": failed(1, 0), "2": failed(1, 0), "3": complete, "4": complete},
			want: "start 5#1",
		},
		{
			law:  "retries start side by side",
			said: map[string]word{"1": complete, "2A": failed(1, 0), "2B": failed(1, 0)}, want: "start 2A#2 | start 2B#2",
		},
		{
			law:  "a second retry waits for the first one of a sibling",
			said: map[string]word{"1": complete, "2A": failed(1, 0), "2B": failed(2, 0)}, want: "start 2A#2",
		},
		{
			law:  "a retry starts beside a sibling's retry",
			said: map[string]word{"1": complete, "2A": failed(1, 0), "2B": is(state.Running, 2)}, want: "start 2A#2",
		},
		{
			law:  "… but a second one does not",
			said: map[string]word{"1": complete, "2A": failed(2, 0), "2B": is(state.Running, 2)},
		},
		{
			law: "only siblings hold back a retry", plan: []string{"1", "2: 1"},
			said: map[string]word{"1": failed(1, 0), "2": running}, want: "start 1#2",
		},
		{
			law:  "the next batch starts when the last one is settled",
			said: map[string]word{"1": complete, "2A": complete, "2B": complete}, want: "start 3#1",
		},
	} {
		c.check(t)
	}
}

func TestNextEager(t *testing.T) {
	eager := Options{Schedule: Eager}
	for _, c := range []nextCase{
		{
			law: "a phase starts when its own needs are complete", plan: []string{"1", "X", "2: 1"}, opts: eager,
			said: map[string]word{"1": complete, "X": running}, want: "start 2#1",
		},
		{
			law: "a retry starts at once", opts: eager,
			said: map[string]word{"1": complete, "2A": failed(1, 0), "2B": running}, want: "start 2A#2",
		},
		{
			law: "the longest remaining path starts first", plan: []string{"1", "2", "3: 2"}, opts: eager, want: "start 2#1 | start 1#1",
		},
		{
			law: "… by estimates, where there are any", plan: []string{"1;1", "2;9", "3: 1;5"}, opts: eager, want: "start 2#1 | start 1#1",
		},
		{
			law: "… and document order breaks ties", plan: []string{"1", "2", "3", "4: 3", "5: 2"}, opts: eager, want: "start 2#1 | start 3#1 | start 1#1",
		},
		{
			law: "with one job, the longest path takes it", plan: []string{"1", "2", "3: 2"}, opts: Options{Schedule: Eager, Jobs: 1}, want: "start 2#1",
		},
	} {
		c.check(t)
	}
}

func TestNextAfterFailure(t *testing.T) {
	gone := lost(2, failure.Fail, failure.TestFailure)
	keep := Options{KeepGoing: true}
	wide := []string{"1", "2A: 1", "2B: 1", "3: 2A", "4: 3", "5: 2B"}
	for _, c := range []nextCase{
		{
			law: "everything downstream is blocked, by the root", plan: wide,
			said: map[string]word{"1": complete, "2A": gone, "2B": complete}, want: "block 3 by 2a | block 4 by 2a",
		},
		{law: "… by the first root in the document", said: map[string]word{"1": complete, "2A": gone, "2B": gone}, want: "block 3 by 2a"},
		{
			law:  "a phase that is to be tried again blocks nobody",
			said: map[string]word{"1": complete, "2A": failed(1, 0), "2B": complete}, want: "start 2A#2",
		},
		{
			law: "blocks come in document order", plan: []string{"1", "2", "3: 2", "4: 1"},
			said: map[string]word{"1": gone, "2": gone}, want: "block 3 by 2 | block 4 by 1",
		},
		{
			law: "only what is pending is blocked", plan: wide, opts: keep,
			said: map[string]word{"1": complete, "2A": gone, "2B": complete, "3": complete, "4": is(state.Blocked, 0)}, want: "start 5#1",
		},
		{
			law: "what nobody wants to run is not blocked", plan: wide, parts: "1 2A 3",
			said: map[string]word{"1": complete, "2A": gone}, want: "block 3 by 2a",
		},
		{
			law:  "after a failure no new phase starts",
			said: map[string]word{"1": complete, "2A": gone, "3": is(state.Blocked, 0)}, want: "halt: Phase 2A failed after retry",
		},
		{
			law:  "… but what runs may end",
			said: map[string]word{"1": complete, "2A": gone, "2B": running, "3": is(state.Blocked, 0)},
		},
		{
			law:  "… and what has begun gets its retry",
			said: map[string]word{"1": complete, "2A": gone, "2B": failed(1, 0), "3": is(state.Blocked, 0)}, want: "start 2B#2",
		},
		{
			law: "keep-going starts what does not depend on it", opts: keep,
			said: map[string]word{"1": complete, "2A": gone, "3": is(state.Blocked, 0)}, want: "start 2B#1",
		},
		{
			law: "… of later batches too", plan: wide, opts: keep,
			said: map[string]word{"1": complete, "2A": gone, "2B": complete, "3": is(state.Blocked, 0), "4": is(state.Blocked, 0)}, want: "start 5#1",
		},
		{
			law: "keep-going ends in a halt nevertheless", opts: keep,
			said: map[string]word{"1": complete, "2A": gone, "2B": complete, "3": is(state.Blocked, 0)}, want: "halt: Phase 2A failed after retry",
		},
		{
			law: "a decision to halt beats keep-going", opts: keep,
			said: map[string]word{"1": complete, "2A": lost(1, failure.Halt, failure.AgentUnusable), "3": is(state.Blocked, 0)},
			want: "halt: Phase 2A failed: agent_unusable",
		},
		{
			law: "… and a retry", opts: keep,
			said: map[string]word{"1": complete, "2A": lost(1, failure.Halt, failure.AgentUnusable), "2B": failed(1, time.Hour), "3": is(state.Blocked, 0)},
			want: "halt: Phase 2A failed: agent_unusable; Phase 2B failed",
		},
		{
			law:  "… and a limit",
			said: map[string]word{"1": complete, "2A": lost(1, failure.Halt, failure.AgentUnusable), "2B": waits(time.Hour), "3": is(state.Blocked, 0)},
			want: "halt: Phase 2A failed: agent_unusable",
		},
		{
			law: "… in whatever order they failed", opts: keep, plan: []string{"1", "2", "3"},
			said: map[string]word{"1": lost(1, failure.Halt, failure.AgentUnusable), "2": gone},
			want: "halt: Phase 1 failed: agent_unusable; Phase 2 failed after retry",
		},
		{
			law:  "… but not what runs",
			said: map[string]word{"1": complete, "2A": lost(1, failure.Halt, failure.AgentUnusable), "2B": running, "3": is(state.Blocked, 0)},
		},
		{
			law: "a run that is complete but for a failure does not finish", plan: []string{"1"},
			said: map[string]word{"1": lost(1, failure.Fail, failure.FileConflict)}, want: "halt: Phase 1 failed: file_conflict",
		},
		{
			law: "a run whose rest waits for what will not run says so", plan: []string{"1", "2: 1"}, parts: "2",
			want: "halt: nothing can start: every phase that is left waits for one that will not run",
		},
		{
			law: "an unselected failure of before ends no selected phase", plan: []string{"1", "2"}, parts: "2", opts: keep,
			said: map[string]word{"1": gone}, want: "start 2#1",
		},
	} {
		c.check(t)
	}
}

func TestNextBudgets(t *testing.T) {
	two := []string{"1", "2: 1"}
	done := func(w word) word {
		return func(p *state.Phase) { complete(p); w(p) }
	}
	for _, c := range []nextCase{
		{law: "below the cost budget", plan: two, opts: Options{MaxCost: 2}, said: map[string]word{"1": done(spent(1.99, 0, 0))}, want: "start 2#1"},
		{
			law: "at the cost budget", plan: two, opts: Options{MaxCost: 2}, said: map[string]word{"1": done(spent(2, 0, 0))},
			want: "stop budget_exhausted: the cost budget is spent: $2.00 of $2.00",
		},
		{law: "no cost budget", plan: two, opts: Options{MaxTokens: 10}, said: map[string]word{"1": done(spent(2, 0, 0))}, want: "start 2#1"},
		{law: "below the token budget", plan: two, opts: Options{MaxTokens: 100}, said: map[string]word{"1": done(spent(0, 49, 50))}, want: "start 2#1"},
		{
			law: "at the token budget, in and out", plan: two, opts: Options{MaxTokens: 100}, said: map[string]word{"1": done(spent(0, 50, 50))},
			want: "stop budget_exhausted: the token budget is spent: 100 of 100",
		},
		{law: "no token budget", plan: two, opts: Options{MaxCost: 9}, said: map[string]word{"1": done(spent(1, 50, 50))}, want: "start 2#1"},
		{
			law: "what was spent before a reset counts", plan: two, opts: Options{MaxCost: 1}, said: map[string]word{"1": spent(1, 0, 0)},
			want: "stop budget_exhausted: the cost budget is spent: $1.00 of $1.00",
		},
		{
			law: "while others run", plan: []string{"1", "2"}, opts: Options{MaxCost: 1},
			said: map[string]word{"1": done(spent(1, 0, 0)), "2": running},
			want: "stop budget_exhausted: the cost budget is spent: $1.00 of $1.00",
		},
		{
			law: "a failure is a better reason to end than a budget", plan: two, opts: Options{MaxCost: 1},
			said: map[string]word{"1": func(p *state.Phase) { lost(2, failure.Fail, failure.TestFailure)(p); p.Spent.CostUSD = 5 }, "2": is(state.Blocked, 0)},
			want: "halt: Phase 1 failed after retry",
		},
		{
			law: "… unless the run would go on", plan: []string{"1", "2"}, opts: Options{MaxCost: 1, KeepGoing: true},
			said: map[string]word{"1": func(p *state.Phase) { lost(2, failure.Fail, failure.TestFailure)(p); p.Spent.CostUSD = 5 }},
			want: "stop budget_exhausted: the cost budget is spent: $5.00 of $1.00",
		},
		{law: "a part that is complete needs no budget", plan: two, parts: "1", opts: Options{MaxCost: 1}, said: map[string]word{"1": done(spent(5, 0, 0))}, want: "finish"},
		{law: "a run that is complete needs no budget", plan: []string{"1"}, opts: Options{MaxCost: 1}, said: map[string]word{"1": done(spent(5, 0, 0))}, want: "finish"},
	} {
		c.check(t)
	}
}

func TestNextParts(t *testing.T) {
	for _, c := range []nextCase{
		{law: "only what is selected starts", parts: "1 2B", said: map[string]word{"1": complete}, want: "start 2B#1"},
		{law: "what is not selected opens no batch", parts: "2A 2B", plan: []string{"1", "2A", "2B: 2A"}, said: map[string]word{"2A": complete}, want: "start 2B#1"},
		{law: "a part is finished when it is complete", parts: "1 2A", said: map[string]word{"1": complete, "2A": complete}, want: "finish"},
		{law: "a plan is finished when all of it is complete or skipped", plan: []string{"1", "2"}, said: map[string]word{"1": complete, "2": is(state.Skipped, 0)}, want: "finish"},
		{law: "what is not selected and has a try left is not tried", parts: "2B", said: map[string]word{"1": complete, "2A": failed(1, 0)}, want: "start 2B#1"},
	} {
		c.check(t)
	}
}

func TestHaltReason(t *testing.T) {
	p := plantest.New(t, "1", "2", "3", "4")
	gone := lost(2, failure.Fail, failure.TestFailure)
	for want, said := range map[string]map[string]word{
		"Phase 1 failed": {"1": lost(1, failure.Fail, failure.TestFailure)},
		"Phase 1 failed after retry; Phase 2 failed: file_conflict; Phase 3 failed after retry": {
			"1": gone, "2": lost(2, failure.Fail, failure.FileConflict), "3": gone,
		},
		"4 phases failed: 1, 2, 3, 4": {"1": gone, "2": gone, "3": gone, "4": gone},
		"Phase 4 failed":              {"4": is(state.Failed, 0)},
		"Phase 1 failed after 4 attempts; Phase 2 failed after retry": {
			"1": lost(4, failure.Fail, failure.TestFailure), "2": lost(2, failure.Replan, failure.TestFailure),
		},
		"Phase 1 is frozen: F5: it contradicts the plan; Phase 2 needs a person: blocked (discovery)": {
			"1": decided(2, failure.Decision{Action: failure.Freeze, Rationale: "F5: it contradicts the plan"}),
			"2": decided(1, failure.Decision{Action: failure.Block, Rule: "known-fix.discovery"}),
		},
		"Phase 1 needs a person: test_failure; Phase 2 needs a person: test_failure; Phase 3 needs a person: blocked (discovery)": {
			"1": decided(4, failure.Decision{Action: failure.Escalate, To: failure.ToUser}),
			"2": decided(1, failure.Decision{Action: failure.Arbitrate, To: failure.ToUser}),
			"3": decided(1, failure.Decision{Action: failure.Block}),
		},
	} {
		if labels, reason := haltReason(runOf(t, p, said)); reason != want || len(labels) != len(said) {
			t.Errorf("reason %q of %q, want %q", reason, labels, want)
		}
	}
}

// For every run: the answer is deterministic and never empty while nothing runs. It starts nothing
// twice, nothing that is not due, and never more than may run.
func TestNextLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		drawn := plantest.Draw(rt)
		opts := Options{
			Jobs:      rapid.IntRange(1, 5).Draw(rt, "jobs"),
			Schedule:  rapid.SampledFrom([]Schedule{Batch, Eager}).Draw(rt, "schedule"),
			KeepGoing: rapid.Bool().Draw(rt, "keep going"),
		}
		words := []word{
			is(state.Pending, 0), is(state.Pending, 0), complete, complete, running, failed(1, 0), failed(1, time.Hour),
			waits(time.Hour), waits(-time.Hour), is(state.Blocked, 0), is(state.Skipped, 0),
			lost(1, failure.Fail, failure.TestFailure), lost(1, failure.Halt, failure.AgentUnusable),
		}
		said := make(map[string]word)
		for _, phase := range drawn.Phases() {
			said[phase.Label] = words[rapid.IntRange(0, len(words)-1).Draw(rt, "word")]
		}
		opts.StopLimit = rapid.Bool().Draw(rt, "stop at limit")
		run := runOf(t, drawn, said)
		actions := Next(drawn, run, opts, noon)
		if diff := cmp.Diff(actions, Next(drawn, run, opts, noon)); diff != "" {
			rt.Errorf("asked twice, Next answers:\n%s", diff)
		}
		at := run.Totals().Running
		if len(actions) == 0 && at == 0 {
			rt.Error("nothing runs and nothing is to be done")
		}
		begun := make(map[int]bool)
		for _, a := range actions {
			if a.Kind != Start {
				continue
			}
			if begun[a.Phase] {
				rt.Errorf("phase %d is started twice", a.Phase)
			}
			begun[a.Phase] = true
			dueNow(rt, drawn, run, a)
		}
		if n := at + len(begun); len(begun) > 0 && n > opts.Jobs {
			rt.Errorf("%d would run, %d may", n, opts.Jobs)
		}
	})
}

func dueNow(t *rapid.T, p *plan.Plan, run *state.Run, a Action) {
	t.Helper()
	q := &run.Phases[a.Phase]
	if a.Attempt != len(q.Attempts)+1 {
		t.Errorf("attempt %d after %d", a.Attempt, len(q.Attempts))
	}
	next := *run
	next.Phases = append([]state.Phase(nil), run.Phases...)
	if err := next.Apply(state.Event{Type: state.PhaseStarted, Phase: q.ID, Attempt: a.Attempt}); err != nil {
		t.Error(err)
	}
	for _, need := range p.Needs(a.Phase) {
		if s := run.Phases[need].Status; q.Status == state.Pending && s != state.Complete && s != state.Skipped {
			t.Errorf("phase %s starts, and needs one that is %s", q.ID, s)
		}
	}
	if q.Status == state.Failed && q.RetryAt().After(noon) || q.Status == state.Waiting && q.Until.After(noon) {
		t.Errorf("phase %s starts before its time", q.ID)
	}
}
