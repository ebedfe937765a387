package local

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"autobuild/failure"
	"autobuild/failure/policy"
	"autobuild/orchestrator"
	"autobuild/orchestrator/plantest"
	"autobuild/state"
)

// An error that no sign names, with nothing billed, is waited for once a phase. Alone, the agent
// then spends its attempts; with another one in the list that one goes on, and no attempt is spent.
func TestUnknownError(t *testing.T) {
	unknown := failure.Diagnosis{Type: failure.AgentError, Message: "418 I am a teapot", Unbilled: true, Retryable: true}
	for name, c := range map[string]struct {
		agents [][]orchestrator.Agent
		fails  func(failure.Diagnosis, state.Task) bool
		want   []string
	}{
		"alone": {nil, func(failure.Diagnosis, state.Task) bool { return true }, []string{"0s 1#1 ", "31s 1#1 ", "32s 1#2 "}},
		"once": {nil, func() func(failure.Diagnosis, state.Task) bool {
			n := 0
			return func(failure.Diagnosis, state.Task) bool { n++; return n == 1 }
		}(), []string{"0s 1#1 ", "31s 1#1 "}},
		"a list": {[][]orchestrator.Agent{{{Name: "claude", Account: "a"}, {Name: "codex", Account: "b"}}}, func(_ failure.Diagnosis, task state.Task) bool {
			return task.Agent == "claude"
		}, []string{"0s 1#1 claude", "1s 1#1 codex"}},
		"one account": {[][]orchestrator.Agent{{{Name: "claude", Account: "a"}, {Name: "twin", Account: "a"}}}, func(_ failure.Diagnosis, task state.Task) bool {
			return task.Agent == "claude"
		}, []string{"0s 1#1 claude", "31s 1#1 claude", "32s 1#1 twin"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []string
			start := time.Now()
			work := doer(func(_ context.Context, task state.Task) (state.Attempt, error) {
				got = append(got, fmt.Sprintf("%s %s#%d %s", time.Since(start), task.Phase.ID, task.Attempt, task.Agent))
				time.Sleep(time.Second)
				if c.fails(unknown, task) {
					return state.Attempt{}, &failure.Failure{Diagnosis: unknown}
				}
				return state.Attempt{Verdict: state.Verified, Commit: &state.Commit{Message: "done"}}, nil
			})
			o := orchestra(plantest.New(t, "1"), work)
			o.Options.Agents, o.Options.Policy = c.agents, policy.Single{}
			var run state.Run
			_ = o.Run(t.Context(), &run, fresh())
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		})
	}
}

// A model that refuses a phase is not asked again; the next agent of the list does that phase, and
// the others stay with the first.
func TestRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		agents []orchestrator.Agent
		want   []string
	}{
		"alone":  {nil, []string{"1#1 "}},
		"a list": {[]orchestrator.Agent{{Name: "claude", Account: "a"}, {Name: "codex", Account: "a"}, {Name: "gemini", Account: "b"}}, []string{"1#1 claude", "1#1 codex", "1#1 gemini", "2#1 claude"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []string
			work := doer(func(_ context.Context, task state.Task) (state.Attempt, error) {
				got = append(got, fmt.Sprintf("%s#%d %s", task.Phase.ID, task.Attempt, task.Agent))
				if task.Phase.ID == "1" && task.Agent != "gemini" {
					return state.Attempt{}, &failure.Failure{Diagnosis: failure.Diagnosis{Type: failure.Refusal, Message: "no"}}
				}
				return state.Attempt{Verdict: state.Verified, Commit: &state.Commit{Message: "done"}}, nil
			})
			o := orchestra(plantest.New(t, "1", "2: 1"), work)
			o.Options.Policy = policy.Single{}
			if c.agents != nil {
				o.Options.Agents = [][]orchestrator.Agent{c.agents, c.agents}
			}
			var run state.Run
			err := o.Run(t.Context(), &run, fresh())
			if !slices.Equal(got, c.want) || (err == nil) != (c.agents != nil) {
				t.Errorf("%s: %q, want %q; %v", name, got, c.want, err)
			}
		})
	}
}
