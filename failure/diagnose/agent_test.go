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
