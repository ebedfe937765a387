package policy_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/failure/policy"
)

// policies are one of each, by the name under which NewPolicy knows it.
func policies(t interface{ Fatal(...any) }) map[string]failure.Policy {
	all := make(map[string]failure.Policy)
	for _, name := range policy.Names() {
		p, err := policy.New(name, policy.Options{Tiers: []string{"haiku", "sonnet", "opus"}, Worker: "haiku"})
		if err != nil {
			t.Fatal(err)
		}
		all[name] = p
	}
	return all
}

func TestNewPolicy(t *testing.T) {
	for _, c := range []struct {
		name     string
		options  policy.Options
		attempts int
		err      string
	}{
		{name: "", attempts: 2},
		{name: "single", attempts: 2},
		{name: "adaptive", attempts: 4},
		{name: "known-fix", attempts: 3},
		{name: "known-fix", options: policy.Options{Budget: 1}, attempts: 2},
		{name: "known-fix", options: policy.Options{Budget: -1}, err: "retry policy known-fix: a budget of -1 retries is not possible; 0 means 2"},
		{name: "escalate", options: policy.Options{Tiers: []string{"a", "b"}}, attempts: 3},
		{name: "escalate", options: policy.Options{Tiers: []string{"a", "b", "c"}, Worker: "a"}, attempts: 3},
		{name: "escalate", options: policy.Options{Tiers: []string{"a", "b", "c"}, Worker: "b"}, attempts: 2},
		{name: "escalate", options: policy.Options{Tiers: []string{"a", "b"}, Worker: "b"}, attempts: 1},
		{name: "escalate", options: policy.Options{Tiers: []string{"a"}, Worker: "elsewhere"}, attempts: 2},
		{name: "escalate", err: "retry policy escalate: no tiers; name the agents that diagnose, weakest first"},
		{name: "escalate", options: policy.Options{Tiers: []string{"a", ""}}, err: "retry policy escalate: tier 2 has no name"},
		{name: "escalate", options: policy.Options{Tiers: []string{"a", "b", "a"}}, err: "retry policy escalate: tier a is named twice; each can fail only once"},
		{
			name: "escalate", options: policy.Options{Tiers: []string{"user"}},
			err: `retry policy escalate: a tier cannot be called "user": that name stands for the user, who comes after the last tier`,
		},
		{name: "doubble", err: `unknown retry policy "doubble"; known: single, adaptive, known-fix, escalate`},
	} {
		p, err := policy.New(c.name, c.options)
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s %+v: %v, want %s", c.name, c.options, err, c.err)
			}
		case err != nil:
			t.Errorf("%s %+v: %v", c.name, c.options, err)
		case p.Attempts() != c.attempts:
			t.Errorf("%s %+v: %d attempts, want %d", c.name, c.options, p.Attempts(), c.attempts)
		}
	}
}

// told are texts that an indicator, or none, is recognised by.
var told = []string{
	"", "undefined: x", "connect ECONNREFUSED 127.0.0.1:5432", "WARNING: DATA RACE", "expected 3, got 4", "SyntaxError: invalid syntax",
	"ImportError: cannot import name x", "operation timed out", "database is locked: expected 1, got 0", "\x1b[31m\u202e" + "no\nline",
}

func drawDiagnosis(t *rapid.T) failure.Diagnosis {
	words := rapid.SampledFrom(told)
	types := append(failure.Types(), "", "nonsense")
	d := failure.Diagnosis{
		Type:        rapid.SampledFrom(types).Draw(t, "type"),
		Cause:       rapid.SampledFrom(append(types, "", "", "")).Draw(t, "cause"),
		Message:     words.Draw(t, "message"),
		Details:     words.Draw(t, "details"),
		Package:     rapid.SampledFrom([]string{"", "jest"}).Draw(t, "package"),
		Flaky:       rapid.IntRange(0, 5).Draw(t, "flaky") == 0,
		Transient:   rapid.IntRange(0, 5).Draw(t, "transient") == 0,
		Fingerprint: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "fingerprint"),
		Category: rapid.SampledFrom([]failure.Category{
			"", failure.Prerequisite, failure.Execution, failure.UnexpectedResult, failure.Misalignment, failure.Ambiguity,
		}).Draw(t, "category"),
		Class: failure.Classification{
			Class: rapid.SampledFrom([]failure.Class{
				"", "", failure.Transient, failure.LocalLogic, failure.LocalDesign, failure.StoryLevel, failure.Architectural, failure.Conflicting,
			}).Draw(t, "class"),
			Action: rapid.SampledFrom([]string{"", "", "single_retry_then_escalate"}).Draw(t, "action"),
		},
	}
	if d.Type == failure.UsageLimit && rapid.Bool().Draw(t, "reset") {
		d.Until = time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	}
	if rapid.IntRange(0, 2).Draw(t, "matched") == 0 {
		d.Match = &failure.Match{
			Name: "port", Reason: rapid.SampledFrom([]string{"", "Matched port because both say EADDRINUSE"}).Draw(t, "reason"),
			Tags: rapid.SampledFrom([][]string{nil, {"flaky"}}).Draw(t, "tags"), Known: rapid.Bool().Draw(t, "known"),
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "conflicts") {
		d.Conflicts = append(d.Conflicts, failure.Conflict{
			File: rapid.SampledFrom([]string{"b.go", "a.go"}).Draw(t, "file"), Phase: "1", Other: rapid.SampledFrom([]string{"", "2b"}).Draw(t, "other"),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "tests") {
		d.Tests = append(d.Tests, failure.Test{Name: "timed out", Message: words.Draw(t, "said")})
	}
	return d
}

func drawHistory(t *rapid.T) failure.History {
	h := failure.History{
		Waits: rapid.IntRange(0, 5).Draw(t, "waits"), Proposals: rapid.IntRange(0, 4).Draw(t, "proposals"),
		Seed: rapid.String().Draw(t, "seed"),
	}
	for range rapid.IntRange(0, 5).Draw(t, "failures") {
		h.Failures = append(h.Failures, drawDiagnosis(t))
		h.Decisions = append(h.Decisions, failure.Decision{
			Action: rapid.SampledFrom([]failure.Action{failure.Retry, failure.Escalate, failure.Arbitrate}).Draw(t, "decided"),
			To:     rapid.SampledFrom([]string{"", "haiku", "sonnet", "opus", "user", "gone"}).Draw(t, "to"),
		})
	}
	for range rapid.IntRange(0, 4).Draw(t, "earlier") {
		h.Earlier = append(h.Earlier, failure.Earlier{Conflict: rapid.SampledFrom([]string{"", "2b: a.go", "a.go"}).Draw(t, "conflict")})
	}
	return h
}

// Whatever has happened, every policy answers, always alike, in words, and by a rule that the
// documents explain.
func TestPoliciesAreTotalAndDeterministic(t *testing.T) {
	rules := documentedRules(t)
	rapid.Check(t, func(t *rapid.T) {
		d, h := drawDiagnosis(t), drawHistory(t)
		same := failure.History{
			Failures: slices.Clone(h.Failures), Decisions: slices.Clone(h.Decisions), Waits: h.Waits, Earlier: slices.Clone(h.Earlier),
			Proposals: h.Proposals, Seed: h.Seed,
		}
		conflicts := slices.Clone(d.Conflicts)
		for name, p := range policies(t) {
			got := p.Decide(d, h)
			if diff := cmp.Diff(got, p.Decide(d, h)); diff != "" {
				t.Fatalf("%s decides otherwise the second time (-first +second):\n%s", name, diff)
			}
			if !slices.Contains(rules, got.Rule) {
				t.Fatalf("%s decided by rule %q, which docs/failures.md does not explain", name, got.Rule)
			}
			if !strings.HasPrefix(got.Rule, "guard.") && !strings.HasPrefix(got.Rule, name+".") {
				t.Fatalf("%s decided by rule %q of another policy", name, got.Rule)
			}
			wellFormed(t, p, d, got)
		}
		if diff := cmp.Diff(same, h) + cmp.Diff(conflicts, d.Conflicts); diff != "" {
			t.Fatalf("a policy changed what it was shown:\n%s", diff)
		}
	})
}

// wellFormed holds a decision against what every reader of it relies on.
func wellFormed(t *rapid.T, p failure.Policy, d failure.Diagnosis, got failure.Decision) {
	directed := got.Action == failure.Escalate || got.Action == failure.Arbitrate
	planned := d.Class.Class == failure.LocalDesign || d.Class.Class == failure.StoryLevel
	_, simple := p.(policy.Single)
	exempt := got.Action == failure.Freeze || got.Action == failure.Wait || got.Action == failure.Halt || strings.HasPrefix(got.Rule, "guard.")
	switch {
	case got.Attempts != p.Attempts():
		t.Fatalf("%+v: %d attempts, the policy allows %d", got, got.Attempts, p.Attempts())
	case got.Rationale == "" || !utf8.ValidString(got.Rationale) || strings.ContainsAny(got.Rationale, "\n\x1b"):
		t.Fatalf("rationale %q is no line", got.Rationale)
	case directed != (got.To != ""):
		t.Fatalf("%+v: to whom", got)
	case got.Action == failure.Escalate && !slices.Contains([]string{"sonnet", "opus", "user"}, got.To):
		t.Fatalf("%+v: escalated to nobody", got)
	case got.Action == failure.Arbitrate && got.To != failure.ToUser && got.To != failure.ToSequential:
		t.Fatalf("%+v: arbitrated to nobody", got)
	case got.Action == failure.Retry && !d.Type.Retryable():
		t.Fatalf("%+v: %s is not retryable", got, d.Type)
	case d.Type == failure.DependencyMissing && got.Again():
		t.Fatalf("%+v: a missing dependency was given an attempt", got)
	case got.Fresh && !got.Again(), got.Propose && got.Again():
		t.Fatalf("%+v: for an attempt that follows, or does not", got)
	case got.Action == failure.Replan && !got.Propose:
		t.Fatalf("%+v: to be planned again, and proposes nothing", got)
	case planned && !simple && !got.Again() && !exempt && !got.Propose:
		t.Fatalf("%+v: %s ended without a proposal", got, d.Class.Class)
	case simple && (got.Action == failure.Freeze || got.Action == failure.Replan || got.Propose):
		t.Fatalf("%+v: single decided by the class %s", got, d.Class.Class)
	case got.Delay < 0 || got.Delay > 15*time.Minute || got.Action == failure.Retry && got.Delay > 2*time.Minute:
		t.Fatalf("%+v: a pause of %s", got, got.Delay)
	}
}

// However failures come, no more attempts follow than the policy allows, waits spend none of them
// and end, and what is frozen, halted, blocked or failed stays so.
func TestPoliciesNeverExceedTheirAttempts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for name, p := range policies(t) {
			again, waits := 0, 0
			h := failure.History{Proposals: rapid.IntRange(0, 3).Draw(t, "proposals")}
			for {
				d := drawDiagnosis(t)
				got := p.Decide(d, h)
				if got.Action == failure.Wait {
					if waits++; waits > 3 {
						t.Fatalf("%s: waited %d times in a row", name, waits)
					}
					h.Waits++
					continue
				}
				if !got.Again() {
					break
				}
				if again++; again > p.Attempts() || again-h.Redone() > p.Attempts()-1 && !got.Redo() {
					t.Fatalf("%s: attempt %d of %d", name, again+1, p.Attempts())
				}
				waits, h.Waits = 0, 0
				h.Failures, h.Decisions = append(h.Failures, d), append(h.Decisions, got)
				h.Earlier = append(h.Earlier, failure.Earlier{Type: d.Type, Class: d.Class.Class, Fingerprint: d.Fingerprint, Conflict: d.ConflictName()})
			}
		}
	})
}

var ruleCell = regexp.MustCompile("(?m)^\\| `((?:guard|single|adaptive|known-fix|escalate)\\.[a-z_-]+)`")

// documentedRules are the rules that docs/failures.md explains.
func documentedRules(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/failures.md")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, m := range ruleCell.FindAllStringSubmatch(string(raw), -1) {
		rules = append(rules, m[1])
	}
	if len(rules) < 30 {
		t.Fatalf("docs/failures.md explains only %d rules: the pattern is wrong", len(rules))
	}
	return rules
}

// Every rule that the documents explain decides some case of the tables below, and none is
// explained twice.
func TestDocumentedRules(t *testing.T) {
	var decided []string
	for _, c := range slices.Concat(guardCases(), singleCases(), adaptiveCases(), knownFixCases(), escalationCases()) {
		decided = append(decided, c.rule)
	}
	slices.Sort(decided)
	documented := documentedRules(t)
	slices.Sort(documented)
	if diff := cmp.Diff(slices.Compact(decided), documented); diff != "" {
		t.Errorf("rules that decide a case of a table, and rules in docs/failures.md (-decide +documented):\n%s", diff)
	}
}

// ruling is one row of a table of decisions.
type ruling struct {
	name    string
	policy  failure.Policy
	d       failure.Diagnosis
	h       failure.History
	action  failure.Action
	rule    string
	to      string
	fresh   bool
	propose bool
	until   time.Time
	delay   time.Duration // exact where action is Wait
	says    string        // part of the rationale
}

func decideAll(t *testing.T, cases []ruling) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := c.policy.Decide(c.d, c.h)
			want := failure.Decision{
				Action: c.action, Rule: c.rule, To: c.to, Fresh: c.fresh, Propose: c.propose, Until: c.until, Delay: c.delay,
				Attempts: c.policy.Attempts(), Rationale: got.Rationale,
			}
			if c.action != failure.Wait {
				want.Delay = got.Delay
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\nrationale: %s", diff, got.Rationale)
			}
			if !strings.Contains(got.Rationale, c.says) {
				t.Errorf("rationale %q does not say %q", got.Rationale, c.says)
			}
		})
	}
}

// play lets the same failure happen until the policy gives up, and returns how many attempts
// followed and the last decision.
func play(p failure.Policy, d failure.Diagnosis) (again int, last failure.Decision) {
	var h failure.History
	for {
		last = p.Decide(d, h)
		if !last.Again() {
			return again, last
		}
		again++
		h.Failures, h.Decisions = append(h.Failures, d), append(h.Decisions, last)
		h.Earlier = append(h.Earlier, failure.Earlier{Fingerprint: d.Fingerprint, Conflict: d.ConflictName()})
	}
}
