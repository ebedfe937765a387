package diagnose

import (
	"strings"
	"testing"

	"autobuild/failure"
)

// The diagnosis trusts an adapter that reports a truncated answer, regardless of the exit code. The
// agent is not broken, and the next attempt needs the reason.
func TestCutShort(t *testing.T) {
	d := From(failure.Evidence{
		Agent:     &failure.AgentRun{Name: "codex", ExitCode: 1, Kind: failure.ParseError, Message: "the model's answer was cut off"},
		ParseNote: "no result block in the final message",
	})
	if d.Type != failure.ParseError || !strings.Contains(d.Message, "cut off") {
		t.Errorf("%s: %s", d.Type, d.Message)
	}
	d = From(failure.Evidence{Agent: &failure.AgentRun{Name: "codex", Signal: "SIGKILL", Kind: failure.ParseError, Message: "its output stopped"}})
	if d.Type != failure.AgentError {
		t.Errorf("killed: %s", d.Type)
	}
}

// The first advice about an agent that cannot be used fits the reason, and its words about a status
// do not make the failure one that passes.
func TestUnusable(t *testing.T) {
	for about, want := range map[string]struct{ remedy, action string }{
		"account": {"", "Pay for claude"},
		"login":   {"claude, then /login", "Log in again: claude, then /login"},
		"model":   {"", "Name a model"},
		"flags":   {"", "Correct the flags"},
		"start":   {"npm install -g claude", "Install it: npm install -g claude"},
		"":        {"", "Run claude by hand"},
	} {
		d := From(failure.Evidence{Agent: &failure.AgentRun{
			Name: "claude", ExitCode: 1, Kind: failure.AgentUnusable, About: about, Remedy: want.remedy,
			Message: "429 quota exceeded: connection refused", Tail: "Permission denied",
		}})
		if d.Type != failure.AgentUnusable || len(d.Actions) == 0 || !strings.HasPrefix(d.Actions[0], want.action) {
			t.Errorf("%s: %s %q", about, d.Type, d.Actions)
		}
		if d.Class.Class == failure.Transient || d.Transient {
			t.Errorf("%s: class %s, passes %t", about, d.Class.Class, d.Transient)
		}
	}
	d := From(failure.Evidence{Agent: &failure.AgentRun{
		Name: "mine", ExitCode: 127, Kind: failure.AgentUnusable, About: "start", Tail: "sh: 1: claude: not found\n",
	}})
	if d.Package != "claude" || !strings.Contains(d.Actions[0], "claude") {
		t.Errorf("exit code 127: %+v", d)
	}
}
