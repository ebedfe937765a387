package policy_test

import (
	"testing"

	"autobuild/failure"
	"autobuild/failure/policy"
)

// went is a past of escalations to tiers.
func went(tiers ...string) failure.History {
	var h failure.History
	for _, to := range tiers {
		h.Failures = append(h.Failures, failure.Diagnosis{Type: failure.TestFailure, Fingerprint: "a"})
		h.Decisions = append(h.Decisions, failure.Decision{Action: failure.Escalate, To: to})
	}
	return h
}

func escalationCases() []ruling {
	all := policy.Escalation{Tiers: []string{"haiku", "sonnet", "opus"}}
	above := policy.Escalation{Tiers: []string{"haiku", "sonnet", "opus"}, Worker: "haiku"}
	top := policy.Escalation{Tiers: []string{"haiku", "sonnet", "opus"}, Worker: "opus"}
	of := func(c failure.Category) failure.Diagnosis {
		return failure.Diagnosis{Type: failure.TestFailure, Fingerprint: "a", Category: c, Class: failure.Classification{Class: failure.LocalLogic}}
	}
	design := of(failure.Execution)
	design.Class.Class = failure.LocalDesign
	vague := of(failure.Ambiguity)
	vague.Class.Class = failure.StoryLevel
	setup := failure.Diagnosis{Type: failure.SetupFailure, Category: failure.Execution}
	overflow := failure.Diagnosis{Type: failure.ContextOverflow, Category: failure.Misalignment}
	late := went("haiku")
	late.Failures = append(late.Failures, routes, routes)
	conflicted := failure.History{
		Failures:  []failure.Diagnosis{routes},
		Decisions: []failure.Decision{{Action: failure.Arbitrate, To: failure.ToSequential, Fresh: true}},
	}
	up := func(name string, p failure.Policy, d failure.Diagnosis, h failure.History, rule, to string, fresh bool, says string) ruling {
		return ruling{name: name, policy: p, d: d, h: h, action: failure.Escalate, rule: rule, to: to, fresh: fresh, says: says}
	}
	end := func(name string, p failure.Policy, d failure.Diagnosis, h failure.History, rule string, propose bool, says string) ruling {
		return ruling{name: name, policy: p, d: d, h: h, action: failure.Escalate, rule: rule, to: "user", propose: propose, says: says}
	}
	return []ruling{
		up("first", all, of(failure.Execution), failure.History{}, "escalate.execution", "haiku", false, "test_failure: no blind retry; haiku finds the cause and fixes it"),
		up("second", all, of(failure.Execution), went("haiku"), "escalate.execution", "sonnet", true, "sonnet finds the cause and fixes it, from the last clean commit"),
		up("third", all, of(failure.Execution), went("haiku", "sonnet"), "escalate.execution", "opus", true, ""),
		end("after the last", all, of(failure.Execution), went("haiku", "sonnet", "opus"), "escalate.user", false, "opus was the last tier: a person fixes it"),
		up("not whoever failed", above, of(failure.Execution), failure.History{}, "escalate.execution", "sonnet", false, ""),
		up("nor twice the same", above, of(failure.Execution), went("sonnet"), "escalate.execution", "opus", true, ""),
		end("nor anybody weaker", top, of(failure.Execution), failure.History{}, "escalate.user", false, "there is no tier to ask"),
		end("no tiers", policy.Escalation{}, of(failure.Execution), failure.History{}, "escalate.user", false, "there is no tier to ask"),
		up("of no category", all, of(""), failure.History{}, "escalate.execution", "haiku", false, ""),
		up("an arbitration asks no tier", all, of(failure.Execution), conflicted, "escalate.execution", "haiku", false, ""),
		up("tiers that are gone count as asked", all, of(failure.Execution), went("gone"), "escalate.execution", "sonnet", true, ""),

		up("prerequisite", all, of(failure.Prerequisite), failure.History{}, "escalate.prerequisite", "haiku", false, "haiku finds what is missing, or what was meant"),
		end("… stays missing", above, of(failure.Prerequisite), went("sonnet", "opus"), "escalate.user", true, "a person's to provide, or the plan's to name"),
		up("execution, complex", all, design, failure.History{}, "escalate.execution", "opus", false, ""),
		end("… stays so", all, design, went("opus"), "escalate.user", true, "a change of the plan is recommended: class F3"),
		up("… later goes up one by one", all, design, went("haiku"), "escalate.execution", "sonnet", true, ""),
		up("unexpected result", all, of(failure.UnexpectedResult), failure.History{}, "escalate.unexpected_result", "haiku", false, "compares the result with what was asked for"),
		end("… stays so", above, of(failure.UnexpectedResult), went("sonnet", "opus"), "escalate.user", true, ""),
		up("ambiguity", above, of(failure.Ambiguity), failure.History{}, "escalate.ambiguity", "sonnet", false, "says what the plan leaves open"),
		up("… needs the next", above, vague, went("sonnet"), "escalate.ambiguity", "opus", true, ""),
		end("… stays so", above, of(failure.Ambiguity), went("sonnet", "opus"), "escalate.user", true, "the plan has to say it"),
		up("misalignment", all, of(failure.Misalignment), failure.History{}, "escalate.misalignment", "haiku", false, "holds the work against its instructions"),
		end("… stays so", above, of(failure.Misalignment), went("sonnet", "opus"), "escalate.user", false, "a person reads it against the plan"),
		up("too large for whoever failed", all, overflow, failure.History{}, "escalate.misalignment", "haiku", false, "context_overflow"),

		end("a setup no agent gets past", all, setup, failure.History{}, "escalate.not-for-agents", false, "setup_failure"),
		end("a breach", all, failure.Diagnosis{Type: failure.IsolationBreach}, failure.History{}, "escalate.not-for-agents", false, "isolation_breach"),
		end("conflicts took the attempts", all, of(failure.Execution), late, "escalate.spent", false, "no attempt is left for sonnet"),
	}
}

func TestEscalation(t *testing.T) { decideAll(t, escalationCases()) }
