package failure_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"autobuild/failure"
)

func TestSingle(t *testing.T) {
	reset := time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	tests := failure.Diagnosis{Type: failure.TestFailure, Fingerprint: "a"}
	other := failure.Diagnosis{Type: failure.LintError, Fingerprint: "b"}
	limit := failure.Diagnosis{Type: failure.UsageLimit, Until: reset}
	open := failure.Diagnosis{Type: failure.UsageLimit}
	once := func(d ...failure.Diagnosis) failure.History { return failure.History{Failures: d} }
	for _, c := range []struct {
		name   string
		policy failure.Single
		d      failure.Diagnosis
		h      failure.History
		want   failure.Action
		until  time.Time
		delay  time.Duration
	}{
		{name: "first failure", d: tests, want: failure.Retry},
		{name: "the same again", d: tests, h: once(tests), want: failure.Fail},
		{name: "another one", d: tests, h: once(other), want: failure.Fail},
		{name: "more than two", d: tests, h: once(other, other), want: failure.Fail},
		{name: "not retryable", d: failure.Diagnosis{Type: failure.SetupFailure}, want: failure.Fail},
		{name: "conflict", d: failure.Diagnosis{Type: failure.FileConflict}, want: failure.Arbitrate},
		{name: "missing package", d: failure.Diagnosis{Type: failure.DependencyMissing}, want: failure.Fail},
		{name: "limit with a reset", d: limit, want: failure.Wait, until: reset},
		{name: "limit without one", d: open, want: failure.Wait, delay: 15 * time.Minute},
		{name: "limit, own poll", policy: failure.Single{Poll: time.Minute}, d: open, want: failure.Wait, delay: time.Minute},
		{name: "limit after a failure", d: limit, h: once(tests), want: failure.Wait, until: reset},
		{name: "third wait", d: limit, h: failure.History{Waits: 2}, want: failure.Wait, until: reset},
		{name: "fourth wait", d: limit, h: failure.History{Waits: 3}, want: failure.Halt},
		{name: "no waiting", policy: failure.Single{StopAtLimit: true}, d: limit, want: failure.Halt},
		{name: "login", d: failure.Diagnosis{Type: failure.AgentUnusable}, want: failure.Halt},
		{name: "plan", d: failure.Diagnosis{Type: failure.PlanInvalid}, want: failure.Halt},
		{name: "cycle", d: failure.Diagnosis{Type: failure.CircularDependency}, want: failure.Halt},
		{name: "budget", d: failure.Diagnosis{Type: failure.BudgetExhausted}, want: failure.Halt},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.policy.Decide(c.d, c.h)
			if got.Action != c.want || !got.Until.Equal(c.until) || got.Delay != c.delay {
				t.Errorf("%+v, want %s until %s after %s", got, c.want, c.until, c.delay)
			}
			if got.Rationale == "" || got.Attempts != 2 {
				t.Errorf("%+v: a decision says why, and how many attempts there are", got)
			}
		})
	}
}

// However failures and limits come, a phase gets no more attempts than the policy says, and waits spend none.
func TestSingleNeverExceedsItsAttempts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p failure.Policy = failure.Single{}
		var h failure.History
		attempts := 1
		for {
			d := failure.Diagnosis{
				Type:        rapid.SampledFrom(failure.Types()).Draw(t, "type"),
				Fingerprint: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "fingerprint"),
			}
			decision := p.Decide(d, h)
			switch decision.Action {
			case failure.Retry:
				attempts++
				h.Failures, h.Waits = append(h.Failures, d), 0
			case failure.Wait:
				h.Waits++
			case failure.Fail, failure.Halt, failure.Arbitrate:
				return
			default:
				t.Fatalf("action %q", decision.Action)
			}
			if attempts > p.Attempts() || h.Waits > 3 {
				t.Fatalf("%d attempts of %d, %d waits", attempts, p.Attempts(), h.Waits)
			}
		}
	})
}

// The reference's table of twelve types, and where practice adds to it.
func TestRetryable(t *testing.T) {
	want := []failure.Type{
		"test_failure", "lint_error", "typecheck_error", "format_error", "gate_failure", "task_incomplete",
		"verification_mismatch", "timeout", "parse_error", "agent_error",
	}
	for _, typ := range failure.Types() {
		if typ.Retryable() != slices.Contains(want, typ) {
			t.Errorf("%s: retryable %t", typ, typ.Retryable())
		}
		if !typ.Valid() {
			t.Errorf("%s is not valid", typ)
		}
	}
	if failure.Type("").Valid() || failure.Type("nonsense").Valid() {
		t.Error("an unknown type is valid")
	}
}

func Example() {
	d := failure.Diagnose(failure.Evidence{
		Agent: &failure.AgentRun{Name: "claude"},
		Claim: &failure.Claim{Complete: true, Gates: []string{"test passed (47)"}},
		Gates: []failure.GateRun{{
			Name: "test", Kind: "test", Command: "npm test", Exit: 1, Count: 1,
			Tests: []failure.Test{{Name: "validateToken", File: "auth.test.ts"}},
		}},
	})
	decision := failure.Single{}.Decide(d, failure.History{})
	fmt.Println(d.Type, "because of", d.Cause)
	fmt.Println(d.Message)
	fmt.Println(decision.Action+":", decision.Rationale)
	// Output:
	// verification_mismatch because of test_failure
	// claimed complete, but 1 test failing in auth.test.ts
	// retry: verification_mismatch (test_failure) is retryable: one retry with the error as context
}
