package attempt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autobuild/failure"
	"autobuild/orchestrator/attempt/result"
	"autobuild/plan"
	"autobuild/state"
)

var failing = state.Gate{
	Status: state.GateFailed, Exit: 1, Failed: 1, Tail: "--- FAIL: TestUsers",
	Tests: []failure.Test{{Name: "TestUsers", File: "users_test.go", Line: 3}},
}

// The story of an attempt that goes well: everything happens, in order, and is recorded and told.
func TestComplete(t *testing.T) {
	b := newBench(t)
	b.says(`"status": "complete", "tasks": {"total": 2, "completed": 2}, "commit_message": "feat(api): users"`)
	b.agent.out.CostUSD, b.agent.out.InputTokens, b.agent.out.OutputTokens = 0.25, 1000, 50
	b.agent.out.Session, b.agent.out.Model = "s1", "large"
	b.agent.does = func(_ context.Context, job Job) { job.Activity("reading main.go", 0) }
	got := b.lands(state.Verified)

	if want := []string{"open 2a", "scratch removed", "changes 2a", "land 2a", "done 2a"}; !slices.Equal(b.space.did, want) {
		t.Errorf("what happened: %q, want %q", b.space.did, want)
	}
	var told []string
	for _, e := range b.events {
		told = append(told, strings.TrimSpace(string(e.Type)+" "+e.Text))
	}
	want := []string{"phase.activity reading main.go", "agent.finished claims complete", "gate.started", "gate.finished"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got.Usage != (state.Usage{CostUSD: 0.25, InputTokens: 1000, OutputTokens: 50}) || got.Session != "s1" || got.Model != "large" {
		t.Errorf("usage %+v, session %q, model %q", got.Usage, got.Session, got.Model)
	}
	if got.N != 1 || got.Key != "key" || got.Agent != "fake" || got.Log != "logs/phase-2a.1.log" || got.Branch != "autobuild/r1/2a" || got.Base != "base" {
		t.Errorf("record %+v", got)
	}
	if b.space.landing.Message != "feat(api): users" || got.Commit.Message != "feat(api): users" || b.space.landing.Key != "key" {
		t.Errorf("landed as %+v", b.space.landing)
	}
	if len(got.Warnings) > 0 {
		t.Errorf("warnings %q", got.Warnings)
	}
}

func TestJob(t *testing.T) {
	b := newBench(t)
	b.runner.Timeout, b.runner.Idle, b.runner.Model = time.Hour, time.Minute, "small"
	b.runner.Env = []string{"PATH=/bin", "HOME=/root", "CLAUDECODE=1", "GIT_DIR=/elsewhere", "AUTOBUILD_NONCE=outer", "AUTOBUILD_RUN_ID=outer"}
	b.task.Phase.Script = []plan.Block{{Text: "echo one"}, {Text: "echo two"}}
	b.lands(state.Verified)
	job := b.agent.job
	if job.Dir != b.dir || job.Timeout != time.Hour || job.Idle != time.Minute || job.Model != "small" || job.Log == nil {
		t.Errorf("job %+v", job)
	}
	if !slices.Equal(job.Script, []string{"echo one", "echo two"}) || !strings.Contains(job.Prompt, nonce) {
		t.Errorf("script %q, prompt %q", job.Script, job.Prompt)
	}
	want := []string{
		"AUTOBUILD_ATTEMPT=1", "AUTOBUILD_NONCE=" + nonce, "AUTOBUILD_PHASE_ID=2a", "AUTOBUILD_PHASE_LABEL=2A",
		"AUTOBUILD_RESULT_FILE=" + filepath.Join(job.Scratch, "result.json"), "AUTOBUILD_RUN_ID=r1", "HOME=/root", "PATH=/bin",
	}
	if diff := cmp.Diff(want, job.Env); diff != "" {
		t.Errorf("environment of the agent: markers of an outer session must go (-want +got):\n%s", diff)
	}
	if strings.HasPrefix(job.Scratch, b.dir) {
		t.Errorf("the result file is in the worktree: %s", job.Scratch)
	}
}

// The result may be written into a file instead. What stands there must hold as much as what is
// printed.
func TestResultFile(t *testing.T) {
	complete := object(`"status": "complete", "tasks": {"total": 2, "completed": 2}`)
	failed := resultOf(`"status": "failed", "tasks": {"total": 2, "completed": 1}, "error": "printed"`)
	for name, c := range map[string]struct {
		file    string
		printed string
		passes  bool
		says    string
	}{
		"alone":                 {file: complete, printed: "done", passes: true},
		"fenced":                {file: fenced(complete), printed: "done", passes: true},
		"the message as well":   {file: complete, printed: fenced(complete), passes: true},
		"another than printed":  {file: complete, printed: failed, says: "the result file says complete, the final message says failed"},
		"modest beside a boast": {file: object(`"status": "failed"`), printed: fenced(complete), says: "the result file says failed, the final message says complete"},
		"garbage, and none":     {file: "garbage", printed: "done", says: "in the result file: the result block is not valid JSON"},
		"garbage, and a block":  {file: "garbage", printed: failed, says: "printed"},
		"another attempt's":     {file: strings.Replace(complete, nonce, "x", 1), printed: "done", says: "nonce"},
		"empty, and none":       {file: "", printed: "done", says: "in the final message"},
		"empty, and a block":    {file: "", printed: failed, says: "printed"},
		"huge, and a block":     {file: complete + strings.Repeat(" ", result.MaxBytes), printed: failed, says: "printed"},
		"huge, and none":        {file: complete + strings.Repeat(" ", result.MaxBytes), printed: "done", says: "in the final message"},
		"duplicate keys inside": {file: object(`"status": "failed", "Status": "complete"`), printed: "done", says: "in the result file"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.agent.out.Final = c.printed
			b.agent.does = func(_ context.Context, job Job) {
				path, _ := b.agent.env("AUTOBUILD_RESULT_FILE")
				write(t, path, c.file)
			}
			if c.passes {
				b.lands(state.Verified)
				return
			}
			if _, d := b.fails(); !strings.Contains(d.Message, c.says) {
				t.Errorf("%s: %s; want %q", d.Type, d.Message, c.says)
			}
		})
	}
}

// What is no plain file is not read: a link could lead anywhere.
func TestResultFileIsPlain(t *testing.T) {
	for name, put := range map[string]func(path, elsewhere string) error{
		"link":      func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"directory": func(path, _ string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.agent.out.Final = "done"
			elsewhere := filepath.Join(t.TempDir(), "result.json")
			write(t, elsewhere, object(`"status": "complete", "tasks": {"total": 2, "completed": 2}`))
			b.agent.does = func(_ context.Context, job Job) {
				if err := put(filepath.Join(job.Scratch, "result.json"), elsewhere); err != nil {
					t.Error(err)
				}
			}
			if _, d := b.fails(); d.Type != failure.ParseError {
				t.Errorf("%s: %s", d.Type, d.Message)
			}
		})
	}
}

func TestWaitedOut(t *testing.T) {
	reset := time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		out   Outcome
		kind  failure.Type
		until time.Time
	}{
		"says when it ends":      {Outcome{Kind: "usage_limit", Until: reset}, failure.UsageLimit, reset},
		"does not say":           {Outcome{Kind: "usage_limit"}, failure.UsageLimit, time.Time{}},
		"overloaded for a while": {Outcome{Kind: "transient", Wait: 30 * time.Second}, failure.TransportError, time.Date(2026, 11, 21, 12, 0, 30, 0, time.UTC)},
		"overloaded":             {Outcome{Kind: "transient"}, failure.TransportError, time.Time{}},
		"overloaded until":       {Outcome{Kind: "transient", Until: reset, Wait: time.Second}, failure.TransportError, reset},
		"after a result":         {Outcome{Kind: "usage_limit", Until: reset, Claims: true, Final: resultOf(`"status": "complete"`)}, failure.UsageLimit, reset},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.agent.out = c.out
			got, d := b.fails()
			if d.Type != c.kind || !d.Until.Equal(c.until) {
				t.Errorf("%s until %s, want %s until %s", d.Type, d.Until, c.kind, c.until)
			}
			if len(got.Gates) > 0 {
				t.Error("gates ran although the agent did not get to work")
			}
			if slices.Contains(b.space.did, "changes 2a") {
				t.Error("the work of an agent that did not get to work was looked at")
			}
		})
	}
}

func TestSetup(t *testing.T) {
	b := newBench(t)
	b.runner.Setup, b.task.Phase.Setup = []string{"npm ci"}, []string{"make db"}
	b.lands(state.Verified)
	if want := []string{"npm ci", "make db"}; !slices.Equal(b.checks.commands, want) {
		t.Errorf("setup ran %q, want %q", b.checks.commands, want)
	}
	if want := []string{"phase-2a.1.setup", "phase-2a.1"}; !slices.Equal(b.checks.prefixes, want) {
		t.Errorf("logs %q, want %q", b.checks.prefixes, want)
	}
	if !slices.Equal(b.runner.Setup, []string{"npm ci"}) {
		t.Errorf("the runner's own setup became %q", b.runner.Setup)
	}
}

func TestSetupFails(t *testing.T) {
	b := newBench(t)
	b.runner.Setup = []string{"npm ci"}
	b.checks.setup = &state.Gate{Name: "setup", Command: "npm ci", Status: state.GateFailed, Exit: 1, Tail: "npm ERR! network"}
	_, d := b.fails()
	if d.Type != failure.SetupFailure || d.Command != "npm ci" {
		t.Errorf("%s: %s", d.Type, d.Message)
	}
	if b.agent.job.Prompt != "" {
		t.Error("the agent was started in a workspace that is not ready")
	}
}

func TestConflict(t *testing.T) {
	b := newBench(t)
	b.space.landErr = &ConflictError{Files: []failure.Conflict{{File: "api.go", Lines: "10-25", Other: "1", OtherLines: "12"}}}
	_, d := b.fails()
	if d.Type != failure.FileConflict || d.Retryable || !strings.Contains(d.Message, "phase 2A (lines 10-25) and phase 1 (line 12)") {
		t.Errorf("%s, retryable %t: %s", d.Type, d.Retryable, d.Message)
	}
	if !slices.Equal(d.Files, []string{"api.go"}) {
		t.Errorf("files %q", d.Files)
	}
}

// What an earlier attempt left may be beyond opening: that is the phase's failure, not the run's
// end.
func TestWorkBeyondOpening(t *testing.T) {
	b := newBench(t)
	b.space.openErr = &WorkError{Reason: "it holds a repository of its own: sub"}
	if _, d := b.fails(); d.Type != failure.AgentError || !strings.Contains(d.Message, "sub") {
		t.Errorf("%s: %s", d.Type, d.Message)
	}
}

// Gates pass again where the work has been merged with that of others, or it does not land.
func TestLandingVerifies(t *testing.T) {
	b := newBench(t)
	b.space.again = true
	got := b.lands(state.Verified)
	if len(got.Gates) != 2 || got.Gates[0].Landing || !got.Gates[1].Landing {
		t.Errorf("gates %+v", got.Gates)
	}
	if want := []string{"phase-2a.1", "phase-2a.1.landing"}; !slices.Equal(b.checks.prefixes, want) {
		t.Errorf("logs %q, want %q", b.checks.prefixes, want)
	}
	told := 0
	for _, e := range b.events {
		if e.Gate != nil && e.Gate.Landing {
			told++
		}
	}
	if told != 2 {
		t.Errorf("%d events tell of gates on merged content, want 2", told)
	}
}

func TestLandingVerifyFails(t *testing.T) {
	b := newBench(t)
	b.space.again = true
	b.checks.landing = map[string]state.Gate{"test": failing}
	got, d := b.fails()
	if d.Type != failure.VerificationMismatch || d.Cause != failure.TestFailure {
		t.Errorf("%s (%s): %s", d.Type, d.Cause, d.Message)
	}
	if len(got.Gates) != 2 || got.Gates[1].Status != state.GateFailed {
		t.Errorf("gates %+v", got.Gates)
	}
}

// Stopped from outside, an attempt is no failure: it ends with the cause, wherever it was.
func TestCancelled(t *testing.T) {
	stopped := errors.New("stopped by hand")
	for name, when := range map[string]func(b *bench, stop func()){
		"while the agent works": func(b *bench, stop func()) { b.agent.does = func(context.Context, Job) { stop() } },
		"… and says that it is killed": func(b *bench, stop func()) {
			b.agent.out = Outcome{Claims: true, Signal: "SIGTERM", ExitCode: -1}
			b.agent.does = func(context.Context, Job) { stop() }
		},
		"while gates run": func(b *bench, stop func()) {
			b.checks.gates = map[string]state.Gate{"test": failing}
			b.checks.during = stop
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			when(b, func() { cancel(stopped) })
			got, err := asError(b.runner.Attempt(ctx, b.task, func(state.Event) {}))
			if !errors.Is(err, stopped) {
				t.Errorf("Attempt = %v, want the cause", err)
			}
			if _, ok := errors.AsType[*failure.Failure](err); ok || got.Commit != nil {
				t.Errorf("failure or commit %+v in %v", got.Commit, err)
			}
			if slices.Contains(b.space.did, "land 2a") {
				t.Error("it landed nevertheless")
			}
		})
	}
}

// Broken machinery is no failure of the phase: the error says what broke, and where.
func TestMachinery(t *testing.T) {
	broken := errors.New("disk full")
	for name, c := range map[string]struct {
		given func(b *bench)
		where string
	}{
		"open":    {func(b *bench) { b.space.openErr = broken }, "opening the workspace"},
		"setup":   {func(b *bench) { b.runner.Setup = []string{"x"}; b.checks.err = broken }, "setting up"},
		"log":     {func(b *bench) { b.runner.Log = func(string) (*os.File, string, error) { return nil, "", broken } }, "log"},
		"scratch": {func(b *bench) { b.runner.Scratch = func() (string, func(), error) { return "", nil, broken } }, "private directory"},
		"agent":   {func(b *bench) { b.agent.err = broken }, "running agent fake"},
		"changes": {func(b *bench) { b.space.changesErr = broken }, "what changed"},
		"gates":   {func(b *bench) { b.checks.err = broken }, "gates"},
		"land":    {func(b *bench) { b.space.landErr = broken }, "landing"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			c.given(b)
			_, err := b.attempt()
			if _, ok := asFailure(err); ok || !errors.Is(err, broken) || !strings.Contains(err.Error(), c.where) {
				t.Errorf("Attempt = %v, want %q and the cause", err, c.where)
			}
		})
	}
}

func TestCommitMessage(t *testing.T) {
	for name, c := range map[string]struct{ agent, plan, phase, want string }{
		"of the agent": {"fix: it\n\nbecause", "feat: planned", "Backend", "fix: it\n\nbecause"},
		"of the plan":  {" \n", "feat: planned", "Backend", "feat: planned"},
		"of the phase": {"", "", "Backend\nAPI", "feat(phase-2a): Backend API"},
		"of the label": {"", "", "", "feat(phase-2a): phase 2A"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.says(`"status": "complete", "tasks": {"total": 2, "completed": 2}, "commit_message": "` + strings.ReplaceAll(c.agent, "\n", `\n`) + `"`)
			b.task.Phase.Commit, b.task.Phase.Name = c.plan, c.phase
			if b.lands(state.Verified); b.space.landing.Message != c.want {
				t.Errorf("message %q, want %q", b.space.landing.Message, c.want)
			}
		})
	}
}

// A script wants an untouched workspace, but not where a person may have mended what a failed
// attempt left.
func TestCleanWorkspace(t *testing.T) {
	for _, c := range []struct {
		clean   bool
		attempt int
		was     state.Status
		want    bool
	}{
		{clean: true, attempt: 1, want: true},
		{clean: true, attempt: 1, was: state.Running, want: true},
		{clean: true, attempt: 1, was: state.Failed},
		{clean: true, attempt: 2},
		{attempt: 1},
	} {
		b := newBench(t)
		b.runner.Clean, b.task.Attempt, b.task.Was = c.clean, c.attempt, c.was
		if b.lands(state.Verified); b.space.clean != c.want {
			t.Errorf("%+v: opened clean: %t", c, b.space.clean)
		}
	}
}

// What a person should know of the workspace is told before anything else, and a directory as
// people name it.
func TestPlace(t *testing.T) {
	b := newBench(t)
	b.space.tree.Notes = []string{"earlier work is kept on branch x"}
	b.runner.Place = func(string) string { return ".autobuild/worktrees/2a" }
	got := b.lands(state.Verified)
	if got.Dir != ".autobuild/worktrees/2a" || b.events[0].Type != state.Notice || b.events[0].Text != "earlier work is kept on branch x" {
		t.Errorf("dir %q, first event %+v", got.Dir, b.events[0])
	}
	if !slices.Contains(got.Warnings, "earlier work is kept on branch x") {
		t.Errorf("the record does not name the branch: %q", got.Warnings)
	}
}

// Gates are looked for again after the agent: it may have made the very stack that has them.
func TestGatesAreLookedForAgain(t *testing.T) {
	b := newBench(t)
	made := false
	b.agent.does = func(context.Context, Job) { made = true }
	b.runner.Gates = func(dir string, p plan.Phase) []state.GateSpec {
		if dir != b.dir || p.ID != "2a" {
			t.Errorf("asked for the gates of %s in %s", p.ID, dir)
		}
		if !made {
			return nil
		}
		return gateOf("go.mod")(dir, p)
	}
	b.lands(state.Verified)
}
