package diagnose_test

import (
	"testing"

	"autobuild/failure"
	"autobuild/failure/diagnose"
)

func says(words string) failure.Evidence {
	return failure.Evidence{Agent: run(), Claim: &failure.Claim{Error: words}, Tasks: failure.TaskCount{Total: 4, Done: 1}}
}

func asks(words string) failure.Evidence {
	e := says(words)
	e.Claim.Blocked = true
	return e
}

func fails(tail string) failure.Evidence { return gated(gaveUp, of("custom", "./check", 1, tail+"\n")) }

// Every row of the taxonomy by what is seen, in the order of the decision tree, and whether its
// table lets it pass.
func TestCategories(t *testing.T) {
	killed := failure.AgentRun{ExitCode: -1, Signal: "SIGKILL"}
	late := failure.AgentRun{TimedOut: true, After: 60}
	for _, c := range []struct {
		name     string
		e        failure.Evidence
		category failure.Category
		passes   bool
	}{
		{"a file", fails("cat: docs/CLAUDE.md: No such file or directory"), failure.Prerequisite, false},
		{"access", fails("cp: cannot create regular file '/etc/x': Permission denied"), failure.Prerequisite, false},
		{"a service", fails("Error: connect ECONNREFUSED 127.0.0.1:5432"), failure.Prerequisite, true},
		{"the network", fails("read ECONNRESET"), failure.Prerequisite, true},
		{"a module", gated(gaveUp, of("test", "npm test", 1, "Error: Cannot find module 'pg'\n")), failure.Prerequisite, false},
		{"a module of one's own", gated(gaveUp, of("test", "npm test", 1, "Error: Cannot find module './auth'\n")), failure.Prerequisite, false},
		{"an import", fails("ImportError: cannot import name 'x' from 'shop'"), failure.Prerequisite, false},
		{"a tool", gated(gaveUp, of("lint", "eslint .", 127, "sh: 1: eslint: not found\n")), failure.Prerequisite, false},
		{"a variable", fails("Error: DATABASE_URL is not set"), failure.Prerequisite, false},
		{"room", fails("write error: No space left on device"), failure.Prerequisite, false},
		{"a port", fails("Error: listen EADDRINUSE: address already in use :::3000"), failure.Prerequisite, true},
		{"a login", ended(failure.AgentRun{Kind: failure.AgentUnusable, Message: "not logged in"}), failure.Prerequisite, false},
		{"an agent that cannot start", ended(failure.AgentRun{Err: "fork/exec: exec format error"}), failure.Prerequisite, false},
		{"as the agent tells it", says("File not found - CLAUDE.md is named in the plan"), failure.Prerequisite, false},

		{"a tier that asks", asks("the owner must choose a colour"), failure.Ambiguity, false},
		{"a worker that says so", says("the owner must choose a colour"), failure.Misalignment, false},

		{"tests", gated(gaveUp, lint()), failure.Execution, false},
		{"tests that were claimed to pass", gated(complete, lint()), failure.Execution, false},
		{"a crash", ended(killed), failure.Execution, false},
		{"a deadline", ended(late), failure.Execution, true},
		{"a gate's deadline", gated(complete, failure.GateRun{Name: "test", Kind: "test", Command: "x", TimedOut: true}), failure.Execution, true},
		{"a conflict of writes", failure.Evidence{Agent: run(), Claim: complete, Conflicts: []failure.Conflict{{File: "a", Phase: "2A"}}}, failure.Execution, true},
		{"a rejected push", fails("error: failed to push some refs to 'origin'"), failure.Execution, true},
		{"a flaky gate", failure.Evidence{Agent: run(), Claim: gaveUp, Gates: []failure.GateRun{lint()}, Flaky: []string{"lint"}}, failure.Execution, true},
		{"a lock", fails("database is locked"), failure.Execution, true},
		{"as the agent tells it", says("two tests still fail"), failure.Execution, false},
		{"several tests, one of them late", gated(gaveUp, authTests()), failure.Execution, false},

		{"nothing was changed", failure.Evidence{Agent: run(), Claim: complete, NoChange: true}, failure.UnexpectedResult, false},
		{"no block", failure.Evidence{Agent: run(), ParseNote: "no json block"}, failure.UnexpectedResult, false},
		{"work of the wrong form", failure.Evidence{Work: "it holds a repository of its own"}, failure.UnexpectedResult, false},
		{"counts", says("the report has the wrong format: expected 5 items, got 3"), failure.UnexpectedResult, false},
		{"a stale cache", says("the output differs from what is expected: a stale cache"), failure.UnexpectedResult, true},

		{"claimed files", failure.Evidence{Agent: run(), Claim: complete, Missing: []string{"a.go"}}, failure.Misalignment, false},
		{"tasks left out", failure.Evidence{Agent: run(), Claim: complete, Tasks: failure.TaskCount{Total: 4, Done: 3}}, failure.Misalignment, false},
		{"a breach", failure.Evidence{Breach: []string{"refs/heads/main"}}, failure.Misalignment, false},
		{"a context", ended(failure.AgentRun{Kind: failure.ContextOverflow}), failure.Misalignment, true},
		{"made up", says("the review found fabricated fix claims"), failure.Misalignment, false},
		{"ended early", says("I stopped here"), failure.Misalignment, false},

		{"two readings", says("there are multiple valid interpretations of step 2"), failure.Ambiguity, false},
		{"at odds", says("conflicting requirements: step 2 wants a list, step 5 a map"), failure.Ambiguity, false},
		{"unclear", says("the success criteria are unclear"), failure.Ambiguity, false},
		{"silent", says("the plan does not say which store is meant; perhaps a timeout matters"), failure.Ambiguity, false},
		{"a cycle", failure.Evidence{Cycle: []string{"2A", "3", "2A"}}, failure.Ambiguity, false},
		{"a plan", failure.Evidence{Plan: []string{"phase 3 appears twice"}}, failure.Ambiguity, false},
	} {
		d := diagnose.From(c.e)
		if d.Category != c.category || d.Transient != c.passes {
			t.Errorf("%s: %s, passes %t; want %s, %t (%s)", c.name, d.Category, d.Transient, c.category, c.passes, d.Message)
		}
	}
	for category, want := range map[failure.Category]failure.Nature{
		failure.Prerequisite: failure.Fault, failure.Ambiguity: failure.Fault,
		failure.Execution: failure.Observation, failure.UnexpectedResult: failure.Observation, failure.Misalignment: failure.Observation,
	} {
		if category.Nature() != want {
			t.Errorf("%s is a %s", category, category.Nature())
		}
	}
}

// A strong agent's own category is kept where nothing contradicts it; a weak one's is not heard at
// all.
func TestOwnCategory(t *testing.T) {
	yes := true
	claim := func(c failure.Category, strong bool) *failure.Claim {
		return &failure.Claim{Error: "I stopped here", Category: c, Strong: strong, Transient: &yes}
	}
	left := failure.Evidence{Agent: run(), Tasks: failure.TaskCount{Total: 4, Done: 1}}
	failing := failure.Evidence{Agent: run(), Gates: []failure.GateRun{lint()}}
	lacking := failure.Evidence{Agent: run(), Gates: []failure.GateRun{of("lint", "eslint .", 127, "sh: 1: eslint: not found\n")}}
	for _, c := range []struct {
		name   string
		e      failure.Evidence
		own    failure.Category
		strong bool
		want   failure.Category
		passes bool
	}{
		{"kept", left, failure.Prerequisite, true, failure.Prerequisite, true},
		{"kept, and never retryable", left, failure.Ambiguity, true, failure.Ambiguity, false},
		{"weak", left, failure.Ambiguity, false, failure.Misalignment, false},
		{"none of the five", left, "bad luck", true, failure.Misalignment, false},
		{"a failing gate is an execution error at the least", failing, failure.Ambiguity, true, failure.Execution, false},
		{"… or was for want of something", failing, failure.Prerequisite, true, failure.Prerequisite, true},
		{"a missing tool is a fact", lacking, failure.Execution, true, failure.Prerequisite, false},
	} {
		c.e.Claim = claim(c.own, c.strong)
		if d := diagnose.From(c.e); d.Category != c.want || d.Transient != c.passes {
			t.Errorf("%s: %s, passes %t; want %s, %t", c.name, d.Category, d.Transient, c.want, c.passes)
		}
	}
	done := failure.Evidence{Agent: run(), Claim: &failure.Claim{Complete: true, Strong: true, Category: failure.Ambiguity}, NoChange: true}
	if d := diagnose.From(done); d.Category != failure.UnexpectedResult {
		t.Errorf("an agent that says that it is done has no error to classify: %s", d.Category)
	}
}

func TestParseCategory(t *testing.T) {
	for s, want := range map[string]failure.Category{
		"prerequisite": failure.Prerequisite, "PREREQUISITE_FAILURE": failure.Prerequisite, " Execution Error ": failure.Execution,
		"unexpected-result": failure.UnexpectedResult, "UNEXPECTED_RESULT": failure.UnexpectedResult, "AMBIGUITY_ERROR": failure.Ambiguity,
		"Inter-Agent Misalignment": failure.Misalignment, "INTER_AGENT_MISALIGNMENT": failure.Misalignment, "misalignment": failure.Misalignment,
		"": "", "failure": "", "success": "",
	} {
		if got, ok := failure.ParseCategory(s); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %t", s, got, ok)
		}
	}
}

// A tier's request comes first among the user's next steps.
func TestAskedFor(t *testing.T) {
	if d := diagnose.From(asks("the owner must choose a colour")); d.Actions[0] != "Do what is asked for: the owner must choose a colour" {
		t.Errorf("%q", d.Actions)
	}
	if d := diagnose.From(says("the owner must choose a colour")); len(d.Actions) == 0 || d.Actions[0][:4] != "Read" {
		t.Errorf("%q", d.Actions)
	}
}
