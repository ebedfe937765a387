package agent

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// The end of a program that prints text says what went wrong where it is an error; an account of
// work that mentions such words does not.
func TestPlainEnds(t *testing.T) {
	long := strings.Repeat("I moved the limits of requests to their own package.\n", 20)
	for name, tt := range map[string]struct {
		output  string
		code    int
		touched bool
		kind    string
		about   string
	}{
		"money":              {"Credit balance is too low\n", 0, false, Unusable, AboutAccount},
		"login":              {"Not logged in · Please run /login\n", 0, false, Unusable, AboutLogin},
		"limit":              {"You've hit your usage limit · resets 8pm\n", 0, false, UsageLimit, ""},
		"context":            {"Prompt is too long\n", 0, false, ContextOverflow, ""},
		"refusal":            {"I'm sorry, but I can't assist with that request.\n", 0, false, Refusal, ""},
		"overload":           {"The service is temporarily unavailable.\n", 0, false, Transient, ""},
		"error at the end":   {long + "Error: invalid API key\n", 0, false, Unusable, AboutLogin},
		"behaviour":          {"Token validation now rejects an expired session with 401, and the docs say so.\n", 0, false, "", ""},
		"a note":             {"Please note that the limiter waits when the usage limit is hit.\n", 0, false, "", ""},
		"a list":             {"Summary\n\n- unauthorized requests get a 401\n- context length is checked\n", 0, false, "", ""},
		"name of an error":   {"aider: litellm.APIConnectionError: Connection error.\n", 0, false, Transient, ""},
		"changed files":      {"Invalid API key\n", 0, true, "", ""},
		"account of work":    {"I added a check of the API key to the login.\n", 0, false, "", ""},
		"nothing to do":      {"The login already refuses an expired token.\n", 0, false, "", ""},
		"long":               {long + "Requests beyond the usage limit wait.\n", 0, false, "", ""},
		"earlier pauses":     {"Rate limited, retry in 5s\nError: Credit balance is too low\n", 1, false, Unusable, AboutAccount},
		"a failing test":     {"The tests fail again after 3 minutes.\n", 1, true, "", ""},
		"not there":          {"sh: 1: claude: not found\n", 127, false, Unusable, AboutStart},
		"not executable":     {"sh: 1: /opt/claude: Permission denied\n", 126, true, Unusable, AboutStart},
		"silent 127":         {"", 127, false, Unusable, AboutStart},
		"half installed":     {"ModuleNotFoundError: No module named 'aider'\n", 1, false, Unusable, AboutStart},
		"shared library":     {"error while loading shared libraries: libc.so.7\n", 1, false, Unusable, AboutStart},
		"its code's modules": {long + long + "ModuleNotFoundError: No module named 'vat'\n", 1, true, "", ""},
	} {
		out := Outcome{Claims: true, ExitCode: tt.code, Final: tt.output}
		exit := proc.Exit{Code: tt.code, Ended: proc.Exited, Tail: tt.output}
		out.Tail = tt.output
		s := &story{out: &out, exit: exit, now: func() time.Time { return noon }}
		s.plainly(exit, false, func() bool { return !tt.touched })
		if out.Kind != tt.kind || out.About != tt.about {
			t.Errorf("%s: %q about %q, want %q about %q", name, out.Kind, out.About, tt.kind, tt.about)
		}
	}
}

// A command whose exit code is its claim keeps the claim where it changed a file.
func TestExitCodeAfterWork(t *testing.T) {
	for touched, want := range map[bool]string{true: "", false: Transient} {
		out := Outcome{Final: "Error: 429 Too Many Requests\n"}
		exit := proc.Exit{Ended: proc.Exited, Tail: out.Final}
		s := &story{out: &out, exit: exit, now: func() time.Time { return noon }}
		s.plainly(exit, false, func() bool { return !touched })
		if out.Kind != want {
			t.Errorf("touched %t: %q", touched, out.Kind)
		}
	}
}

// A program that is gone, or may not be run any more, is met by every phase.
func TestProgramVanishes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no bit there that lets them be run")
	}
	for name, spoil := range map[string]func(string) error{
		"gone":           os.Remove,
		"not executable": func(path string) error { return os.Chmod(path, 0o600) },
	} {
		s := newStage(t, "claude")
		path := filepath.Join(t.TempDir(), "agent")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		out := s.do(Command(s.run, "mine", []string{path}, CommandOptions{}))
		if out.Kind != Unusable || out.About != AboutStart || out.Err == "" {
			t.Errorf("%s: %+v", name, out)
		}
		bin := t.TempDir()
		if err := os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := spoil(filepath.Join(bin, "claude")); err != nil {
			t.Fatal(err)
		}
		s.job.Env = with(s.job.Env, map[string]string{"PATH": bin})
		claude, _ := Builtin(s.run, "claude", nil, nil)
		if out = s.do(claude); out.Kind != Unusable || !strings.Contains(out.Remedy, "install") {
			t.Errorf("built in, %s: %+v", name, out)
		}
	}
	s := newStage(t, "mine")
	s.job.Dir = filepath.Join(t.TempDir(), "gone")
	if out := s.do(Command(s.run, "mine", []string{"mine"}, CommandOptions{})); out.Kind != "" || out.Err == "" {
		t.Errorf("no directory: %+v", out)
	}
}
