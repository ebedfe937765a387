package agent

import (
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// An agent that ends before its first event has met an error of its own, unless its words or its
// exit code say what every job would meet.
func TestCrashes(t *testing.T) {
	for name, tt := range map[string]struct {
		stderr, signal string
		code           int
		kind, message  string
	}{
		"exit 1":          {"boom\n", "", 1, Failed, "boom"},
		"exit 134":        {"FATAL ERROR: JavaScript heap out of memory\nAborted\n", "", 134, Failed, "heap out of memory"},
		"exit 139":        {"Segmentation fault\n", "", 139, Failed, "Segmentation fault"},
		"nothing":         {"", "", 139, Failed, "exit code 139 before it said anything"},
		"exit 0":          {"cannot find my own settings\n", "", 0, Failed, "my own settings"},
		"exit 0, nothing": {"", "", 0, Failed, "exit code 0 before it said anything"},
		"killed":          {"Please log in.\n", "killed", -1, Failed, "killed by killed before"},
		"type error":      {"TypeError: authenticateUser is not a function\n", "", 1, Failed, "authenticateUser"},
		"its own file":    {"Error: EACCES: permission denied, open '/home/me/agent.log'\n", "", 1, Failed, "EACCES"},
		"login":           {"Please log in.\n", "", 1, Unusable, "log in"},
		"login, exit 0":   {"Not logged in\n", "", 0, Unusable, "logged in"},
		"flags":           {"error: unknown option '--foo'\n", "", 1, Unusable, "--foo"},
		"root":            {"--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons\n", "", 1, Unusable, "root/sudo"},
		"two flags":       {"Error: When using --print, --output-format=stream-json requires --verbose\n", "", 1, Unusable, "--verbose"},
		"no input":        {"Error: Input must be provided either through stdin or as an argument\n", "", 1, Unusable, "stdin"},
		"a missing file":  {"error: the profile /home/me/.mine/p.toml: no such file or directory\n", "", 1, Unusable, "p.toml"},
		"unsafe place":    {"Refusing to run in a directory that is not safe; a sandbox is required by policy\n", "", 1, Unusable, "not safe"},
		"too long":        {"error: the system prompt file exceeds the maximum length\n", "", 2, Unusable, "system prompt"},
		"its stack":       {"file:///a/cli.js:12\n  throw err;\n        ^\nError: it went wrong here\n    at main (file:///a/cli.js:12:9)\n", "", 1, Failed, "went wrong"},
		"an argument":     {"error: unexpected argument found\n", "", 2, Unusable, "unexpected argument"},
		"its help":        {"Usage: mine [options]\n\n  -x, --extra   more of it\n  -h, --help    this\n", "", 1, Unusable, "it printed its help"},
		"before its help": {"Invalid values:\n  Argument: mode, Given: \"nope\"\nUsage: mine [options]\n\n  -h, --help    this\n", "", 1, Unusable, "Invalid values: Argument: mode"},
		"not there":       {"env: node: No such file or directory\n", "", 127, Unusable, "node"},
		"network":         {"connect ECONNREFUSED 127.0.0.1:443\n", "", 1, Transient, "ECONNREFUSED"},
		"limit":           {"usage limit reached\n", "", 1, UsageLimit, "usage limit"},
	} {
		for _, agent := range printing() {
			if agent == "script" || agent == "command" {
				continue
			}
			exit := proc.Exit{Code: tt.code, Signal: tt.signal, Ended: proc.Exited, Tail: tt.stderr}
			out := replay(specNamed(t, agent), "", exit, 1<<16)
			if out.Kind != tt.kind || !strings.Contains(out.Message, tt.message) {
				t.Errorf("%s, %s: %q, %q", agent, name, out.Kind, out.Message)
			}
		}
	}
}

// A final message that is an apology and no more is a refusal, after tools too; one with a result
// block, or that only mentions an apology, is not.
func TestApologies(t *testing.T) {
	tool := `{"type":"tool_execution_start","toolName":"bash"}`
	say := func(text string) string {
		return `{"type":"message_end","message":{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":"` + text + `"}]}}`
	}
	for text, refuses := range map[string]bool{
		"I'm sorry, but I can't assist with that request.":           true,
		"I’m sorry, but I cannot help with this.":                    true,
		"I am sorry, I'm not able to assist with this task.":         true,
		"Sorry, I can't help with that.":                             true,
		"The form now says: I'm sorry, but I can't assist with that": false,
		"I am done.": false,
		"I'm sorry, but I can't assist with that request.\\n```json\\n{}\\n```": false,
	} {
		stdout := tool + "\n" + say(text) + "\n" + `{"type":"agent_end"}`
		out := replay(specNamed(t, "pi"), stdout, proc.Exit{Ended: proc.Exited}, 1<<16)
		if (out.Kind == Refusal) != refuses {
			t.Errorf("%s: %q, %q", text, out.Kind, out.Message)
		}
	}
}

// pi ends, makes its context smaller, which takes its time, and may go on.
func TestPiCompacts(t *testing.T) {
	for events, finished := range map[string]bool{
		"compaction_start compaction_end":                                                       false,
		"agent_start":                                                                           false,
		"agent_start agent_end":                                                                 true,
		"agent_start agent_end agent_settled":                                                   true,
		"agent_start agent_end compaction_start":                                                false,
		"agent_start agent_end compaction_start compaction_end":                                 true,
		"agent_start agent_end compaction_start compaction_end agent_start":                     false,
		"agent_start agent_end compaction_start compaction_end agent_start agent_end":           true,
		"agent_start agent_end auto_retry_start":                                                false,
		"agent_start agent_end auto_retry_start agent_start":                                    false,
		"agent_start agent_end auto_retry_start agent_start agent_end":                          true,
		"compaction_start compaction_end agent_start agent_end compaction_start compaction_end": true,
	} {
		s := &story{out: new(Outcome), now: func() time.Time { return noon }, stop: func() {}}
		r := &rounds{}
		for _, kind := range strings.Fields(events) {
			s.line(r, []byte(`{"type":"`+kind+`"}`))
		}
		if s.gone.Load() != finished {
			t.Errorf("%s: finished is %t", events, !finished)
		}
	}
}
