package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCommandGivesThePromptAndHearsTheEnd(t *testing.T) {
	s := newStage(t, "mine", "FAKE_STDOUT=working\nthe last word\n", "FAKE_STDERR=a warning\n", "AUTOBUILD_NONCE=n", "GIT_CEILING_DIRECTORIES=/up", "KEY=old")
	s.job.Prompt = strings.Repeat("a long prompt ", 30_000)
	out := s.do(Command(s.run, "mine", []string{"mine", "--headless"}, CommandOptions{Env: map[string]string{"KEY": "new"}, Model: "--model"}))
	if out.Final != "working\nthe last word\n" || !out.Claims || out.ExitCode != 0 || out.Err != "" {
		t.Errorf("outcome %+v", out)
	}
	saw := s.given()
	if saw.Prompt != s.job.Prompt {
		t.Errorf("the prompt arrived as %d bytes, not %d", len(saw.Prompt), len(s.job.Prompt))
	}
	if !slices.Equal(saw.Argv, []string{"mine", "--headless"}) {
		t.Errorf("argv %q", saw.Argv)
	}
	if want, _ := filepath.EvalSymlinks(s.job.Dir); saw.Dir != want {
		t.Errorf("it worked in %s, not %s", saw.Dir, want)
	}
	for name, want := range map[string]string{"AUTOBUILD_NONCE": "n", "GIT_CEILING_DIRECTORIES": "/up", "KEY": "new"} {
		if got, _ := lookup(saw.Env, name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	if log := s.logged(); !strings.Contains(log, "the last word") || !strings.Contains(log, "a warning") {
		t.Errorf("the log lacks something: %s", log)
	}
}

func TestCommandIsToldOfTheModel(t *testing.T) {
	s := newStage(t, "mine")
	s.job.Model = "large"
	s.do(Command(s.run, "mine", []string{"mine"}, CommandOptions{Model: "-m"}))
	if got := s.given().Argv; !slices.Equal(got, []string{"mine", "-m", "large"}) {
		t.Errorf("argv %q", got)
	}
}

func TestExitCodeAsClaim(t *testing.T) {
	s := newStage(t, "mine", "FAKE_CODE=7")
	out := s.do(Command(s.run, "mine", []string{"mine"}, CommandOptions{Result: "exit"}))
	if out.Claims || out.ExitCode != 7 {
		t.Errorf("outcome %+v", out)
	}
}

// A program that cannot start on this machine cannot for any phase: no further attempt is spent on
// it.
func TestCommandForAnotherMachine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what a program file is, its name says there")
	}
	s := newStage(t, "mine")
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(path, []byte("\x7fELF\x02\x01\x01 for something else"), 0o755); err != nil {
		t.Fatal(err)
	}
	out := s.do(Command(s.run, "mine", []string{path}, CommandOptions{}))
	if out.Kind != Unusable || !strings.Contains(out.Err, "not made for") {
		t.Errorf("outcome %+v", out)
	}
}

func TestCommandThatIsNotThere(t *testing.T) {
	s := newStage(t, "mine")
	out := s.do(Command(s.run, "mine", []string{"no-such-agent"}, CommandOptions{}))
	if !strings.Contains(out.Err, "no-such-agent") || out.ExitCode != -1 {
		t.Errorf("outcome %+v", out)
	}
}

func TestDeadlineIsNoError(t *testing.T) {
	out := patiently(func(long time.Duration) (Outcome, bool) {
		s := newStage(t, "mine", "FAKE_STDOUT=half way\n")
		s.job.Env = with(s.job.Env, map[string]string{"FAKE_AGENT": "hang"})
		s.job.Timeout = long
		out := s.do(Command(s.run, "mine", []string{"mine"}, CommandOptions{}))
		return out, out.Final != ""
	})
	if !out.TimedOut || out.Idle || out.Final != "half way\n" {
		t.Errorf("outcome %+v", out)
	}
}

func TestInterruptionIsAnError(t *testing.T) {
	s := newStage(t, "mine", "FAKE_STDOUT=ready\n")
	s.job.Env = with(s.job.Env, map[string]string{"FAKE_AGENT": "hang"})
	why := errors.New("ctrl-c")
	ctx, cancel := context.WithCancelCause(t.Context())
	s.job.Activity = func(string, time.Duration) { cancel(why) }
	_, err := Command(s.run, "mine", []string{"mine"}, CommandOptions{}).Run(ctx, s.job)
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}

func TestEndingKeepsTheEnd(t *testing.T) {
	e := ending{limit: 10}
	for i := range 1000 {
		e.write([]byte{byte('a' + i%26), '\n'})
		if len(e.buf) > 2*e.limit {
			t.Fatalf("%d bytes are held", len(e.buf))
		}
	}
	if got := e.String(); got != "i\nj\nk\nl\n" {
		t.Errorf("kept %q", got)
	}
	e.reset()
	e.write([]byte("0123456789abcdef\nz"))
	if got := e.String(); got != "z" {
		t.Errorf("kept %q: a line without its beginning is not kept", got)
	}
}
