package policy_test

import (
	"fmt"
	"slices"
	"testing"

	"autobuild/failure"
	"autobuild/failure/diagnose"
	"autobuild/failure/policy"
)

func singleCases() []ruling {
	tests := failure.Diagnosis{Type: failure.TestFailure, Fingerprint: "a"}
	other := failure.Diagnosis{Type: failure.LintError, Fingerprint: "b"}
	lied := failure.Diagnosis{Type: failure.VerificationMismatch, Cause: failure.TestFailure, Fingerprint: "a"}
	setup := failure.Diagnosis{Type: failure.SetupFailure}
	stuck := failure.Diagnosis{Type: failure.SetupFailure, Class: failure.Classification{Class: failure.StoryLevel}}
	cut := tests
	cut.AtFault = "phase 2B works on a.go"
	blind := failure.Diagnosis{Type: failure.ParseError}
	one := policy.Single{}
	return []ruling{
		{name: "first failure", policy: one, d: tests, action: failure.Retry, rule: "single.retry", says: "test_failure is retryable"},
		{name: "mismatch", policy: one, d: lied, action: failure.Retry, rule: "single.retry", says: "verification_mismatch (test_failure) is retryable"},
		{name: "the same again", policy: one, d: tests, h: after(tests), action: failure.Fail, rule: "single.same-again", says: "the same test_failure as in attempt 1"},
		{name: "another one", policy: one, d: tests, h: after(other), action: failure.Fail, rule: "single.spent", says: "two attempts failed, each differently; fix it and resume"},
		{name: "without fingerprints", policy: one, d: blind, h: after(blind), action: failure.Fail, rule: "single.spent"},
		{name: "more than two", policy: one, d: tests, h: after(other, other), action: failure.Fail, rule: "single.spent"},
		{name: "not retryable", policy: one, d: setup, action: failure.Fail, rule: "single.not-retryable", says: "setup_failure is not retryable"},

		{name: "F1 after its pause", policy: one, d: classed(failure.Transient), action: failure.Retry, rule: "single.retry", delay: 3752107186, says: "after"},
		{name: "F3 keeps its retry", policy: one, d: classed(failure.LocalDesign), action: failure.Retry, rule: "single.retry"},
		{name: "F3 again", policy: one, d: classed(failure.LocalDesign), h: after(tests), action: failure.Fail, rule: "single.same-again", says: "fix it and resume"},
		{name: "F4 again", policy: one, d: classed(failure.StoryLevel), h: after(other), action: failure.Fail, rule: "single.spent"},
		{name: "F4, not retryable", policy: one, d: stuck, action: failure.Fail, rule: "single.not-retryable"},
		{name: "F5", policy: one, d: classed(failure.Architectural), action: failure.Retry, rule: "single.retry"},
		{name: "three proposals freeze nothing", policy: one, d: classed(failure.LocalDesign), h: failure.History{Proposals: 3}, action: failure.Retry, rule: "single.retry"},
		{name: "the plan itself", policy: one, d: cut, h: after(tests), action: failure.Fail, rule: "single.same-again", propose: true, says: "a change of the plan is recommended: phase 2B works on a.go"},
		{name: "a decision is missing", policy: one, d: failure.Diagnosis{Type: failure.TaskIncomplete, Category: failure.Ambiguity}, action: failure.Fail, rule: "single.not-retryable", says: "no attempt can provide a decision"},
		{name: "a variable is missing", policy: one, d: failure.Diagnosis{Type: failure.TestFailure, Needs: "the environment variable TOKEN"}, action: failure.Fail, rule: "single.not-retryable", says: "no attempt can provide the environment variable TOKEN"},
		{name: "a service is away", policy: one, d: failure.Diagnosis{Type: failure.TestFailure, Category: failure.Prerequisite, Transient: true}, action: failure.Retry, rule: "single.retry", delay: 3752107186},
	}
}

func TestSingle(t *testing.T) { decideAll(t, singleCases()) }

// The reference's table of twelve types, and where practice adds to it.
func TestRetryable(t *testing.T) {
	want := []failure.Type{
		"test_failure", "lint_error", "typecheck_error", "format_error", "gate_failure", "task_incomplete",
		"verification_mismatch", "timeout", "parse_error", "agent_error", "agent_loop", "guard_violation", "sibling_work_removed", "nested_repository", "review_rejected",
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
	d := diagnose.From(failure.Evidence{
		Agent: &failure.AgentRun{Name: "claude"},
		Claim: &failure.Claim{Complete: true, Gates: []string{"test passed (47)"}},
		Gates: []failure.GateRun{{
			Name: "test", Kind: "test", Command: "npm test", Exit: 1, Count: 1,
			Tests: []failure.Test{{Name: "validateToken", File: "auth.test.ts"}},
		}},
	})
	decision := policy.Single{}.Decide(d, failure.History{})
	fmt.Println(d.Type, "because of", d.Cause)
	fmt.Println(d.Message)
	fmt.Println(decision.Action+":", decision.Rationale)
	// Output:
	// verification_mismatch because of test_failure
	// claimed complete, but 1 test failing in auth.test.ts
	// retry: verification_mismatch (test_failure) is retryable: one retry with the error as context
}
