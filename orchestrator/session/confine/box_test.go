package confine

import (
	"path/filepath"
	"slices"
	"testing"

	"autobuild/orchestrator/agent"
)

// nested replaces only the default sandbox option of an agent with a sandbox of its own; other
// command lines stay unchanged.
func TestNested(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program    string
		argv, want []string
	}{
		{"/bin/codex", agent.CommandLine("codex", nil), agent.CommandLine("codex", []string{"-s", "danger-full-access"})},
		{"/bin/codex", []string{"codex", "exec", "--sandbox", "read-only"}, []string{"codex", "exec", "--sandbox", "read-only"}},
		{"/bin/other", []string{"codex", "-s", "workspace-write"}, []string{"codex", "-s", "workspace-write"}},
	} {
		before, got := slices.Clone(c.argv), nested(c.program, c.argv)
		slices.Sort(got) // where a flag stands does not matter
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || !slices.Equal(c.argv, before) {
			t.Errorf("%s: %q became %q, want %q", c.program, c.argv, got, c.want)
		}
	}
}

// A variable may move a path below the home directory; where its value is unusable the path stays.
func TestAgentPlacesAreMoved(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var homes []agent.Home
	for _, name := range agent.Names() {
		about, _ := agent.AboutOf(name)
		homes = append(homes, about.Homes...)
	}
	homes = append(homes, baseHomes...)
	for _, c := range []struct{ below, variable, value, want string }{
		{".claude", "CLAUDE_CONFIG_DIR", root + "/c", "/c"},
		{".codex", "CODEX_HOME", root + "/c", "/c"},
		{".gemini", "GEMINI_CLI_HOME", root + "/c", "/c/.gemini"},
		{".copilot", "COPILOT_HOME", root + "/c", "/c"},
		{".cache/copilot", "COPILOT_CACHE_HOME", root + "/c", "/c"},
		{".cache/copilot", "XDG_CACHE_HOME", root + "/c", "/c/copilot"},
		{".pi/agent", "PI_CODING_AGENT_DIR", root + "/c", "/c"},
		{".config/opencode", "XDG_CONFIG_HOME", root + "/c", "/c/opencode"},
		{".config/opencode", "XDG_CONFIG_HOME", "relative", "/home/.config/opencode"},
		{".configured", "XDG_CONFIG_HOME", root + "/c", "/home/.configured"},
	} {
		env := map[string]string{"HOME": root + "/home", c.variable: c.value}
		if got := movedHome(c.below, homes, func(name string) string { return env[name] }); got != filepath.FromSlash(root+c.want) {
			t.Errorf("%s, %s=%s: %s, want %s", c.below, c.variable, c.value, got, root+c.want)
		}
	}
}
