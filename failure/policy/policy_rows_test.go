package policy_test

import (
	"testing"

	"autobuild/failure"
)

// error-classification's table of what is retryable, row by row: how many attempts follow when the
// same failure comes again and again, under each policy, and what remains for a person at the end.
// Under known-fix the fix is known.
func TestCategoriesUnderEveryPolicy(t *testing.T) {
	gate := func(c failure.Category, passes bool, says string) failure.Diagnosis {
		d := failing(says)
		d.Category, d.Transient = c, passes
		return d
	}
	of := func(typ failure.Type, c failure.Category, passes bool) failure.Diagnosis {
		return failure.Diagnosis{Type: typ, Category: c, Transient: passes, Fingerprint: "f"}
	}
	flaky := gate(failure.Execution, true, "expected 3, got 4")
	flaky.Flaky = true
	design := of(failure.TestFailure, failure.Execution, false)
	design.Class.Class = failure.LocalDesign
	type again struct{ single, adaptive, known, escalate int }
	for _, c := range []struct {
		name    string
		d       failure.Diagnosis
		want    again
		propose bool // when the last tier has failed
	}{
		{"prerequisite: a service restarts", gate(failure.Prerequisite, true, "connection refused"), again{1, 2, 2, 2}, true},
		{"prerequisite: missing file", gate(failure.Prerequisite, false, "open CLAUDE.md: no such file"), again{1, 1, 1, 2}, true},
		{"prerequisite: missing dependency", of(failure.DependencyMissing, failure.Prerequisite, false), again{0, 0, 0, 0}, false},
		{"execution: timeout", of(failure.Timeout, failure.Execution, true), again{1, 2, 2, 2}, false},
		{"execution: write conflict", gate(failure.Execution, true, "Unable to create '.git/index.lock'"), again{1, 2, 2, 2}, false},
		{"execution: flaky test", flaky, again{1, 2, 2, 2}, false},
		{"execution: compilation error", of(failure.TypecheckError, failure.Execution, false), again{1, 1, 1, 2}, false},
		{"execution: design flaw", design, again{1, 1, 1, 1}, true},
		{"execution: logic error", gate(failure.Execution, false, "expected 3, got 4"), again{1, 1, 1, 2}, false},
		{"unexpected result: stale cache", gate(failure.UnexpectedResult, true, "stale cache"), again{1, 2, 2, 2}, true},
		{"unexpected result: race", gate(failure.UnexpectedResult, true, "DATA RACE"), again{1, 2, 2, 2}, true},
		{"unexpected result: wrong algorithm", gate(failure.UnexpectedResult, false, "sum is off"), again{1, 1, 1, 2}, true},
		{"ambiguity: always", of(failure.TaskIncomplete, failure.Ambiguity, false), again{0, 0, 0, 2}, true},
		{"misalignment: context overflow", of(failure.ContextOverflow, failure.Misalignment, true), again{0, 0, 0, 2}, false},
		{"misalignment: systematic", of(failure.VerificationMismatch, failure.Misalignment, false), again{1, 1, 1, 2}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := policies(t)
			var got again
			got.single, _ = play(all["single"], c.d)
			got.adaptive, _ = play(all["adaptive"], c.d)
			got.known, _ = play(all["known-fix"], known(c.d))
			escalated, last := play(all["escalate"], c.d)
			if got.escalate = escalated; got != c.want || last.Propose != c.propose {
				t.Errorf("%+v, proposing %t; want %+v, proposing %t", got, last.Propose, c.want, c.propose)
			}
			if n, blocked := play(all["known-fix"], c.d); n != 0 || blocked.Action != failure.Block && c.d.Type != failure.DependencyMissing {
				t.Errorf("known-fix without a fix: %d attempts, then %+v", n, blocked)
			}
		})
	}
}

// failure-classifier's six classes: what follows at once, and what when it comes again and again.
func TestClassesUnderEveryPolicy(t *testing.T) {
	conflict := routes
	conflict.Class.Class = failure.Conflicting
	type answer struct {
		first, last failure.Action
		again       int
	}
	for _, c := range []struct {
		d    failure.Diagnosis
		want map[string]answer
	}{
		{classed(failure.Transient), map[string]answer{
			"single": {failure.Retry, failure.Fail, 1}, "adaptive": {failure.Retry, failure.Fail, 3},
			"known-fix": {failure.Block, failure.Block, 0}, "escalate": {failure.Escalate, failure.Escalate, 2},
		}},
		{classed(failure.LocalLogic), map[string]answer{
			"single": {failure.Retry, failure.Fail, 1}, "adaptive": {failure.Retry, failure.Fail, 1},
			"known-fix": {failure.Block, failure.Block, 0}, "escalate": {failure.Escalate, failure.Escalate, 2},
		}},
		{classed(failure.LocalDesign), map[string]answer{
			"single": {failure.Retry, failure.Fail, 1}, "adaptive": {failure.Retry, failure.Replan, 1},
			"known-fix": {failure.Block, failure.Block, 0}, "escalate": {failure.Escalate, failure.Escalate, 1},
		}},
		{classed(failure.StoryLevel), map[string]answer{
			"single": {failure.Retry, failure.Fail, 1}, "adaptive": {failure.Retry, failure.Replan, 1},
			"known-fix": {failure.Block, failure.Block, 0}, "escalate": {failure.Escalate, failure.Escalate, 1},
		}},
		{classed(failure.Architectural), map[string]answer{
			"single": {failure.Retry, failure.Fail, 1}, "adaptive": {failure.Freeze, failure.Freeze, 0},
			"known-fix": {failure.Freeze, failure.Freeze, 0}, "escalate": {failure.Freeze, failure.Freeze, 0},
		}},
		{conflict, map[string]answer{
			"single": {failure.Arbitrate, failure.Arbitrate, 1}, "adaptive": {failure.Arbitrate, failure.Arbitrate, 1},
			"known-fix": {failure.Arbitrate, failure.Arbitrate, 1}, "escalate": {failure.Arbitrate, failure.Arbitrate, 1},
		}},
	} {
		for name, p := range policies(t) {
			got := answer{first: p.Decide(c.d, failure.History{}).Action}
			var last failure.Decision
			got.again, last = play(p, c.d)
			if got.last = last.Action; got != c.want[name] {
				t.Errorf("%s under %s: %+v, want %+v", c.d.Class.Class, name, got, c.want[name])
			}
			if planned := c.d.Class.Class == failure.LocalDesign || c.d.Class.Class == failure.StoryLevel; last.Propose != (planned && name != "single") {
				t.Errorf("%s under %s: proposes %t at the end", c.d.Class.Class, name, last.Propose)
			}
		}
	}
}

// failure-handling's twelve types and those of practice: whether anything follows a first failure
// of a type, under each policy.
func TestTypesUnderEveryPolicy(t *testing.T) {
	for _, typ := range failure.Types() {
		d := failure.Diagnosis{Type: typ, Fingerprint: "t"}
		for name, p := range policies(t) {
			got := p.Decide(d, failure.History{})
			if name == "known-fix" {
				got = p.Decide(known(d), failure.History{})
			}
			want := typ.Retryable()
			// who failed does not try again, but somebody else may look into it
			if name == "escalate" {
				want = want || typ == failure.ContextOverflow || typ == failure.Refusal
			}
			if got.Again() != want || name != "escalate" && want && got.Action != failure.Retry {
				t.Errorf("%s under %s: %+v, want another attempt: %t", typ, name, got, want)
			}
		}
	}
}
