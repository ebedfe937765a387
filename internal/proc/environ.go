package proc

import (
	"maps"
	"slices"
	"strings"
)

// sessionMarkers are the variables by which coding agents, and autobuild itself, mark their
// children as part of a session. Credentials, addresses and configuration of the same products
// stay.
var sessionMarkers = []string{
	"AGENT", "AI_AGENT", "AUGMENT_AGENT", "CLINE_ACTIVE", "GOOSE_TERMINAL", "PI_CODING_AGENT",
	"ROO_ACTIVE", "TRAE_AI_SHELL_ID",
	"AUTOBUILD_ATTEMPT", "AUTOBUILD_NONCE", "AUTOBUILD_PHASE_ID", "AUTOBUILD_PHASE_LABEL",
	"AUTOBUILD_RESULT_FILE", "AUTOBUILD_RUN_ID",
	"CLAUDECODE", "CLAUDE_AGENT_SDK_VERSION", "CLAUDE_CODE_ACTION", "CLAUDE_CODE_AGENT",
	"CLAUDE_CODE_CHILD_SESSION",
	"CLAUDE_CODE_CONTAINER_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_EXECPATH",
	"CLAUDE_CODE_PARENT_SESSION_ID",
	"CLAUDE_CODE_REMOTE", "CLAUDE_CODE_SSE_PORT", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR",
	"CODEX_CI", "CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "CODEX_MANAGED_BY_BUN",
	"CODEX_MANAGED_BY_NPM", "CODEX_THREAD_ID",
	"COPILOT_AGENT", "COPILOT_CLI", "COPILOT_MULTIPLEXER",
	"CURSOR_AGENT", "CURSOR_CLI", "CURSOR_INVOKED_AS", "CURSOR_TRACE_ID",
	"GEMINI_CLI", "GEMINI_CLI_NO_RELAUNCH", "GEMINI_CWD", "GEMINI_PROJECT_DIR",
	"QWEN_CODE", "QWEN_CODE_NO_RELAUNCH", "QWEN_CODE_PROJECT_DIR",
	"OPENCODE", "OPENCODE_BIN_PATH", "OPENCODE_CALLER", "OPENCODE_CLIENT", "OPENCODE_PID",
	"OPENCODE_RUN_ID",
}

// markerPrefixes are families of which every member belongs to a session, and all of git's:
// inherited from a hook they would point git at another repository.
var markerPrefixes = []string{
	"GIT_", "CLAUDE_CODE_SESSION", "CLAUDE_SESSION", "CODEX_SANDBOX", "CODEX_SESSION",
	"GEMINI_CLI_IDE_", "GEMINI_SESSION",
	"OPENCODE_SESSION", "QWEN_CODE_IDE_", "QWEN_CODE_SESSION", "QWEN_SESSION", "CURSOR_SESSION",
	"COPILOT_SESSION", "COPILOT_AGENT_SESSION",
}

// Environ makes a child's environment: base without the markers of an enclosing agent session and
// without git's variables, then set. It is sorted, each name appears once, and the last value wins.
func Environ(base []string, set map[string]string) []string {
	env := make(map[string]string, len(base)+len(set))
	for _, entry := range base {
		// Windows keeps each drive's directory in names that start with an equals sign.
		name, value, ok := strings.Cut(strings.TrimPrefix(entry, "="), "=")
		if strings.HasPrefix(entry, "=") {
			name = "=" + name
		}
		if ok && name != "" && !marker(name) {
			env[name] = value
		}
	}
	maps.Copy(env, set)
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

func marker(name string) bool {
	return slices.Contains(sessionMarkers, name) ||
		slices.ContainsFunc(markerPrefixes,
			func(p string) bool { return strings.HasPrefix(name, p) })
}
