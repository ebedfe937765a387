package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/internal/fakemodel"
)

// TestCLISessions lets each real agent resume a session that can: the second attempt has the first
// one's conversation before it, gets only the reasons for the failure, and its usage is not counted
// twice.
func TestCLISessions(t *testing.T) {
	bin := agentsBin(t)
	ran := 0
	for _, cli := range []string{"claude", "codex", "gemini", "opencode", "qwen", "copilot"} {
		t.Run(cli, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(bin, program(cli))); err != nil {
				t.Skipf("%s is not installed: %v", cli, err)
			}
			ran++
			continueSession(t, bin, cli)
		})
	}
	if ran == 0 {
		t.Errorf("no agent is installed in %s", bin)
	}
}

func continueSession(t *testing.T, bin, cli string) {
	t.Helper()
	scenario, err := fakemodel.Load(filepath.Join(clisDir, "scenarios", "mends.json"))
	if err != nil {
		t.Fatal(err)
	}
	server := startModel(t, scenario)
	want := concluded{cli: cli, scenario: "mends"}
	c := newClient(t, want, bin, server.URL)
	run := exec.CommandContext(t.Context(), "autobuild", "plan.md", "--agent", cli, "--model", c.model, "--commit", "auto", "--progress", "plain",
		"--only", "1", "--retry-session", "continue", "--timeout", c.timeout().String(), "--max-wall", clisLongest.String())
	run.Dir, run.Env = c.repo, c.env
	raw, err := run.CombinedOutput()
	output := string(raw)
	if err != nil || strings.Contains(output, "a new one begins") {
		t.Fatalf("%v\n%s\nasked for:\n%s", err, output, asked(server.Requests()))
	}
	var phase struct {
		Spent     tokens `json:"spent"`
		Attempt   int    `json:"attempt"`
		Execution struct {
			Session string `json:"session"`
		} `json:"execution"`
	}
	c.left(t, "phases/phase-1.json", &phase, output)
	if phase.Attempt != 2 || phase.Execution.Session == "" {
		t.Errorf("%+v\n%s", phase, output)
	}
	answers := 0 // of the model; an agent may ask it for a title besides
	for _, r := range server.Requests() {
		if r.Phase != "" {
			answers++
		}
	}
	one := tokens{1200 * int64(answers), 80 * int64(answers)}
	if phase.Spent != one {
		t.Errorf("%+v for %d answers; asked for:\n%s", phase.Spent, answers, asked(server.Requests()))
	}
}
