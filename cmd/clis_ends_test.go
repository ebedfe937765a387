package cmd

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCLIEnds runs real agents into ends that they word each in their own way, or hide: filters of
// the provider, the same call without end, and errors that the protocol does not report.
func TestCLIEnds(t *testing.T) {
	bin := agentsBin(t)
	for scenario, clis := range map[string]map[string]string{
		"ends/filtered": {
			"claude": "refusal", "codex": "refusal", "opencode": "refusal", "pi": "refusal", "kimi": "refusal",
		},
		"ends/filtered-mute": {"gemini": "refusal", "copilot": "refusal"},
		"ends/circles": {
			"claude": "agent_loop", "codex": "agent_loop", "copilot": "agent_loop", "pi": "agent_loop", "gemini": "agent_loop",
			"qwen": "agent_loop", "copilot-acp": "agent_loop",
		},
		"success":    {"kimi": "complete"},
		"billing":    {"kimi": "agent_unusable"},
		"login":      {"kimi": "agent_unusable"},
		"context":    {"kimi": "context_overflow"},
		"overloaded": {"kimi": "transport_error"},
	} {
		for cli, want := range clis {
			t.Run(cli+"/"+filepath.Base(scenario), func(t *testing.T) {
				t.Parallel()
				if _, err := os.Stat(filepath.Join(bin, program(cli))); err != nil {
					t.Skipf("%s is not installed: %v", cli, err)
				}
				if got := runCLI(t, bin, concluded{cli: cli, scenario: scenario, end: want}); got.end != want {
					t.Errorf("%s, not %s", got, want)
				}
			})
		}
	}
}
