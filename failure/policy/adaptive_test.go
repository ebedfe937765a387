package policy_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"autobuild/failure"
)

// failing is a failing test that says something of itself.
func failing(message string) failure.Diagnosis {
	return failure.Diagnosis{
		Type: failure.TestFailure, Fingerprint: "f", Message: "1 test failing",
		Tests: []failure.Test{{Name: "serves", File: "a_test.go", Line: 3, Message: message}},
	}
}

func adaptiveCases() []ruling {
	retry := func(name string, d failure.Diagnosis, rule, says string) ruling {
		return ruling{name: name, policy: adaptive, d: d, action: failure.Retry, rule: rule, says: says}
	}
	ends := func(name string, d failure.Diagnosis, h failure.History, rule, says string) ruling {
		return ruling{name: name, policy: adaptive, d: d, h: h, action: failure.Fail, rule: rule, says: says}
	}
	flaky := failing("expected 3, got 4")
	flaky.Flaky, flaky.Class.Class = true, failure.Transient
	tagged := failing("expected 3, got 4")
	tagged.Match = &failure.Match{Name: "clock", Tags: []string{"slow", "flaky"}}
	blinks := failing("boom")
	blinks.Match = tagged.Match
	cache := failure.Diagnosis{Fingerprint: "c", Type: failure.TaskIncomplete, Category: failure.UnexpectedResult, Transient: true}
	lied := failure.Diagnosis{Type: failure.VerificationMismatch, Cause: failure.Timeout, Fingerprint: "f"}
	lint := failure.Diagnosis{Type: failure.LintError, Fingerprint: "l"}
	refused, race := failing("connect ECONNREFUSED 127.0.0.1:5432"), failing("database is locked: expected 3, got 0")
	other := race
	other.Tests = []failure.Test{{Message: "database is locked: expected 3, got 1"}}
	open := failure.Diagnosis{Type: failure.TaskIncomplete, Category: failure.Ambiguity, Class: failure.Classification{Class: failure.LocalLogic}}
	vague := failure.Diagnosis{Type: failure.AgentError, Class: failure.Classification{Class: failure.LocalLogic, Confidence: 0.5, Action: "single_retry_then_escalate"}}
	named := failing("boom")
	named.Tests[0].Name, named.Details = "reports ECONNREFUSED", "$ go test\nreports ECONNREFUSED: boom"
	compiled := failure.Diagnosis{Type: failure.TypecheckError, Places: []failure.Place{{File: "a.go", Message: "syntax error: unexpected newline"}}}
	gateSays := failure.Diagnosis{Type: failure.GateFailure, Message: "gate e2e failed with exit code 1", Details: "$ make e2e\nread tcp: i/o: connection reset by peer"}
	return []ruling{
		retry("transient", classed(failure.Transient), "adaptive.transient", "allowing 3 retries because F1 may pass by itself; this one after "),
		retry("measured to be flaky", flaky, "adaptive.flaky", "allowing 2 retries because the gate has passed and failed on the same content"),
		retry("timeout", failure.Diagnosis{Type: failure.Timeout}, "adaptive.timeout", "allowing 2 retries because a deadline"),
		retry("timeout of a gate", lied, "adaptive.timeout", "verification_mismatch (timeout)"),
		retry("timeout of a test", failing("Exceeded timeout of 5000 ms for a test."), "adaptive.timeout", ""),
		retry("connection", refused, "adaptive.connection", "allowing 2 retries because a connection failed"),
		retry("connection to a daemon", failing("Cannot connect to the Docker daemon"), "adaptive.connection", ""),
		retry("connection of a gate", gateSays, "adaptive.connection", ""),
		retry("known to be flaky", tagged, "adaptive.tagged", "allowing 2 retries because what it looks like is known to be flaky"),
		retry("race", failing("WARNING: DATA RACE"), "adaptive.race", "allowing 2 retries"),
		retry("may pass by its category", cache, "adaptive.passing", "allowing 2 retries"),
		retry("import", failing("ImportError: cannot import name 'x'"), "adaptive.import", "allowing 1 retry because an import"),
		retry("syntax", compiled, "adaptive.syntax", "allowing 1 retry because a syntax error"),
		retry("assertion", failing("expected 3, got 4"), "adaptive.assertion", "allowing 1 retry because an assertion"),
		retry("anything else", lint, "adaptive.other", "lint_error: allowing 1 retry because nothing says"),
		retry("only a name speaks of it", named, "adaptive.other", ""),

		ends("the same import", failing("ImportError: cannot import name 'x'"), after(failing("ImportError: cannot import name 'x'")), "adaptive.same-again", ""),
		ends("the same syntax error", failing("SyntaxError: invalid syntax"), after(failing("SyntaxError: invalid syntax")), "adaptive.same-again", ""),
		{name: "the same tag", policy: adaptive, d: blinks, h: after(blinks), action: failure.Retry, rule: "adaptive.tagged"},
		{name: "the same passing trouble", policy: adaptive, d: cache, h: after(cache), action: failure.Retry, rule: "adaptive.passing"},
		{name: "the same race with other values", policy: adaptive, d: race, h: after(other), action: failure.Retry, rule: "adaptive.race"},
		ends("the same race with the same values", race, after(race), "adaptive.same-again", "an assertion compares the same values"),
		ends("known to be flaky, with the same values", tagged, after(tagged), "adaptive.same-again", "the same test_failure as in attempt 1"),
		{name: "measured to be flaky, with the same values", policy: adaptive, d: flaky, h: after(flaky), action: failure.Retry, rule: "adaptive.flaky"},
		ends("the third refusal", refused, after(refused, refused), "adaptive.persists", "test_failure again, after 2 retries: no more are allowed because a connection failed that may come back"),
		ends("the fourth transient one", classed(failure.Transient), after(classed(failure.Transient), classed(failure.Transient), classed(failure.Transient)), "adaptive.persists", ""),
		{name: "a refusal is not the lint error's", policy: adaptive, d: refused, h: after(lint), action: failure.Retry, rule: "adaptive.connection"},
		{name: "no attempt left", policy: adaptive, d: lint, h: after(refused, refused, race), action: failure.Fail, rule: "adaptive.spent", says: "failed 4 times"},
		ends("not retryable", failure.Diagnosis{Type: failure.ContextOverflow}, failure.History{}, "adaptive.not-retryable", "context_overflow"),
		ends("ambiguity", open, failure.History{}, "adaptive.not-retryable", "a decision: the plan does not say enough"),
		retry("uncertain", vague, "adaptive.other", ""),
		{name: "uncertain again", policy: adaptive, d: vague, h: after(lint), action: failure.Escalate, rule: "adaptive.uncertain", to: "user", says: "confidence 0.50"},
		{name: "F3 again", policy: adaptive, d: classed(failure.LocalDesign), h: after(classed("")), action: failure.Replan, rule: "adaptive.same-again", propose: true},
		{name: "F4 again", policy: adaptive, d: classed(failure.StoryLevel), h: after(lint), action: failure.Replan, rule: "adaptive.persists", propose: true},
	}
}

func TestAdaptive(t *testing.T) { decideAll(t, adaptiveCases()) }

// Pauses quadruple up to a bound; the seed takes up to half of each away, always the same for the
// same seed, and not the same for two phases.
func TestBackoff(t *testing.T) {
	passing := classed(failure.Transient)
	pause := func(n int, seed string) time.Duration {
		h := failure.History{Seed: seed}
		for range n {
			h.Failures = append(h.Failures, passing)
		}
		return adaptive.Decide(passing, h).Delay
	}
	for n, most := range []time.Duration{5 * time.Second, 20 * time.Second, 80 * time.Second} {
		shortest, longest := most, time.Duration(0)
		for i := range 200 {
			d := pause(n, strings.Repeat("x", i))
			shortest, longest = min(shortest, d), max(longest, d)
		}
		if shortest < most/2 || longest > most {
			t.Errorf("retry %d: pauses from %s to %s, want them between %s and %s", n+1, shortest, longest, most/2, most)
		}
		if longest-shortest < most/4 {
			t.Errorf("retry %d: pauses from %s to %s are all but the same", n+1, shortest, longest)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n, seed := rapid.IntRange(0, 2).Draw(t, "n"), rapid.String().Draw(t, "seed")
		if a, b := pause(n, seed), pause(n, seed); a != b || a <= 0 {
			t.Fatalf("the seed %q gave %s and %s", seed, a, b)
		}
	})
}
