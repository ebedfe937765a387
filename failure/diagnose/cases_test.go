package diagnose_test

import (
	"strings"
	"time"

	"autobuild/failure"
)

// run is an agent that did its work and left a claim.
func run() *failure.AgentRun { return &failure.AgentRun{Name: "claude", After: 4 * time.Minute} }

var (
	complete = &failure.Claim{Complete: true, Gates: []string{"lint passed", "test passed (47)"}}
	gaveUp   = &failure.Claim{Error: "the API has no refresh endpoint"}
)

// authTests is the failed gate of the reference's own example.
func authTests() failure.GateRun {
	return failure.GateRun{
		Name: "test", Kind: "test", Command: "npm test", Exit: 1, Count: 3, Log: "logs/phase-2a.1.test.log",
		Tests: []failure.Test{
			{Name: "validateToken", File: "auth.test.ts", Line: 12, Message: "returns null instead of user object"},
			{Name: "refreshToken", File: "auth.test.ts", Line: 30, Message: "Expected 200, received 401"},
			{Name: "handleExpired", File: "auth.test.ts", Line: 51, Message: "timeout of 5000ms exceeded"},
		},
		Tail: "Tests: 3 failed, 44 passed, 47 total\n",
	}
}

func lint() failure.GateRun {
	return failure.GateRun{
		Name: "lint", Kind: "lint", Command: "npm run lint", FixCommand: "npm run lint -- --fix", Exit: 1, Count: 2,
		Places: []failure.Place{
			{File: "src/a.ts", Line: 3, Col: 7, Rule: "no-unused-vars", Message: "'x' is never used"},
			{File: "src/b.ts", Line: 9, Col: 1, Rule: "semi", Message: "Missing semicolon"},
		},
	}
}

func types() failure.GateRun {
	return failure.GateRun{
		Name: "typecheck", Kind: "typecheck", Command: "npx tsc --noEmit", Exit: 2, Count: 2,
		Places: []failure.Place{
			{File: "src/a.ts", Line: 2, Col: 14, Rule: "TS2322", Message: "Type 'string' is not assignable to type 'number'."},
			{File: "src/b.ts", Line: 2, Col: 3, Rule: "TS2345", Message: "Argument of type 'number' is not assignable to parameter of type 'string'."},
		},
	}
}

func of(kind, command string, exit int, tail string) failure.GateRun {
	return failure.GateRun{Name: kind, Kind: kind, Command: command, Exit: exit, Tail: tail}
}

// A seen is evidence with a name; the golden file of that name holds its diagnosis.
type seen struct {
	name string
	failure.Evidence
}

func gated(claim *failure.Claim, gates ...failure.GateRun) failure.Evidence {
	return failure.Evidence{Agent: run(), Claim: claim, Gates: gates, Tasks: failure.TaskCount{Total: 4, Done: 4}}
}

func ended(a failure.AgentRun) failure.Evidence {
	a.Name = "claude"
	return failure.Evidence{Agent: &a, ParseNote: "no json block"}
}

func cases() []seen {
	return []seen{
		{"test_failure", gated(gaveUp, authTests())},
		{"test_failure-compile", gated(gaveUp, failure.GateRun{
			Name: "test", Kind: "test", Command: "go test ./...", Exit: 1, Count: 1,
			Places: []failure.Place{{File: "a/b.go", Line: 3, Col: 8, Message: "undefined: x"}},
		})},
		{"test_failure-unread", gated(gaveUp, of("test", "make test", 2, "checking\nAssertion failed: 3 != 4\nmake: *** [test] Error 1\n"))},
		{"lint_error", gated(gaveUp, lint())},
		{"typecheck_error", gated(gaveUp, types())},
		{"format_error", gated(gaveUp, failure.GateRun{
			Name: "format", Kind: "format", Command: `test -z "$(gofmt -l .)"`, FixCommand: "gofmt -w .", Exit: 1, Count: 1,
			Places: []failure.Place{{File: "cart/cart.go"}},
		})},
		{"gate_failure", gated(gaveUp, failure.GateRun{
			Name: "security", Kind: "custom", Command: "./scan.sh", Exit: 3, Tail: "scanning\nfatal: 1 secret in config.yml\n", Log: "logs/phase-2a.1.security.log",
		})},
		{"task_incomplete", failure.Evidence{Agent: run(), Claim: gaveUp, Tasks: failure.TaskCount{Total: 4, Done: 2}}},
		{"task_incomplete-nothing", failure.Evidence{Agent: run(), Claim: complete, NoChange: true}},
		{"verification_mismatch-test", gated(complete, authTests())},
		{"verification_mismatch-many", gated(complete, lint(), types(), authTests())},
		{"verification_mismatch-files", failure.Evidence{Agent: run(), Claim: complete, Missing: []string{"src/auth.ts", "src/token.ts"}}},
		{"verification_mismatch-gate-and-files", failure.Evidence{
			Agent: run(), Claim: complete, Gates: []failure.GateRun{authTests()}, Missing: []string{"src/token.ts"},
		}},
		{"verification_mismatch-timeout", gated(complete, failure.GateRun{Name: "test", Kind: "test", Command: "npm test", Exit: -1, TimedOut: true, After: 10 * time.Minute})},
		{"timeout", ended(failure.AgentRun{TimedOut: true, After: time.Hour, Activity: "npm run dev", Tail: "listening on 3000\n"})},
		{"timeout-idle", ended(failure.AgentRun{Idle: true, After: 15*time.Minute + 20*time.Second})},
		{"parse_error", failure.Evidence{Agent: run(), ParseNote: "nonce differs", Gates: []failure.GateRun{authTests()}}},
		{"agent_error", ended(failure.AgentRun{ExitCode: 1, Tail: "starting\nError: socket hang up\n"})},
		{"agent_error-signal", ended(failure.AgentRun{ExitCode: -1, Signal: "SIGSEGV"})},
		{"agent_error-start", ended(failure.AgentRun{Err: "exec: permission denied"})},
		{"agent_error-unknown", ended(failure.AgentRun{
			Kind: failure.AgentError, Unbilled: true, ExitCode: 0, Message: "418 I am a teapot",
			Words: "418 I am a teapot\n" + strings.Repeat("and this is why; ", 20),
		})},
		{"agent_loop", ended(failure.AgentRun{
			Kind: failure.AgentLoop, ExitCode: -1, Signal: "SIGTERM", Activity: "Bash: ls",
			Message: "40 steps in a row brought no new call, text or file; the last: Bash: ls; 48000 tokens were used",
		})},
		{"refusal", ended(failure.AgentRun{Kind: failure.Refusal, Message: "Response stopped due to safety reasons."})},
		{"agent_error-command", failure.Evidence{Agent: &failure.AgentRun{Name: "command", ExitCode: 3, Tail: "no such option\n"}, ParseNote: "no json block"}},
		{"agent_error-script", failure.Evidence{Agent: &failure.AgentRun{Name: "script", ExitCode: 3, Tail: "$ ./deploy\nfatal: no remote\n"}, Claim: &failure.Claim{}, Tasks: failure.TaskCount{Total: 2}}},
		{"dependency_missing-types", gated(complete, failure.GateRun{
			Name: "typecheck", Kind: "typecheck", Command: "npx tsc --noEmit", Exit: 2, Count: 1,
			Places: []failure.Place{{File: "src/a.test.ts", Line: 1, Col: 1, Rule: "TS2593", Message: "Cannot find name 'describe'. Do you need to install type definitions for a test runner? Try `npm i --save-dev @types/jest`"}},
		})},
		{"dependency_missing-tool", gated(complete, failure.GateRun{Name: "lint", Kind: "lint", Command: "golangci-lint run ./...", NotAvailable: true})},
		{"dependency_missing-claimed", failure.Evidence{Agent: run(), Claim: &failure.Claim{Type: failure.DependencyMissing, Error: "Cannot find module 'pg'"}, NoChange: true}},
		{"circular_dependency", failure.Evidence{Cycle: []string{"2A", "3", "2A"}}},
		{"file_conflict", failure.Evidence{Agent: run(), Claim: complete, Conflicts: []failure.Conflict{
			{File: "src/api/routes.ts", Phase: "2B", Lines: "15-30", Other: "2A", OtherLines: "10-25"},
		}, Merge: "git -C .autobuild/worktrees/2b merge autobuild/01JDZ8/integration"}},
		{"file_conflict-together", failure.Evidence{Agent: run(), Claim: complete, Gates: []failure.GateRun{authTests()}, Together: []failure.Conflict{
			{File: "src/token.ts", Phase: "2B", Other: "2A", OtherLines: "3-7", Excerpt: "-export function sign(user)\n+export function sign(user, key)\n"},
		}}},
		{"file_conflict-user", failure.Evidence{Agent: run(), Claim: complete, Conflicts: []failure.Conflict{{File: "logo.png", Phase: "2B"}}}},
		{"plan_invalid", failure.Evidence{Plan: []string{"plan.md:12:3: unknown phase 2D; did you mean 2A?", "plan.md:20:1: phase 3 appears twice"}}},
		{"transport_error", ended(failure.AgentRun{Kind: failure.TransportError, ExitCode: 1, Message: "API Error: 529 Overloaded"})},
		{"usage_limit", ended(failure.AgentRun{Kind: failure.UsageLimit, ExitCode: 1, Message: "You've hit your limit", Until: time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)})},
		{"agent_unusable", ended(failure.AgentRun{Kind: failure.AgentUnusable, ExitCode: 1, Message: "401 invalid x-api-key"})},
		{"context_overflow", ended(failure.AgentRun{Kind: failure.ContextOverflow, ExitCode: 1, Message: "prompt is too long: 210000 tokens > 200000 maximum"})},
		{"setup_failure", failure.Evidence{Setup: &failure.GateRun{Name: "setup", Command: "npm ci", Exit: 1, Tail: "npm error code EUSAGE\nnpm error The lock file is out of date\n"}}},
		{"guard_violation", failure.Evidence{Agent: run(), Claim: complete, Guard: []failure.Place{
			{File: ".github/workflows/ci.yml", Rule: "ci-or-hook", Message: "it runs in CI or as a hook, and the plan does not name it"},
			{File: "config.py", Line: 3, Rule: "secret", Message: "it looks like an AWS access key: AKIA…"},
		}}},
		{"task_incomplete-undecided", failure.Evidence{Agent: run(), Tasks: failure.TaskCount{Total: 2, Done: 2}, Claim: &failure.Claim{
			Error: "the tax rate is not given; I guessed; do not merge",
		}}},
		{"review_rejected", failure.Evidence{Review: []failure.Reviewed{{
			Place: failure.Place{File: "price/price.go", Line: 7, Message: "the discount is added, not taken off"},
			Shown: "$ go run ./price 100 20\n120, and the plan says 80",
		}}}},
		{"sibling_work_removed", failure.Evidence{Agent: run(), Claim: complete, Removed: []failure.Removal{
			{File: "src/api/routes.ts", Phase: "2A", How: "its lines are reverted"}, {File: "src/auth.ts", Phase: "1", How: "the file is deleted"},
		}}},
		{"isolation_breach", failure.Evidence{Breach: []string{".autobuild/phases/phase-3.json", "refs/heads/main"}, Agent: run(), Claim: complete}},
		{"isolation_breach-unattributed", failure.Evidence{Breach: []string{"git's hook pre-commit was created; put back"}, Unattributed: true, Agent: run(), Claim: complete}},
		{"nested_repository", failure.Evidence{Agent: run(), Claim: complete, Nested: []string{"vendor/inner"}, Work: "the work holds git repositories"}},
		{"budget_exhausted", failure.Evidence{Agent: run(), Budget: "4.02 of 4.00 USD spent"}},
		{"nothing", failure.Evidence{}},
	}
}
