package cmd

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/session/call"
)

// Slips that a first call makes are met with what was meant, in words of the value and not of the
// program.
func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plan.md"), []byte("## Phase 1: One\n\n- [ ] do it\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"plan.md --resum":             "autobuild: unknown flag: --resum; did you mean --resume?",
		"plan.md --allow-unv":         "autobuild: unknown flag: --allow-unv; did you mean --allow-unverified?",
		"plan.md --isolaton=none":     "autobuild: unknown flag: --isolaton; did you mean --isolation?",
		"plan.md --zzzzzzzz":          "autobuild: unknown flag: --zzzzzzzz; see autobuild --help",
		"knowledge add --triger=abcd": "autobuild: unknown flag: --triger; did you mean --trigger?",
		"plan.md --jobs=x":            `autobuild: --jobs must be a whole number, not "x"; see autobuild --help`,
		"plan.md --max-cost=3x":       `autobuild: --max-cost must be a number, not "3x"; see autobuild --help`,
		"run plan.md --timeout=5":     `autobuild: --timeout must be a duration such as 90s or 10m, not "5"; see autobuild run --help`,
		"plan.md --commit=yes":        `autobuild: --commit must be auto, single or message-only, not "yes"; see autobuild --help`,
		"plan.md --progress lvie":     `autobuild: --progress must be auto, live, plain or json, not "lvie"; did you mean --progress=live?`,
		"plan.md --commit=mess":       `autobuild: --commit must be auto, single or message-only, not "mess"; did you mean --commit=message-only?`,
		"plna.md":                     "autobuild: there is no plan at plna.md; did you mean plan.md?",
		"other.md":                    "autobuild: there is no plan at other.md; name a markdown file, or write a first one with: autobuild init",
		"status plan.md":              `autobuild: autobuild status takes no argument such as "plan.md"; it needs no plan: autobuild status`,
		"doctor now":                  `autobuild: autobuild doctor takes no argument such as "now"; see autobuild doctor --help`,
		"init --for cluade":           `autobuild: --for: there is no command for "cluade"; did you mean "claude"?`,
		"init --for zzz":              `autobuild: --for: there is no command for "zzz"; known: amp, claude, codex, copilot, cursor, gemini, kimi, opencode, pi, qwen`,
		"explain E-CICLE":             `autobuild: there is no finding E-CICLE; did you mean "E-CYCLE"?`,
	} {
		var out, errs bytes.Buffer
		a := newApp(&call.Call{Stdout: &out, Stderr: &errs, Environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, Dir: dir})
		if code := a.run(strings.Fields(line)); code != call.ExitUsage {
			t.Errorf("%s: exit code %d, want %d", line, code, call.ExitUsage)
		}
		if got := strings.TrimSpace(errs.String()); got != want {
			t.Errorf("%s\n got: %s\nwant: %s", line, got, want)
		}
	}
}

// Files that output is sent to are known as such, also by a run that will leave its caller.
func TestOutputs(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "run.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // nothing is written
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close() //nolint:errcheck // only its kind is asked for
	for _, c := range []struct {
		stdout, stderr io.Writer
		want           int
	}{
		{file, file, 2}, {file, null, 1}, {call.NoTerminal{Writer: null}, call.NoTerminal{Writer: file}, 1}, {&bytes.Buffer{}, null, 0},
	} {
		if got := newApp(&call.Call{Stdout: c.stdout, Stderr: c.stderr}).Outputs(); len(got) != c.want {
			t.Errorf("%T, %T: %d files, want %d", c.stdout, c.stderr, len(got), c.want)
		}
	}
}

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// The exit code too reports an answer that could not be written, since the caller may read nothing
// else.
func TestAnswerCut(t *testing.T) {
	signal := filepath.Join(t.TempDir(), "failure.json")
	if err := os.WriteFile(signal, []byte(`{"tool": "go test", "exit_code": 1, "output": "FAIL"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"version", "version --json", "graph ../testdata/demo/plan.md", "classify " + signal} {
		var errs bytes.Buffer
		a := newApp(&call.Call{Stdout: full{}, Stderr: &errs, Dir: "."})
		if code := a.run(strings.Fields(line)); code != call.ExitEnv {
			t.Errorf("%s: exit code %d, want %d", line, code, call.ExitEnv)
		}
		want := "autobuild: the answer is not whole: no space left on device; make room or send it elsewhere, then ask again\n"
		if got := errs.String(); got != want {
			t.Errorf("%s\n got: %s\nwant: %s", line, got, want)
		}
	}
	if err := newApp(&call.Call{Stdout: full{}}).copyFile(signal); err == nil || !strings.HasPrefix(err.Error(), "the answer is not whole: no space left") {
		t.Errorf("a log: %v", err)
	}
}
