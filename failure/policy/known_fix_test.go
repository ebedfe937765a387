package policy_test

import (
	"testing"

	"autobuild/failure"
	"autobuild/failure/policy"
)

// known is a match whose fix may be acted on.
func known(d failure.Diagnosis, tags ...string) failure.Diagnosis {
	d.Match = &failure.Match{
		Name: "port-in-use", Kind: "substring", Score: 1, Reason: "Matched port-in-use because both say EADDRINUSE",
		Fix: "stop the old server", Tags: tags, Known: true,
	}
	return d
}

func knownFixCases() []ruling {
	k := policy.KnownFix{}
	plain := failure.Diagnosis{Type: failure.TestFailure, Fingerprint: "p", Message: "1 test failing"}
	found := known(plain)
	silent := known(plain)
	silent.Match.Reason = ""
	like := known(plain)
	like.Match.Known, like.Match.Score = false, 0.9
	strong := known(plain)
	strong.Match.Score = 0.5
	flaky := known(plain, "flaky")
	overflow := known(failure.Diagnosis{Type: failure.ContextOverflow})
	open := known(failure.Diagnosis{Type: failure.TaskIncomplete, Category: failure.Ambiguity})
	story := func(d failure.Diagnosis) failure.Diagnosis {
		d.Class.Class = failure.StoryLevel
		return d
	}
	return []ruling{
		{name: "match, budget", policy: k, d: found, action: failure.Retry, rule: "known-fix.retry", says: "Matched port-in-use because both say EADDRINUSE; its fix is known: allowing 1 retry"},
		{name: "match that does not say why", policy: k, d: silent, action: failure.Retry, rule: "known-fix.retry", says: "Matched port-in-use because of its substring"},
		{name: "match, no budget", policy: k, d: found, h: after(found), action: failure.Block, rule: "known-fix.budget", says: "BLOCK (budget exhausted): Matched port-in-use because both say EADDRINUSE"},
		{name: "no match, budget", policy: k, d: plain, action: failure.Block, rule: "known-fix.discovery", says: "BLOCK (discovery): nothing that is known looks like this test_failure"},
		{name: "no match, no budget", policy: k, d: plain, h: after(found, found), action: failure.Block, rule: "known-fix.discovery", says: "BLOCK (discovery)"},
		{name: "a high score alone", policy: k, d: like, action: failure.Block, rule: "known-fix.unsure", says: "BLOCK (discovery): Matched port-in-use"},
		{name: "a low score of the same trouble", policy: k, d: strong, action: failure.Retry, rule: "known-fix.retry"},
		{name: "flaky, first retry", policy: k, d: flaky, action: failure.Retry, rule: "known-fix.retry", says: "allowing 2 retries because what it looks like is known to be flaky (budget 3)"},
		{name: "flaky, second retry", policy: k, d: flaky, h: after(flaky), action: failure.Retry, rule: "known-fix.retry", says: "(budget 2)"},
		{name: "flaky, persistent", policy: k, d: flaky, h: after(flaky, flaky), action: failure.Block, rule: "known-fix.budget", says: "budget 1, and a retry needs 2"},
		{name: "flaky, own budget", policy: policy.KnownFix{Budget: 1}, d: flaky, h: after(flaky), action: failure.Block, rule: "known-fix.budget"},
		{name: "a large budget does not outdo the indicator", policy: policy.KnownFix{Budget: 9}, d: found, h: after(found), action: failure.Block, rule: "known-fix.budget"},
		{name: "not retryable", policy: k, d: overflow, action: failure.Fail, rule: "known-fix.not-retryable", says: "context_overflow is not retryable"},
		{name: "ambiguity", policy: k, d: open, action: failure.Fail, rule: "known-fix.ambiguity"},
		{name: "not retryable, no match", policy: k, d: failure.Diagnosis{Type: failure.ContextOverflow}, action: failure.Block, rule: "known-fix.discovery"},
		{name: "F4, no match", policy: k, d: story(plain), action: failure.Block, rule: "known-fix.discovery", propose: true},
		{name: "F4, no budget", policy: k, d: story(found), h: after(found), action: failure.Block, rule: "known-fix.budget", propose: true, says: "a change of the plan is recommended: class F4"},
	}
}

func TestKnownFix(t *testing.T) { decideAll(t, knownFixCases()) }

// A known fix for what is transient is not tried at once.
func TestKnownFixPauses(t *testing.T) {
	d := known(classed(failure.Transient))
	if got := (policy.KnownFix{}).Decide(d, failure.History{Seed: "x"}); got.Delay == 0 || got.Delay != adaptive.Decide(d, failure.History{Seed: "x"}).Delay {
		t.Errorf("%+v: want the pause that adaptive makes", got)
	}
	if got := (policy.KnownFix{}).Decide(known(failing("boom")), failure.History{}); got.Delay != 0 {
		t.Errorf("%+v: a pause before what no pause mends", got)
	}
}
