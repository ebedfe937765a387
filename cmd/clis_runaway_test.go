package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/session/call"
)

// TestCLIRunaways: no agent uses up more than its budget and one answer, and none goes round in
// circles for long, whether its model calls a tool that does not exist or repeats itself.
func TestCLIRunaways(t *testing.T) {
	bin := agentsBin(t)
	const budget, answer = 5000, 1280 // tokens
	ran := 0
	for _, cli := range []string{"claude", "codex", "gemini", "opencode", "qwen", "copilot", "pi", "kimi"} {
		for _, scenario := range []string{"no-such-tool", "repeats"} {
			t.Run(cli+"/"+scenario, func(t *testing.T) {
				if _, err := os.Stat(filepath.Join(bin, cli)); err != nil {
					t.Skipf("%s is not installed: %v", cli, err)
				}
				ran++
				t.Parallel()
				delay := ""
				if cli == "copilot" || cli == "kimi" { // which write down what they have used up only every now and then
					delay = "500ms"
				}
				answers := func(exit int, args ...string) (int, string) {
					output, server := overspend(t, bin, concluded{cli: cli, scenario: "runaways/" + scenario}, exit, args, delay)
					n := 0
					for _, r := range server.Requests() {
						if r.Phase == "1" {
							n++
						}
					}
					return n, output
				}
				if n, output := answers(call.ExitStopped, "AUTOBUILD_MAX_TOKENS=5000"); n > budget/answer+2 ||
					!strings.Contains(output, "the token budget is spent") {
					t.Errorf("%d answers to a budget of %d tokens:\n%s", n, budget, output)
				}
				// kimi ends such a run by itself
				if n, output := answers(call.ExitHalted); n > 2*80 || cli != "kimi" && !strings.Contains(output, "loop") {
					t.Errorf("%d answers, and nothing stopped it:\n%s", n, output)
				}
			})
		}
	}
	if ran == 0 {
		t.Errorf("no agent is installed in %s", bin)
	}
}
