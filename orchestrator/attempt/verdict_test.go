package attempt

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// What the checks show decides, whatever the claim says.
func TestVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		given func(b *bench)
		want  failure.Type
		cause failure.Type
		says  string // in the message
	}{
		"no block": {given: func(b *bench) { b.agent.out.Final = "All done!" }, want: failure.ParseError, says: "no result block"},
		"malformed block": {
			given: func(b *bench) { b.agent.out.Final = "```json\n{\n```" }, want: failure.ParseError, says: "not valid JSON",
		},
		"no block, and something was denied": {
			given: func(b *bench) { b.agent.out = Outcome{Claims: true, Final: "I may not.", Denied: []string{"Bash"}} }, want: failure.ParseError,
		},
		"a sibling's block": {
			given: func(b *bench) { b.agent.out.Final = strings.Replace(b.agent.out.Final, nonce, "other", 1) }, want: failure.ParseError, says: "nonce",
		},
		"claims complete, gate fails": {
			given: func(b *bench) { b.checks.gates = map[string]state.Gate{"test": failing} },
			want:  failure.VerificationMismatch, cause: failure.TestFailure, says: "claimed complete, but 1 test failing",
		},
		"claims failed, gate fails": {
			given: func(b *bench) {
				b.says(`"status": "failed", "tasks": {"total": 2, "completed": 2}, "error": "one test fails"`)
				b.checks.gates = map[string]state.Gate{"test": failing}
			},
			want: failure.TestFailure, says: "1 test failing",
		},
		"gate times out": {
			given: func(b *bench) {
				b.checks.gates = map[string]state.Gate{"test": {Status: state.GateTimeout, Duration: time.Minute}}
			},
			want: failure.VerificationMismatch, cause: failure.Timeout, says: "within 1m",
		},
		"no change": {given: func(b *bench) { b.space.changes = state.Changes{} }, want: failure.TaskIncomplete, says: "changed nothing"},
		"half the tasks": {
			given: func(b *bench) { b.says(`"status": "complete", "tasks": {"total": 4, "completed": 2}`) },
			want:  failure.TaskIncomplete, says: "2 of 4",
		},
		"gave up": {
			given: func(b *bench) {
				b.says(`"status": "failed", "tasks": {"total": 2, "completed": 1}, "error": {"type": "task_incomplete", "message": "no idea"}`)
			},
			want: failure.TaskIncomplete, says: "no idea",
		},
		"gave up for a reason that no gate sees": {
			given: func(b *bench) {
				b.says(`"status": "failed", "tasks": {"total": 2, "completed": 0}, "error": {"type": "dependency_missing", "message": "psql is not installed"}`)
			},
			want: failure.DependencyMissing, says: "psql",
		},
		"gave up without counting": {
			given: func(b *bench) { b.says(`"status": "failed", "error": "the API is not documented"`) },
			want:  failure.TaskIncomplete, says: "the API is not documented",
		},
		"gave up, and counted other tasks": {
			given: func(b *bench) {
				b.says(`"status": "failed", "tasks": {"total": 1, "completed": 1}, "error": "the second is beyond me"`)
			},
			want: failure.TaskIncomplete, says: "the second is beyond me",
		},
		"claimed file missing": {
			given: func(b *bench) {
				b.says(`"status": "complete", "tasks": {"total": 2, "completed": 2}, "files": {"created": ["gone.go"]}`)
			},
			want: failure.VerificationMismatch, cause: failure.TaskIncomplete, says: "gone.go",
		},
		"claimed file outside": {
			given: func(b *bench) {
				b.says(`"status": "complete", "tasks": {"total": 2, "completed": 2}, "files": {"modified": ["../../../../../../../../etc/passwd"]}`)
			},
			want: failure.VerificationMismatch, cause: failure.TaskIncomplete, says: "etc/passwd",
		},
		"claimed absolute file outside": {
			given: func(b *bench) {
				b.says(`"status": "complete", "tasks": {"total": 2, "completed": 2}, "files": {"created": ["/etc/passwd"]}`)
			},
			want: failure.VerificationMismatch, cause: failure.TaskIncomplete, says: "etc/passwd",
		},
		"tool of a configured gate missing": {
			given: func(b *bench) {
				b.runner.Gates = gateOf("config")
				b.checks.gates = map[string]state.Gate{"test": {Status: state.GateNotAvailable, Missing: "gotestsum", Tail: "gotestsum: not found", Exit: 127}}
			},
			want: failure.DependencyMissing,
		},
		"tool of the plan's gate missing": {
			given: func(b *bench) {
				b.runner.Gates = gateOf("plan")
				b.checks.gates = map[string]state.Gate{"test": {Status: state.GateNotAvailable, Exit: 127}}
			},
			want: failure.DependencyMissing,
		},
		"cannot start": {
			given: func(b *bench) { b.agent.out = Outcome{Claims: true, Err: "no such file", ExitCode: -1} },
			want:  failure.AgentError, says: "could not be started",
		},
		"crashed": {
			given: func(b *bench) { b.agent.out = Outcome{Claims: true, Signal: "SIGSEGV", ExitCode: -1} },
			want:  failure.AgentError, says: "SIGSEGV",
		},
		"timed out without a word": {
			given: func(b *bench) {
				b.agent.out = Outcome{Claims: true, TimedOut: true, Duration: time.Hour, Last: "running npm", ExitCode: -1}
			},
			want: failure.Timeout, says: "running npm",
		},
		"usage limit": {
			given: func(b *bench) { b.agent.out.Kind = "usage_limit"; b.agent.out.Message = "come back later" },
			want:  failure.UsageLimit, says: "come back later",
		},
		"login":   {given: func(b *bench) { b.agent.out.Kind = "agent_unusable" }, want: failure.AgentUnusable},
		"context": {given: func(b *bench) { b.agent.out.Kind = "context_overflow" }, want: failure.ContextOverflow},
		"cut off": {given: func(b *bench) { b.agent.out.Kind = "parse_error" }, want: failure.ParseError},
		"work that cannot be taken": {
			given: func(b *bench) { b.space.changesErr = &WorkError{Reason: "it holds a repository"} },
			want:  failure.AgentError, says: "it holds a repository",
		},
		"work that is gone when it lands": {
			given: func(b *bench) { b.space.landErr = &WorkError{Reason: "its directory is gone"} },
			want:  failure.AgentError, says: "its directory is gone",
		},
		"script failed": {
			given: func(b *bench) { b.agent.out = Outcome{ExitCode: 2, Tail: "sh: boom"} },
			want:  failure.AgentError, says: "code 2",
		},
		"exit code that contradicts the claim, and nothing to check with": {
			given: func(b *bench) { b.agent.out.ExitCode = 3; b.runner.Gates = noGates },
			want:  failure.AgentError, says: "code 3",
		},
		"late end, and nothing to check with": {
			given: func(b *bench) {
				b.agent.out.TimedOut = true
				b.agent.out.Duration = time.Hour
				b.runner.Gates = noGates
			},
			want: failure.Timeout,
		},
		"failed claim, and nothing to check with": {
			given: func(b *bench) {
				b.says(`"status": "failed", "tasks": {"total": 2, "completed": 2}, "error": "odd"`)
				b.runner.Gates = noGates
			},
			want: failure.TaskIncomplete, says: "odd",
		},
		"failed claim that no gate refutes": {
			given: func(b *bench) {
				b.says(`"status": "failed", "tasks": {"total": 2, "completed": 2}, "error": "the tax rate is not given; I guessed; do not merge"`)
			},
			want: failure.TaskIncomplete, says: "I guessed",
		},
		"failed claim without a word": {
			given: func(b *bench) { b.says(`"status": "failed", "tasks": {"total": 2, "completed": 2}`) },
			want:  failure.TaskIncomplete, says: "without saying why",
		},
		"failed claim about what no gate looks at": {
			given: func(b *bench) {
				b.says(`"status": "failed", "tasks": {"total": 2, "completed": 2}, "error": "mypy fails"`)
			},
			want: failure.TaskIncomplete, says: "mypy",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			c.given(b)
			got, d := b.fails()
			if len(b.agent.out.Denied) > 0 && !slices.Contains(got.Warnings, "the agent was denied: Bash") {
				t.Errorf("warnings %q do not say what was denied", got.Warnings)
			}
			if d.Type != c.want || d.Cause != c.cause || !strings.Contains(d.Message, c.says) {
				t.Errorf("%s (%s): %s\nwant %s (%s) with %q", d.Type, d.Cause, d.Message, c.want, c.cause, c.says)
			}
			if slices.ContainsFunc(b.space.did, func(s string) bool { return strings.HasPrefix(s, "done") }) {
				t.Errorf("the workspace of a failed attempt was given up: %q", b.space.did)
			}
		})
	}
}

func gateOf(source string) func(string, plan.Phase) []state.GateSpec {
	return func(string, plan.Phase) []state.GateSpec {
		return []state.GateSpec{{Name: "test", Kind: "test", Command: "gotestsum", Source: source}}
	}
}

func noGates(string, plan.Phase) []state.GateSpec { return nil }

// Some attempts pass although not all about them is well; each says what is not.
func TestPassesNevertheless(t *testing.T) {
	for name, c := range map[string]struct {
		given   func(b *bench)
		want    state.Verdict
		warning string
	}{
		"claims failed": {
			func(b *bench) {
				b.says(`"status": "failed", "tasks": {"total": 2, "completed": 2}, "error": "tests fail\nTestAdd is red"`)
			},
			state.Upgraded, "reported failure (tests fail TestAdd is red)",
		},
		"claims failed for a gate that passes": {
			func(b *bench) {
				b.says(`"status": "failed", "tasks": {"total": 2, "completed": 2}, "error": {"type": "test_failure", "message": "TestAdd is flaky"}`)
			},
			state.Upgraded, "flaky",
		},
		"claims failed, and only what is optional is left": {
			func(b *bench) {
				b.task.Phase.Tasks = []plan.Task{{Text: "one"}, {Text: "two", Optional: true}}
				b.says(`"status": "failed", "tasks": {"total": 1, "completed": 1}, "error": "two fails: its test is red"`)
			},
			state.Upgraded, "two fails",
		},
		"exit code 3":      {func(b *bench) { b.agent.out.ExitCode = 3 }, state.Upgraded, "exit code 3"},
		"lingers":          {func(b *bench) { b.agent.out.Lingered = true }, state.Verified, "did not end after its result and was stopped"},
		"timed out":        {func(b *bench) { b.agent.out.TimedOut = true }, state.Upgraded, "did not end after its result"},
		"died by a signal": {func(b *bench) { b.agent.out.Signal, b.agent.out.ExitCode = "SIGTERM", -1 }, state.Upgraded, "after its result"},
		"no gates":         {func(b *bench) { b.runner.Gates = noGates }, state.Unverified, ""},
		"a detected gate whose tool is missing": {
			func(b *bench) { b.checks.gates = map[string]state.Gate{"test": {Status: state.GateNotAvailable}} }, state.Unverified, "",
		},
		"no change where that is allowed": {
			func(b *bench) { b.space.changes = state.Changes{}; b.task.Phase.AllowEmpty = true }, state.Verified, "",
		},
		"no change where the work landed before": {
			func(b *bench) { b.space.changes = state.Changes{}; b.space.tree.Landed = true }, state.Verified, "",
		},
		"other tasks than the plan has": {
			func(b *bench) { b.says(`"status": "complete", "tasks": {"total": 5, "completed": 5}`) }, state.Verified, "counted 5 tasks; the plan has 2",
		},
		"tasks where the plan has none": {
			func(b *bench) {
				b.task.Phase.Tasks = nil
				b.says(`"status": "complete", "tasks": {"total": 3, "completed": 3}`)
			},
			state.Verified, "",
		},
		"something was denied": {func(b *bench) { b.agent.out.Denied = []string{"WebFetch", "rm"} }, state.Verified, "denied: WebFetch, rm"},
		"a remark on the work": {func(b *bench) { b.space.notes = []string{"it edited the plan"} }, state.Verified, "it edited the plan"},
		"its workspace stays":  {func(b *bench) { b.space.doneErr = errors.New("directory\nnot empty") }, state.Verified, "directory not empty"},
		"exit code is the claim": {
			func(b *bench) { b.agent.out = Outcome{} }, state.Verified, "",
		},
		"files where they were claimed": {
			func(b *bench) {
				write(b.t, filepath.Join(b.dir, "api/users.go"), "package api\n")
				write(b.t, filepath.Join(b.dir, "main.go"), "package main\n")
				b.says(`"status": "complete", "tasks": {"total": 2, "completed": 2},
					"files": {"created": ["./api/users.go", "` + filepath.ToSlash(filepath.Join(b.dir, "main.go")) + `"], "modified": ["api"], "deleted": ["old.go"]}`)
			},
			state.Verified, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			c.given(b)
			got := b.lands(c.want)
			if warnings := strings.Join(got.Warnings, "\n"); !strings.Contains(warnings, c.warning) || (c.warning == "") != (warnings == "") {
				t.Errorf("warnings %q, want %q", warnings, c.warning)
			}
			if l := b.space.landing; !l.Mark || l.Verdict != c.want || l.Phase != "2a" {
				t.Errorf("landing %+v", l)
			}
			if b.space.landing.AllowEmpty != (b.space.changes.Len() == 0) {
				t.Errorf("landing may be empty: %t", b.space.landing.AllowEmpty)
			}
		})
	}
}

// A link out of the worktree does not make a claimed file exist.
func TestClaimedFileBehindLink(t *testing.T) {
	b := newBench(t)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret"), "x")
	if err := os.Symlink(outside, filepath.Join(b.dir, "out")); err != nil {
		t.Fatal(err)
	}
	b.says(`"status": "complete", "tasks": {"total": 2, "completed": 2}, "files": {"created": ["out/secret"]}`)
	if _, d := b.fails(); d.Type != failure.VerificationMismatch || !slices.Equal(d.Files, []string{"out/secret"}) {
		t.Errorf("%s: %s %q", d.Type, d.Message, d.Files)
	}
}

// A failure names a gate's log where people find it, and none where there is none.
func TestLogOfGate(t *testing.T) {
	for _, c := range []struct{ dir, log, want string }{
		{".autobuild", "logs/test.log", ".autobuild/logs/test.log"}, {"", "logs/test.log", "logs/test.log"}, {".autobuild", "", ""}, {"", "", ""},
	} {
		tr := &try{Runner: &Runner{LogDir: c.dir}}
		if got := tr.gateRun(state.Gate{Log: c.log}).Log; got != c.want {
			t.Errorf("log %q in %q is %q, want %q", c.log, c.dir, got, c.want)
		}
	}
}
