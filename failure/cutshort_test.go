package failure

import (
	"strings"
	"testing"
)

// An adapter that knows that the answer was cut off is believed, whatever exit code goes with it:
// it is not the agent that is broken, and the reason is what the next attempt should hear.
func TestCutShort(t *testing.T) {
	d := Diagnose(Evidence{
		Agent:     &AgentRun{Name: "codex", ExitCode: 1, Kind: ParseError, Message: "the model's answer was cut off"},
		ParseNote: "no result block in the final message",
	})
	if d.Type != ParseError || !strings.Contains(d.Message, "cut off") {
		t.Errorf("%s: %s", d.Type, d.Message)
	}
	d = Diagnose(Evidence{Agent: &AgentRun{Name: "codex", Signal: "SIGKILL", Kind: ParseError, Message: "its output stopped"}})
	if d.Type != AgentError {
		t.Errorf("killed: %s", d.Type)
	}
}
