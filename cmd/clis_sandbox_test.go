package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"autobuild/internal/fakemodel"
	"autobuild/internal/sandbox"
)

// strays is a model that does the work, and runs a script of its own that writes where it should
// not: no agent sees that in the command.
const strays = `{"what": "It strays.", "attempts": [[
	{"calls": [{"tool": "write", "path": "note-1.txt", "content": "a note of phase 1\n"}]},
	{"calls": [{"tool": "write", "path": "stray.sh", "content": "if touch $HOME/stray; then echo done; else echo refused; fi > stray.txt"}]},
	{"calls": [{"tool": "shell", "command": "sh stray.sh"}]},
	{"text": "The note is written.\n\n${RESULT}"}
]]}`

// TestCLISandbox lets real agents work within the sandbox: they start, use their tools and say
// their result at the first attempt, and what a command of theirs writes elsewhere is refused.
func TestCLISandbox(t *testing.T) {
	bin := agentsBin(t)
	if err := sandbox.Possible(nil)[0].Err; err != nil {
		t.Skipf("this kernel confines nobody, so there is no sandbox to work in: %v", err)
	}
	var ran atomic.Int32
	t.Run("run", func(t *testing.T) {
		for _, cli := range []string{"claude", "codex", "gemini", "opencode", "qwen", "copilot", "pi", "kimi"} {
			t.Run(cli, func(t *testing.T) {
				t.Parallel()
				if _, err := os.Stat(filepath.Join(bin, cli)); err != nil {
					t.Skipf("%s is not installed: %v", cli, err)
				}
				ran.Add(1)
				workConfined(t, bin, cli)
			})
		}
	})
	if ran.Load() == 0 {
		t.Errorf("no agent is installed in %s", bin)
	}
}

func workConfined(t *testing.T, bin, cli string) {
	t.Helper()
	scenario, err := fakemodel.Parse([]byte(strays))
	if err != nil {
		t.Fatal(err)
	}
	server := startModel(t, scenario)
	c := newClient(t, concluded{cli: cli, scenario: "strays"}, bin, server.URL)
	run := exec.CommandContext(t.Context(), "autobuild", "plan.md", "--agent", cli, "--model", c.model, "--commit", "auto", "--progress", "plain",
		"--only", "1", "--sandbox", string(sandbox.Landlock), "--timeout", c.timeout().String(), "--max-wall", clisLongest.String())
	run.Dir, run.Env = c.repo, c.env
	raw, err := run.CombinedOutput()
	output := string(raw) + "\nasked for:\n" + asked(server.Requests())
	if err != nil || strings.Contains(output, "attempt 2") {
		t.Fatalf("%v\n%s", err, output)
	}
	for name, want := range map[string]string{"note-1.txt": "a note of phase 1", "stray.txt": "refused"} {
		got, unread := os.ReadFile(filepath.Join(c.repo, name))
		if unread != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%s: %q %v\n%s", name, got, unread, output)
		}
	}
	if _, err = os.Lstat(filepath.Join(c.home, "stray")); err == nil {
		t.Error("it wrote outside of its worktree")
	}
	checkRequests(t, server.Requests())
	c.checkLeftovers(t)
}
