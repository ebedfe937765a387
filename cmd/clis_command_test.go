package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// TestCLICommands calls /autobuild inside real agents, with the command that init writes: the
// demo's plan is run, and its last screen is shown. Claude Code gets no permission but the one that
// the command has.
func TestCLICommands(t *testing.T) {
	bin := agentsBin(t)
	for cli, call := range map[string][]string{
		"claude":   {"-p", "/autobuild ARGS", "--model", "MODEL"},
		"codex":    {"exec", "-c", `approval_policy="never"`, "-s", "danger-full-access", "-m", "MODEL", "$autobuild ARGS"},
		"gemini":   {"--skip-trust", "--yolo", "-m", "MODEL", "-p", "/autobuild ARGS"},
		"opencode": {"run", "--model", "MODEL", "--command", "autobuild", "ARGS"},
	} {
		t.Run(cli, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(filepath.Join(bin, cli)); err != nil {
				t.Skipf("%s is not installed: %v", cli, err)
			}
			callCommand(t, bin, cli, call)
		})
	}
}

func callCommand(t *testing.T, bin, cli string, call []string) {
	t.Helper()
	plan, args, phases := "../testdata/demo/plan.md", "testdata/demo/plan.md --agent script --commit=auto", 7
	if cli != "claude" { // a smaller one does for the others
		plan, args, phases = filepath.Join(clisDir, "command.md"), "testdata/demo/plan.md --agent script --commit=auto", 2
	}
	server := startModel(t, talkOfCommand(t, args))
	c := newClient(t, concluded{cli: cli, scenario: "talk"}, bin, server.URL)
	text, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	c.write(t, filepath.Join(c.repo, "testdata/demo/plan.md"), string(text))
	c.env = append(c.env, goEnv(t)...)
	// a login shell, as codex uses, forgets it
	c.write(t, filepath.Join(c.home, ".profile"), "PATH='"+os.Getenv("PATH")+"'\n")
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
	do("autobuild", "init", "--for", cli)

	for i := range call {
		call[i] = strings.NewReplacer("ARGS", args, "MODEL", c.model).Replace(call[i])
	}
	said := do(filepath.Join(bin, cli), call...)
	for _, want := range []string{"AUTOBUILD COMPLETE", fmt.Sprintf("Result: %d phases complete", phases)} {
		if !strings.Contains(said, want) {
			t.Errorf("what %s says lacks %q:\n%s\nasked for:\n%s", cli, want, said, asked(server.Requests()))
		}
	}
	if log := do("git", "log", "--oneline"); strings.Count(log, "\n") != 2+phases {
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
