package cmd

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/internal/fakemodel"
)

// talkOfCommand is what a model does that follows the command's text: start, wait, show.
func talkOfCommand(t *testing.T, args string) *fakemodel.Scenario {
	t.Helper()
	raw, err := json.Marshal(object{
		"what":     "a model follows the command /autobuild",
		"attempts": [][]object{{{"text": "nobody asks for a phase"}}},
		"talk": object{"about": "autobuild wait --timeout", "turns": []object{
			{"text": "I start it.", "calls": []object{{"tool": "shell", "command": "autobuild " + args + " --detach"}}},
			{"text": "I wait.", "calls": []object{{"tool": "shell", "command": "autobuild wait --timeout 9m"}}},
			{"text": "It has ended:\n\n```\n${HEARD}\n```\n"},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := fakemodel.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCLICommand calls /autobuild inside the real Claude Code, with the command that init writes and no permission but the one that
// the command has: the demo's plan is run, and its last screen is shown.
func TestCLICommand(t *testing.T) {
	bin := agentsBin(t)
	if _, err := os.Stat(filepath.Join(bin, "claude")); err != nil {
		t.Skipf("claude is not installed: %v", err)
	}
	const args = "testdata/demo/plan.md --agent script --commit=auto"
	server, err := fakemodel.Start(talkOfCommand(t, args), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close() //nolint:errcheck // nothing depends on how it ends
	c := newClient(t, concluded{cli: "claude", scenario: "talk"}, bin, server.URL)
	plan, err := os.ReadFile("../testdata/demo/plan.md")
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, filepath.Join(c.repo, "testdata/demo/plan.md"), string(plan))
	c.env = append(c.env, goEnv(t)...)
	do := func(name string, args ...string) string {
		t.Helper()
		run := exec.CommandContext(t.Context(), name, args...)
		run.Dir, run.Env = c.repo, c.env
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s\nasked for:\n%s", name, strings.Join(args, " "), err, out, asked(server.Requests()))
		}
		return string(out)
	}
	do("git", "rm", "-q", "autobuild.yaml")
	do("git", "add", "-A")
	do("git", "commit", "-q", "-m", "the demo's plan")
	do("autobuild", "init", "--for", "claude")

	said := do(filepath.Join(bin, "claude"), "-p", "/autobuild "+args, "--model", c.model)
	for _, want := range []string{"AUTOBUILD COMPLETE", "7 phases", "complete on retry"} {
		if !strings.Contains(said, want) {
			t.Errorf("what claude says lacks %q:\n%s\nasked for:\n%s", want, said, asked(server.Requests()))
		}
	}
	if log := do("git", "log", "--oneline"); strings.Count(log, "\n") != 9 {
		t.Errorf("the branch has\n%s", log)
	}
}

// TestCLIPlugin lets the real Claude Code judge the plugin and the marketplace.
func TestCLIPlugin(t *testing.T) {
	bin := agentsBin(t)
	claude := filepath.Join(bin, "claude")
	if _, err := os.Stat(claude); err != nil {
		t.Skipf("claude is not installed: %v", err)
	}
	for _, path := range []string{"../integrations/claude-plugin", ".."} {
		run := exec.CommandContext(t.Context(), claude, "plugin", "validate", path)
		run.Env = append(os.Environ(), "HOME="+t.TempDir(), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1")
		if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "Validation passed") {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}
