package attempt

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// fakeInspector is a workspace that can tell what is half done.
type fakeInspector struct {
	*fakeSpace
	found []string
	err   error
}

func (s fakeInspector) Untidy(_ context.Context, _ Tree, phase string) ([]string, error) {
	s.did = append(s.did, "inspect "+phase)
	return s.found, s.err
}

// escalated is a bench on which tier sonnet diagnoses a failed test; its fix is good unless a test
// says otherwise.
func escalated(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.task.Attempt, b.task.Tier, b.task.Earlier = 2, "sonnet", []state.Attempt{{N: 1, Failure: &failure.Diagnosis{Type: failure.TestFailure, Message: "TestUsers failed"}}}
	weak := &fakeAgent{}
	b.runner.Agent = weak
	b.runner.Tiers = []Tier{{Agent: weak, Name: "haiku", Uses: "claude"}, {Agent: b.agent, Name: "sonnet", Uses: "claude", Model: "sonnet-5"}}
	b.runner.Workspace = fakeInspector{fakeSpace: b.space}
	b.agent.out.Final += "fixed: the handler forgot its status\n"
	return b
}

// The tier that is named does the work, is told to diagnose, and is recorded.
func TestTierFixes(t *testing.T) {
	b := escalated(t)
	got := b.lands(state.Verified)
	if got.Tier != "sonnet" || got.Agent != "claude" || got.Model != "sonnet-5" || b.agent.job.Model != "sonnet-5" {
		t.Errorf("recorded as tier %q, agent %q, model %q; the job has model %q", got.Tier, got.Agent, got.Model, b.agent.job.Model)
	}
	if !strings.HasPrefix(b.agent.job.Prompt, "# Diagnosis of Phase 2A: Backend") {
		t.Errorf("the prompt begins %.60q", b.agent.job.Prompt)
	}
	if want := []string{"open 2a", "scratch removed", "inspect 2a", "changes 2a", "land 2a", "done 2a"}; !slices.Equal(b.space.did, want) {
		t.Errorf("what happened: %q, want %q", b.space.did, want)
	}
}

func TestUnknownTier(t *testing.T) {
	b := escalated(t)
	b.task.Tier = "opus"
	_, err := b.attempt()
	if _, is := asFailure(err); err == nil || is || !strings.Contains(err.Error(), `no tier "opus"`) {
		t.Errorf("Attempt = %v", err)
	}
}

// A tier's fix that does not hold is a failure that says why, whatever the tier says of it.
func TestTierFails(t *testing.T) {
	for name, c := range map[string]struct {
		given func(b *bench)
		want  failure.Type
		cause failure.Type
		says  string
	}{
		"claims to fix": {
			given: func(b *bench) { b.checks.gates = map[string]state.Gate{"test": failing} },
			want:  failure.VerificationMismatch, cause: failure.TestFailure, says: "1 test failing",
		},
		"makes it worse": {
			given: func(b *bench) {
				worse := failing
				worse.Failed, worse.Tests = 3, append([]failure.Test{{Name: "TestA"}, {Name: "TestB"}}, failing.Tests...)
				b.checks.gates = map[string]state.Gate{"test": worse}
			},
			want: failure.VerificationMismatch, cause: failure.TestFailure, says: "3 tests failing",
		},
		"hangs": {
			given: func(b *bench) {
				b.agent.out = Outcome{Claims: true, TimedOut: true, Idle: true, Final: "fixed: hardly", ExitCode: -1}
			},
			want: failure.Timeout, says: "no sign of life",
		},
		"says blocked, where a gate fails as well": {
			given: func(b *bench) {
				b.checks.gates = map[string]state.Gate{"test": failing}
				b.agent.out.Final = "I looked.\n\n**blocked: the plan names CLAUDE.md; somebody must say whether AGENTS.md is meant**\n"
			},
			want: failure.TaskIncomplete, says: "the agent gave up: the plan names CLAUDE.md",
		},
		"says blocked beside a good block, and everything passes": {
			given: func(b *bench) {
				b.agent.out.Final = strings.Replace(b.agent.out.Final, "fixed: ", "blocked: only half: ", 1)
			},
			want: failure.TaskIncomplete, says: "only half",
		},
		"leaves something half done": {
			given: func(b *bench) {
				b.runner.Workspace = fakeInspector{fakeSpace: b.space, found: []string{"a merge is in progress", "conflict marks in a.go"}}
			},
			want: failure.AgentError, says: "not in order: a merge is in progress; conflict marks in a.go",
		},
		"leaves what cannot be looked at": {
			given: func(b *bench) {
				b.runner.Workspace = fakeInspector{fakeSpace: b.space, err: &WorkError{Reason: "its directory is gone"}}
			},
			want: failure.AgentError, says: "its directory is gone",
		},
		"leaves tasks undone": {
			given: func(b *bench) { b.says(`"status": "complete", "tasks": {"total": 1, "completed": 1}`) },
			want:  failure.TaskIncomplete, says: "1 of 2 tasks done",
		},
		"without a promised file": {
			given: func(b *bench) { b.task.Phase.Files = plan.Files{Create: []string{"api/users.go", "*.sql"}} },
			want:  failure.VerificationMismatch, cause: failure.TaskIncomplete, says: "api/users.go",
		},
		"with nothing to check it by": {
			given: func(b *bench) { b.runner.Gates = noGates },
			want:  failure.AgentError, says: "nothing here can check what tier sonnet says",
		},
		"fixed, with a block of another attempt": {
			given: func(b *bench) { b.agent.out.Final = strings.ReplaceAll(b.agent.out.Final, nonce, "other") },
			want:  failure.ParseError, says: "nonce",
		},
		"fixed: in a fence, and no block": {
			given: func(b *bench) { b.agent.out.Final = "```\nfixed: nothing\n```\n" },
			want:  failure.ParseError,
		},
		"fixed: somewhere, and no block": {
			given: func(b *bench) { b.agent.out.Final = "fixed: one thing\nand there is more to do\n" },
			want:  failure.ParseError,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := escalated(t)
			c.given(b)
			_, d := b.fails()
			if d.Type != c.want || d.Cause != c.cause || !strings.Contains(d.Message, c.says) {
				t.Errorf("%s (%s): %s\nwant %s (%s) with %q", d.Type, d.Cause, d.Message, c.want, c.cause, c.says)
			}
			if slices.ContainsFunc(b.space.did, func(s string) bool { return strings.HasPrefix(s, "land") }) {
				t.Errorf("it landed: %q", b.space.did)
			}
		})
	}
}

// What holds is taken, also where a form is missing.
func TestTierIsTaken(t *testing.T) {
	for name, c := range map[string]struct {
		given func(b *bench)
		want  state.Verdict
		warns string
	}{
		"fixed, without a block": {
			func(b *bench) { b.agent.out.Final = "So it was the clock.\n\n`fixed: the clock`\n" }, state.Verified, "left no result block",
		},
		"without gates, with the promised files": {
			func(b *bench) {
				b.runner.Gates = noGates
				b.task.Phase.Files = plan.Files{Create: []string{"users.go"}}
				write(b.t, filepath.Join(b.dir, "users.go"), "package main\n")
			}, state.Unverified, "",
		},
		"a workspace that cannot tell": {func(b *bench) { b.runner.Workspace = b.space }, state.Verified, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := escalated(t)
			c.given(b)
			got := b.lands(c.want)
			said := slices.IndexFunc(got.Warnings, func(w string) bool { return strings.HasPrefix(w, "tier sonnet said: ") })
			if said < 0 {
				t.Fatalf("what the tier found is not kept: %q", got.Warnings)
			}
			if warnings := strings.Join(slices.Delete(got.Warnings, said, said+1), "\n"); !strings.Contains(warnings, c.warns) || (c.warns == "") != (warnings == "") {
				t.Errorf("warnings %q, want %q", warnings, c.warns)
			}
		})
	}
}

// The conditions on a tier's fix are a tier's: an ordinary attempt lands with what the plan only
// hopes for.
func TestOrdinaryAttemptPromisesNothing(t *testing.T) {
	b := newBench(t)
	b.runner.Workspace = fakeInspector{fakeSpace: b.space, found: []string{"a merge is in progress"}}
	b.task.Phase.Files = plan.Files{Create: []string{"nowhere.go"}}
	b.agent.out.Final += "blocked: words\n"
	b.lands(state.Verified)
}

// The machinery that looks for unfinished work may break, and then says where.
func TestInspectorBreaks(t *testing.T) {
	b := escalated(t)
	b.runner.Workspace = fakeInspector{fakeSpace: b.space, err: errors.New("disk full")}
	if _, err := b.attempt(); err == nil || !strings.Contains(err.Error(), "looking for unfinished work: disk full") {
		t.Errorf("Attempt = %v", err)
	}
}

// Who is to start from the line as it stands gets a clean workspace, and reads where the earlier
// work is.
func TestFresh(t *testing.T) {
	b := escalated(t)
	b.task.Fresh = true
	b.space.tree.Kept, b.space.tree.Notes = "autobuild/r1/2a.kept-1", []string{"kept on branch autobuild/r1/2a.kept-1"}
	got := b.lands(state.Verified)
	if !b.space.clean || !strings.Contains(b.agent.job.Prompt, "git show autobuild/r1/2a.kept-1") {
		t.Errorf("opened clean: %t; prompt %.900s", b.space.clean, b.agent.job.Prompt)
	}
	if !slices.Contains(got.Warnings, "kept on branch autobuild/r1/2a.kept-1") {
		t.Errorf("the record does not name the branch: %q", got.Warnings)
	}
}

// A strong agent's own category comes with its claim; what is no category, and what a weak one
// says, is recorded at most.
func TestOwnCategory(t *testing.T) {
	for name, c := range map[string]struct {
		field  string
		weak   bool
		want   failure.Category
		again  *bool
		strong bool
	}{
		"strong":              {`{"message": "m", "category": "Unexpected Result", "retryable": true}`, false, failure.UnexpectedResult, new(true), true},
		"weak":                {`{"message": "m", "category": "ambiguity", "retryable": false}`, true, failure.Ambiguity, new(false), false},
		"unknown category":    {`{"message": "m", "category": "bad luck"}`, false, "", nil, true},
		"odd retryable":       {`{"message": "m", "category": "execution", "retryable": "perhaps"}`, false, failure.Execution, nil, true},
		"null":                {`{"message": "m", "retryable": null}`, false, "", nil, true},
		"a text for an error": {`"m"`, false, "", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.runner.Strong = !c.weak
			b.says(`"status": "failed", "tasks": {"total": 2, "completed": 1}, "error": ` + c.field)
			tr := &try{Runner: b.runner, task: b.task, id: "2a", nonce: nonce, report: func(state.Event) {}}
			if err := tr.choose(); err != nil {
				t.Fatal(err)
			}
			tr.listen(b.agent.out, "")
			claim := tr.seen.Claim
			if claim == nil || claim.Error != "m" || claim.Category != c.want || claim.Strong != c.strong || !same(claim.Transient, c.again) {
				t.Errorf("claim %+v", claim)
			}
			if got := tr.record.Report; got.Category != c.want || !same(got.Retry, c.again) {
				t.Errorf("recorded as %+v", got)
			}
		})
	}
}

// Who is blocked may say of what kind the trouble is.
func TestBlockedCategory(t *testing.T) {
	b := escalated(t)
	b.says(`"status": "failed", "error": {"message": "m", "category": "ambiguity", "retryable": false}`)
	b.agent.out.Final += "blocked: nobody says which\n"
	got, d := b.fails()
	if got.Report.Category != failure.Ambiguity || !same(got.Report.Retry, new(false)) || got.Report.Error != "nobody says which" || len(got.Gates) > 0 {
		t.Errorf("claim %+v after %d gates", got.Report, len(got.Gates))
	}
	if d.Category != failure.Ambiguity {
		t.Errorf("category %s", d.Category)
	}
}

func same(a, b *bool) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// Files that the plan gives by pattern promise no file of that name.
func TestPromised(t *testing.T) {
	got := promisedBy(plan.Files{Create: []string{"a.go", "src/**/*.ts"}, Modify: []string{"b.go"}, Test: []string{"a_test.go", "{x,y}.go"}, Delete: []string{"old.go"}})
	if want := []string{"a.go", "b.go", "a_test.go"}; !slices.Equal(got, want) {
		t.Errorf("promised are %q, want %q", got, want)
	}
}
