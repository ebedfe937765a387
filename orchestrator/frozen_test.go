package orchestrator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/orchestrator/plantest"
	"autobuild/plan"
	"autobuild/state"
)

// holding says which phases a session holds, by label.
func holding(t *testing.T, p *plan.Plan, labels string) []bool {
	t.Helper()
	held := make([]bool, p.Len())
	for _, label := range strings.Fields(labels) {
		phase, _ := p.Find(label)
		i, ok := p.Index(phase.ID)
		if !ok {
			t.Fatalf("the plan has no phase %s", label)
		}
		held[i] = true
	}
	return held
}

// A phase that freezes is a failed one; a frozen one of before blocks what needs it, and keeps
// nothing else from starting.
func TestNextFrozen(t *testing.T) {
	ice := frozen("F5")
	wide := []string{"1", "2A: 1", "2B: 1", "3: 2A", "4: 3", "5: 2B"}
	for _, c := range []struct {
		nextCase
		held string
	}{
		{nextCase: nextCase{
			law: "freezing blocks what needs the phase, directly or not", plan: wide, said: map[string]word{"1": complete, "2A": ice},
			want: "block 3 by 2a | block 4 by 2a",
		}},
		{nextCase: nextCase{
			law: "… and nothing else begins", plan: wide,
			said: map[string]word{"1": complete, "2A": ice, "3": is(state.Blocked, 0), "4": is(state.Blocked, 0)}, want: "halt: Phase 2A is frozen: F5",
		}},
		{nextCase: nextCase{
			law: "… unless the run keeps going", plan: wide, opts: Options{KeepGoing: true},
			said: map[string]word{"1": complete, "2A": ice, "3": is(state.Blocked, 0), "4": is(state.Blocked, 0)}, want: "start 2B#1",
		}},
		{held: "2A", nextCase: nextCase{
			law: "one of before blocks too", plan: wide, said: map[string]word{"1": complete, "2A": ice}, want: "block 3 by 2a | block 4 by 2a",
		}},
		{held: "2A 3 4", nextCase: nextCase{
			law: "… and the others begin", plan: wide,
			said: map[string]word{"1": complete, "2A": ice, "3": is(state.Blocked, 0), "4": is(state.Blocked, 0)}, want: "start 2B#1",
		}},
		{held: "2A 3 4", nextCase: nextCase{
			law: "… of later batches too", plan: wide,
			said: map[string]word{"1": complete, "2A": ice, "2B": complete, "3": is(state.Blocked, 0), "4": is(state.Blocked, 0)}, want: "start 5#1",
		}},
		{held: "2A 3 4", nextCase: nextCase{
			law: "… but the run does not finish", plan: wide,
			said: map[string]word{"1": complete, "2A": ice, "2B": complete, "3": is(state.Blocked, 0), "4": is(state.Blocked, 0), "5": complete},
			want: "halt: Phase 2A is frozen: F5",
		}},
		{held: "2A 3 4", nextCase: nextCase{
			law: "a failure of this session still stops the rest", plan: wide,
			said: map[string]word{"1": lost(2, failure.Fail, failure.TestFailure), "2A": ice, "3": is(state.Blocked, 0), "4": is(state.Blocked, 0)},
			want: "block 2B by 1 | block 5 by 1",
		}},
		{held: "1", nextCase: nextCase{
			law: "a frozen phase that nobody asked for lets the others finish", plan: []string{"1", "2"}, parts: "2",
			said: map[string]word{"1": ice, "2": complete}, want: "finish",
		}},
		{held: "1", nextCase: nextCase{
			law: "a budget ends a run that a frozen phase did not", plan: []string{"1", "2"}, opts: Options{MaxCost: 1},
			said: map[string]word{"1": func(p *state.Phase) { ice(p); spent(2, 0, 0)(p) }}, want: "stop budget_exhausted: the cost budget is spent: $2.00 of $1.00",
		}},
	} {
		if c.held != "" {
			c.opts.Held = holding(t, plantest.New(t, c.plan...), c.held)
		}
		c.check(t)
	}
}

// A frozen phase waits for the user or for an edited text; all other phases go on.
func TestResumeFrozen(t *testing.T) {
	ice := frozen("F5: it contradicts the plan")
	const held = "2A hold: frozen: F5: it contradicts the plan; a commit of yours, an edit of its text or autobuild reset 2A ends that"
	for name, c := range map[string]struct {
		said map[string]word
		past ResumeOptions
		want []string
	}{
		"held, with what it blocks": {
			said: map[string]word{"1": complete, "2A": ice, "2B": lost(2, failure.Fail, failure.TestFailure), "3": blockedBy("2a")},
			want: []string{"1 keep: complete", held, "2B again: failed: test_failure", "3 hold: blocked by 2A, which is frozen"},
		},
		"what another blocks is looked at again": {
			said: map[string]word{"1": complete, "2A": ice, "2B": lost(2, failure.Fail, failure.TestFailure), "3": blockedBy("2b")},
			want: []string{"1 keep: complete", held, "2B again: failed: test_failure", "3 again: was blocked by 2B"},
		},
		"another text thaws it": {
			said: map[string]word{"1": complete, "2A": edited(ice), "2B": complete, "3": blockedBy("2a")},
			want: []string{"1 keep: complete", "2A again: was frozen, and its text has changed", "2B keep: complete", "3 again: was blocked by 2A"},
		},
		"so does leaving it out for good": {
			said: map[string]word{"1": complete, "2A": ice, "2B": complete, "3": blockedBy("2a")}, past: ResumeOptions{Skip: map[string]string{"2a": "why"}},
			want: []string{"1 keep: complete", "2A again: failed: test_failure", "2B keep: complete", "3 again: was blocked by 2A"},
		},
		"other decisions hold nothing": {
			said: map[string]word{
				"1":  decided(1, failure.Decision{Action: failure.Arbitrate, To: failure.ToUser}),
				"2A": decided(1, failure.Decision{Action: failure.Block}), "2B": decided(1, failure.Decision{Action: failure.Replan}),
				"3": decided(1, failure.Decision{Action: failure.Escalate, To: failure.ToUser}),
			},
			want: []string{
				"1 again: failed: test_failure", "2A again: failed: test_failure", "2B again: failed: test_failure", "3 again: failed: test_failure",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := plantest.New(t, diamond...)
			var got []string
			for _, d := range Resume(p, runOf(t, p, c.said), c.past) {
				got = append(got, d.Label+" "+string(d.Verb)+": "+d.Reason)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
		})
	}
}

// A phase that no longer needs the frozen phase is not held for it.
func TestResumeFrozenElsewhere(t *testing.T) {
	run := runOf(t, plantest.New(t, "1", "2: 1"), map[string]word{"1": frozen("F5"), "2": blockedBy("1")})
	got := Resume(plantest.New(t, "1", "2"), run, ResumeOptions{})
	if got[0].Verb != Hold || got[1].Verb != Again {
		t.Errorf("decisions %+v", got)
	}
}

// A person's reset thaws: the phase begins, with all of its past and none of its proposals.
func TestThaw(t *testing.T) {
	p := plantest.New(t, diamond...)
	run := runOf(t, p, map[string]word{"1": complete, "2A": frozen("F5"), "2B": complete, "3": blockedBy("2a")})
	a, _ := run.Find("2a")
	a.Past, a.Proposals = []failure.Earlier{{Type: failure.TestFailure}}, 3
	if err := Reset(run, &heard{}, "2a", "reset by hand", noon); err != nil {
		t.Fatal(err)
	}
	if len(a.Past) != 1 || a.Proposals != 0 || a.Frozen() {
		t.Errorf("reset to %+v", a)
	}
	got := Resume(p, run, ResumeOptions{})
	if got[1].Verb != Begin || got[3].Verb != Again || got[3].Reason != "was blocked by 2A" {
		t.Errorf("decisions %+v", got)
	}
}
