package cmd

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCLIUsage compares what autobuild says that real agents have used up with the bill of their
// provider, a part of which was read from a cache. By the protocol opencode reports the tokens of
// its last step alone, and qwen nothing of what it asks once it has answered: their own records
// have it. That of qwen counts also what it asks beside the phase, for a title.
func TestCLIUsage(t *testing.T) {
	bin := agentsBin(t)
	ran := 0
	for _, cli := range []string{
		"claude", "codex", "gemini", "opencode", "qwen", "copilot", "pi", "gemini-acp", "copilot-acp", "kimi", "opencode-acp", "qwen-acp",
	} {
		t.Run(cli, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(bin, program(cli))); err != nil {
				t.Skipf("%s is not installed: %v", cli, err)
			}
			ran++
			got, answers := runCLIBilled(t, bin, concluded{cli: cli, scenario: "ends/cached"})
			if cli == "qwen-acp" && got.in == int64(answers+1)*1200 && got.out == int64(answers+1)*80 {
				answers++
			}
			if want := int64(answers); got.end != "complete" || got.in != want*1200 || got.out != want*80 {
				t.Errorf("%s: %d and %d tokens, but %d answers of 1200 and 80 were billed", got.end, got.in, got.out, answers)
			}
		})
	}
	if ran == 0 {
		t.Errorf("no agent is installed in %s", bin)
	}
}
