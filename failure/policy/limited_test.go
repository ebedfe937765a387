package policy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/failure"
)

// A phase that has used up what it may is not tried again, whatever its policy would do; and
// nothing else changes.
func TestLimited(t *testing.T) {
	retryable := failure.Diagnosis{Type: failure.TestFailure, Fingerprint: "a"}
	for name, c := range map[string]struct {
		limited Limited
		history failure.History
		action  failure.Action
		rule    string
		says    string
	}{
		"within":  {Limited{Single{}, 2, 1000}, failure.History{CostUSD: 1.99, Tokens: 999}, failure.Retry, "", "one retry"},
		"cost":    {Limited{Single{}, 2, 0}, failure.History{CostUSD: 2}, failure.Fail, "limit.cost", "cost $2.00 and may cost $2.00"},
		"tokens":  {Limited{Single{}, 0, 1000}, failure.History{Tokens: 1001}, failure.Fail, "limit.tokens", "used 1001 tokens and may use 1000"},
		"no more": {Limited{Single{}, 2, 0}, failure.History{CostUSD: 9, Failures: []failure.Diagnosis{{Type: failure.LintError}}}, failure.Fail, "", "two attempts failed"},
		"no set":  {Limited{Single{}, 0, 0}, failure.History{CostUSD: 9, Tokens: 1 << 40}, failure.Retry, "", "one retry"},
	} {
		t.Run(name, func(t *testing.T) {
			d := c.limited.Decide(retryable, c.history)
			if d.Action != c.action || c.rule != "" && d.Rule != c.rule || !strings.Contains(d.Rationale, c.says) || d.Attempts != 2 {
				t.Errorf("%+v", d)
			}
		})
	}
	if d := (Limited{Single{}, 0, 10}).Decide(failure.Diagnosis{Type: failure.UsageLimit}, failure.History{Tokens: 10}); d.Action != failure.Fail {
		t.Errorf("a wait that would go on spending: %+v", d)
	}
}

// A limit only ever ends: it never makes an attempt of what the policy would have ended.
func TestLimitedNeverRetriesMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := failure.Diagnosis{Type: rapid.SampledFrom(failure.Types()).Draw(t, "type"), Fingerprint: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "print")}
		h := failure.History{CostUSD: rapid.Float64Range(0, 5).Draw(t, "cost"), Tokens: rapid.Int64Range(0, 5000).Draw(t, "tokens")}
		l := Limited{Single{}, rapid.Float64Range(0, 3).Draw(t, "max"), rapid.Int64Range(0, 3000).Draw(t, "most")}
		bare, limited := l.Policy.Decide(d, h), l.Decide(d, h)
		over := l.MaxCostUSD > 0 && h.CostUSD >= l.MaxCostUSD || l.MaxTokens > 0 && h.Tokens >= l.MaxTokens
		if limited.Again() && (over || !bare.Again()) || !over && limited != bare {
			t.Fatalf("%+v instead of %+v", limited, bare)
		}
	})
}
