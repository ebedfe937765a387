package failure_test

import (
	"fmt"
	"slices"
	"testing"

	"autobuild/failure"
)

func singleCases() []ruling {
	tests := failure.Diagnosis{Type: failure.TestFailure, Fingerprint: "a"}
	other := failure.Diagnosis{Type: failure.LintError, Fingerprint: "b"}
	lied := failure.Diagnosis{Type: failure.VerificationMismatch, Cause: failure.TestFailure, Fingerprint: "a"}
	setup := failure.Diagnosis{Type: failure.SetupFailure}
	stuck := failure.Diagnosis{Type: failure.SetupFailure, Class: failure.Classification{Class: failure.StoryLevel}}
	blind := failure.Diagnosis{Type: failure.ParseError}
	one := failure.Single{}
	return []ruling{
		{name: "first failure", policy: one, d: tests, action: failure.Retry, rule: "single.retry", says: "test_failure is retryable"},
		{name: "mismatch", policy: one, d: lied, action: failure.Retry, rule: "single.retry", says: "verification_mismatch (test_failure) is retryable"},
		{name: "the same again", policy: one, d: tests, h: after(tests), action: failure.Fail, rule: "single.same-again", says: "the same test_failure as in attempt 1"},
		{name: "another one", policy: one, d: tests, h: after(other), action: failure.Fail, rule: "single.spent", says: "failed 2 times"},
		{name: "without fingerprints", policy: one, d: blind, h: after(blind), action: failure.Fail, rule: "single.spent"},
		{name: "more than two", policy: one, d: tests, h: after(other, other), action: failure.Fail, rule: "single.spent"},
		{name: "not retryable", policy: one, d: setup, action: failure.Fail, rule: "single.not-retryable", says: "setup_failure is not retryable"},

		{name: "F1", policy: one, d: classed(failure.Transient), action: failure.Retry, rule: "single.retry"},
		{name: "F3 keeps its retry", policy: one, d: classed(failure.LocalDesign), action: failure.Retry, rule: "single.retry"},
		{name: "F3 again", policy: one, d: classed(failure.LocalDesign), h: after(tests), action: failure.Replan, rule: "single.same-again", propose: true, says: "F3 says that the plan has to change"},
		{name: "F4 again", policy: one, d: classed(failure.StoryLevel), h: after(other), action: failure.Replan, rule: "single.spent", propose: true},
		{name: "F4, not retryable", policy: one, d: stuck, action: failure.Replan, rule: "single.not-retryable", propose: true},
	}
}

func TestSingle(t *testing.T) { decideAll(t, singleCases()) }

// The reference's table of twelve types, and where practice adds to it.
func TestRetryable(t *testing.T) {
	want := []failure.Type{
		"test_failure", "lint_error", "typecheck_error", "format_error", "gate_failure", "task_incomplete",
		"verification_mismatch", "timeout", "parse_error", "agent_error", "guard_violation", "sibling_work_removed",
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
