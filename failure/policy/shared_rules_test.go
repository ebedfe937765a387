package policy_test

import (
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/failure/policy"
)

var (
	reset    = time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	routes   = failure.Diagnosis{Type: failure.FileConflict, Conflicts: []failure.Conflict{{File: "src/api/routes.ts", Phase: "2A", Other: "2B"}}}
	adaptive = policy.Adaptive{}
)

// classed is a failing test of a class.
func classed(c failure.Class) failure.Diagnosis {
	return failure.Diagnosis{Type: failure.TestFailure, Fingerprint: "a", Class: failure.Classification{Class: c}}
}

func after(d ...failure.Diagnosis) failure.History { return failure.History{Failures: d} }

// met is a past in which a conflict was met a number of times.
func met(n int) failure.History {
	h := failure.History{Earlier: []failure.Earlier{{Conflict: "2C: src/api/routes.ts"}, {Type: failure.TestFailure}}}
	for range n {
		h.Earlier = append(h.Earlier, failure.Earlier{Type: failure.FileConflict, Conflict: routes.ConflictName()})
	}
	return h
}

// redone is a past in which the phase was done again because of a conflict.
func redone() failure.History {
	return failure.History{
		Failures:  []failure.Diagnosis{routes},
		Decisions: []failure.Decision{{Action: failure.Arbitrate, To: failure.ToSequential}},
		Earlier:   []failure.Earlier{{Type: failure.FileConflict, Conflict: routes.ConflictName()}},
	}
}

func guardCases() []ruling {
	limit := failure.Diagnosis{Type: failure.UsageLimit, Until: reset}
	open := failure.Diagnosis{Type: failure.UsageLimit}
	away := failure.Diagnosis{Type: failure.TransportError}
	unknown := failure.Diagnosis{Type: failure.AgentError, Unbilled: true, Fingerprint: "u"}
	asked := failure.Diagnosis{Type: failure.TransportError, Until: reset}
	mine := routes
	mine.Conflicts = []failure.Conflict{{File: "a.go", Phase: "2A"}, {File: "b.go", Phase: "2A", Other: "2B"}}
	flagged := classed(failure.Conflicting)
	frozenLimit := failure.Diagnosis{Type: failure.UsageLimit, Until: reset, Class: failure.Classification{Class: failure.Architectural}}
	stop := func(t failure.Type) ruling {
		return ruling{
			name: string(t), policy: adaptive, d: failure.Diagnosis{Type: t}, action: failure.Halt, rule: "guard.every-phase",
			says: "would stop every phase alike",
		}
	}
	three := failure.History{Proposals: 3}
	return []ruling{
		{name: "limit with a reset", policy: adaptive, d: limit, action: failure.Wait, rule: "guard.limit-reset", until: reset, says: "2026-11-21T18:00:00Z; no attempt is spent"},
		{name: "limit without one", policy: adaptive, d: open, action: failure.Wait, rule: "guard.limit-poll", delay: 15 * time.Minute, says: "looking again in 15m"},
		{name: "limit, own poll", policy: policy.Adaptive{Poll: time.Minute}, d: open, action: failure.Wait, rule: "guard.limit-poll", delay: time.Minute},
		{name: "limit after a failure", policy: adaptive, d: limit, h: after(classed("")), action: failure.Wait, rule: "guard.limit-reset", until: reset},
		{name: "limit when no attempt is left", policy: policy.Single{}, d: limit, h: after(classed(""), classed("")), action: failure.Wait, rule: "guard.limit-reset", until: reset},
		{name: "third wait", policy: adaptive, d: limit, h: failure.History{Waits: 2}, action: failure.Wait, rule: "guard.limit-reset", until: reset},
		{name: "fourth wait", policy: adaptive, d: limit, h: failure.History{Waits: 3}, action: failure.Halt, rule: "guard.limit-persists", says: "waited 3 times in a row"},
		{name: "no waiting", policy: policy.Adaptive{StopAtLimit: true}, d: limit, action: failure.Halt, rule: "guard.limit-stop"},
		{name: "transport", policy: adaptive, d: away, action: failure.Wait, rule: "guard.transport-wait", delay: 30 * time.Second, says: "no attempt is spent"},
		{name: "transport, second", policy: policy.Single{}, d: away, h: failure.History{Waits: 1}, action: failure.Wait, rule: "guard.transport-wait", delay: 2 * time.Minute},
		{name: "transport, third", policy: adaptive, d: away, h: failure.History{Waits: 2}, action: failure.Wait, rule: "guard.transport-wait", delay: 5 * time.Minute},
		{name: "unknown error", policy: policy.Single{}, d: unknown, action: failure.Wait, rule: "guard.unknown-error", delay: 30 * time.Second, says: "no attempt is spent"},
		{name: "unknown error, again", policy: policy.Single{}, d: unknown, h: failure.History{ErrorWait: true}, action: failure.Retry, rule: "single.retry"},
		{name: "unknown error after a wait", policy: policy.Single{}, d: unknown, h: failure.History{Waits: 2}, action: failure.Wait, rule: "guard.unknown-error", delay: 30 * time.Second},
		{name: "unknown error, paid for", policy: policy.Single{}, d: failure.Diagnosis{Type: failure.AgentError}, action: failure.Retry, rule: "single.retry"},
		{name: "transport, as asked", policy: adaptive, d: asked, action: failure.Wait, rule: "guard.transport-wait", until: reset},
		{name: "transport, fourth", policy: adaptive, d: away, h: failure.History{Waits: 3}, action: failure.Halt, rule: "guard.transport-persists", says: "waited 3 times in a row"},
		{name: "transport, whatever is wanted at limits", policy: policy.Adaptive{StopAtLimit: true}, d: away, action: failure.Wait, rule: "guard.transport-wait", delay: 30 * time.Second},
		{name: "a limit comes first", policy: adaptive, d: frozenLimit, action: failure.Wait, rule: "guard.limit-reset", until: reset},
		stop(failure.AgentUnusable), stop(failure.PlanInvalid), stop(failure.CircularDependency),
		{name: "a phase's budget", policy: adaptive, d: failure.Diagnosis{Type: failure.BudgetExhausted}, action: failure.Fail, rule: "guard.budget", says: "as it begins"},

		{name: "F5", policy: adaptive, d: classed(failure.Architectural), action: failure.Freeze, rule: "guard.architectural", says: "until a person decides"},
		{
			name: "missing package", policy: adaptive, d: failure.Diagnosis{Type: failure.DependencyMissing, Package: "@types/jest", Transient: true},
			action: failure.Fail, rule: "guard.dependency-missing", says: "before @types/jest is installed",
		},
		{
			name: "missing package of a story", policy: adaptive, d: failure.Diagnosis{Type: failure.DependencyMissing, Class: failure.Classification{Class: failure.StoryLevel}},
			action: failure.Fail, rule: "guard.dependency-missing",
		},

		{name: "conflict", policy: adaptive, d: routes, action: failure.Arbitrate, rule: "guard.conflict-order", to: "sequential", fresh: true, says: "in conflict with phase 2B"},
		{name: "met by an earlier session", policy: adaptive, d: routes, h: met(1), action: failure.Arbitrate, rule: "guard.conflict-order", to: "sequential", fresh: true},
		{name: "redone already", policy: adaptive, d: routes, h: redone(), action: failure.Arbitrate, rule: "guard.conflict", to: "user"},
		{name: "third time", policy: adaptive, d: routes, h: met(2), action: failure.Escalate, rule: "guard.conflict-persists", to: "user", says: "3 times (2B: src/api/routes.ts)"},
		{name: "third time under single", policy: policy.Single{}, d: routes, h: met(2), action: failure.Escalate, rule: "guard.conflict-persists", to: "user"},
		{name: "takes no attempt of the policy's", policy: adaptive, d: routes, h: after(classed(""), classed(""), classed("")), action: failure.Arbitrate, rule: "guard.conflict-order", to: "sequential", fresh: true},
		{name: "with a person's commit", policy: adaptive, d: mine, action: failure.Arbitrate, rule: "guard.conflict", to: "user", says: "a person says which change stays"},
		{name: "in a person's merge", policy: adaptive, d: failure.Diagnosis{Type: failure.FileConflict, Files: []string{"a.go"}}, action: failure.Arbitrate, rule: "guard.conflict", to: "user"},
		{name: "F6 that names nobody", policy: adaptive, d: flagged, h: met(3), action: failure.Arbitrate, rule: "guard.conflict", to: "user"},
		{name: "a breach in company", policy: adaptive, d: failure.Diagnosis{Type: failure.IsolationBreach, Unattributed: true}, action: failure.Arbitrate, rule: "guard.breach-order", to: "sequential", fresh: true, says: "once more, alone"},
		{name: "… again", policy: policy.Single{}, d: failure.Diagnosis{Type: failure.IsolationBreach, Unattributed: true}, h: after(failure.Diagnosis{Type: failure.IsolationBreach}), action: failure.Fail, rule: "single.not-retryable"},
		{name: "a breach alone", policy: policy.Single{}, d: failure.Diagnosis{Type: failure.IsolationBreach}, action: failure.Fail, rule: "single.not-retryable"},
		{name: "under single", policy: policy.Single{}, d: routes, action: failure.Arbitrate, rule: "guard.conflict-order", to: "sequential", fresh: true, says: "once more, alone"},

		{name: "F3, proposed three times", policy: adaptive, d: classed(failure.LocalDesign), h: three, action: failure.Freeze, rule: "guard.replan-budget", says: "F3 after 3 proposals"},
		{name: "F4, proposed three times", policy: adaptive, d: classed(failure.StoryLevel), h: three, action: failure.Freeze, rule: "guard.replan-budget"},
		{name: "F2, proposed three times", policy: adaptive, d: classed(failure.LocalLogic), h: three, action: failure.Retry, rule: "adaptive.other"},
		{name: "F3, proposed twice", policy: adaptive, d: classed(failure.LocalDesign), h: failure.History{Proposals: 2}, action: failure.Retry, rule: "adaptive.other"},
	}
}

func TestGuards(t *testing.T) { decideAll(t, guardCases()) }

// The guards stand before every policy; only single freezes nothing.
func TestGuardsHoldUnderEveryPolicy(t *testing.T) {
	for name, p := range policies(t) {
		for _, c := range guardCases() {
			if c.policy != failure.Policy(adaptive) || c.rule[:6] != "guard." {
				continue
			}
			want := c.rule
			if (want == "guard.architectural" || want == "guard.replan-budget") && name == "single" {
				want = "single.retry"
			}
			if got := p.Decide(c.d, c.h); got.Rule != want {
				t.Errorf("%s, %s: %+v, want rule %s", name, c.name, got, want)
			}
		}
	}
}

// A conflict is redone once in a session, under every policy, and then a person is asked.
func TestOneConflictIsRedoneOnce(t *testing.T) {
	for name, p := range policies(t) {
		again, last := play(p, routes)
		if again != 1 || last.To != failure.ToUser || last.Rule != "guard.conflict" {
			t.Errorf("%s: redone %d times, then %+v", name, again, last)
		}
	}
}

func TestConflictName(t *testing.T) {
	for want, d := range map[string]failure.Diagnosis{
		"":                      {Type: failure.TestFailure, Files: []string{"a.go"}},
		"2B: src/api/routes.ts": routes,
		"a.go, b.go":            {Type: failure.FileConflict, Files: []string{"b.go", "a.go"}},
		"2B: a.go, user: b.go": {Type: failure.FileConflict, Conflicts: []failure.Conflict{
			{File: "a.go", Other: "2B", Lines: "10-25"}, {File: "b.go"}, {File: "a.go", Other: "2B", Lines: "40"},
		}},
	} {
		if got := d.ConflictName(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
