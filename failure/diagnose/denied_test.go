package diagnose

import (
	"strings"
	"testing"

	"autobuild/failure"
)

// A write that the sandbox denied is a prerequisite that no attempt provides: the diagnosis names
// path and remedy. It never proposes paths of the run, and the agent can retry.
func TestDenied(t *testing.T) {
	t.Parallel()
	gate := failure.GateRun{Name: "test", Command: "make test", Exit: 2, Tail: "sh: cannot create /opt/x: Permission denied"}
	for name, c := range map[string]struct {
		evidence  failure.Evidence
		message   string
		action    string
		retryable bool
	}{
		"a place that can be allowed": {
			failure.Evidence{Gates: []failure.GateRun{gate}, Confined: true, Denied: []failure.DeniedWrite{{Path: "/opt/x", Allow: "/opt"}}},
			"the sandbox denies writing /opt/x", "`sandbox: {write: [/opt]}`", false,
		},
		"a place of the run": {
			failure.Evidence{Gates: []failure.GateRun{gate}, Confined: true, Denied: []failure.DeniedWrite{{Path: "/opt/x"}}},
			"the sandbox denies writing /opt/x", "belongs to the run", true,
		},
		"a path that no output names": {
			failure.Evidence{Gates: []failure.GateRun{gate}, Confined: true}, "Permission denied", "name the place under sandbox.write", false,
		},
		"a gate, after an agent that was killed": {
			failure.Evidence{
				Agent: &failure.AgentRun{Signal: "killed", ExitCode: -1}, Claim: &failure.Claim{Complete: true},
				Gates: []failure.GateRun{gate}, Confined: true, Denied: []failure.DeniedWrite{{Path: "/opt/x", Allow: "/opt"}},
			},
			"the sandbox denies writing /opt/x", "`sandbox: {write: [/opt]}`", false,
		},
		"an agent that ended by itself": {
			failure.Evidence{
				Agent:    &failure.AgentRun{ExitCode: 1, Tail: "cannot create /opt/x: Permission denied"},
				Confined: true, Denied: []failure.DeniedWrite{{Path: "/opt/x", Allow: "/opt"}},
			},
			"the sandbox denies writing /opt/x", "`sandbox: {write: [/opt]}`", false,
		},
		"without a sandbox": {failure.Evidence{Gates: []failure.GateRun{gate}}, "Permission denied", "Allow what was refused", false},
	} {
		d := From(c.evidence)
		if !strings.Contains(d.Message, c.message) || !strings.Contains(strings.Join(d.Actions, "\n"), c.action) ||
			d.Retryable != c.retryable || d.Category != failure.Prerequisite {
			t.Errorf("%s: %q, %q, retryable %t, %s", name, d.Message, d.Actions, d.Retryable, d.Category)
		}
		if !c.evidence.Confined && strings.Contains(strings.Join(d.Actions, "\n"), "sandbox") {
			t.Errorf("%s: %q", name, d.Actions)
		}
	}
}

// What an agent that never came to work was refused is no need of the phase.
func TestRefusedToTheAgent(t *testing.T) {
	t.Parallel()
	for unbilled, needs := range map[bool]string{true: "", false: "access: "} {
		d := From(failure.Evidence{Agent: &failure.AgentRun{
			Name: "claude", ExitCode: 1, Kind: failure.AgentError, Unbilled: unbilled, Message: "EACCES: permission denied, open '/home/me/agent.log'",
		}})
		if d.Unbilled != unbilled || d.Retryable != unbilled || !strings.HasPrefix(d.Needs, needs) || (d.Needs == "") != unbilled {
			t.Errorf("unbilled %t: %s, retryable %t, needs %q", unbilled, d.Type, d.Retryable, d.Needs)
		}
	}
}

// A signal that ended an agent is the cause; a write that was denied to it before is not, and
// another attempt may pass.
func TestDeniedAndKilled(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]failure.AgentRun{
		"killed":  {Name: "claude", Signal: "killed", ExitCode: -1},
		"message": {Name: "claude", Signal: "killed", ExitCode: -1, Kind: failure.AgentError, Message: "mkdir /opt/x: Permission denied"},
		"wrapped": {Name: "claude", ExitCode: 137},
		"aborted": {Name: "claude", ExitCode: 134},
	} {
		a.Tail = "mkdir /opt/x: Permission denied\nKilled\n"
		d := From(failure.Evidence{Agent: &a, Confined: true, Denied: []failure.DeniedWrite{{Path: "/opt/x", Allow: "/opt"}}})
		if d.Type != failure.AgentError || d.Category != failure.Execution || !d.Retryable || d.Needs != "" ||
			strings.Contains(d.Message+strings.Join(d.Actions, "\n"), "sandbox") {
			t.Errorf("%s: %s, %s, %q, retryable %t, needs %q, %q", name, d.Type, d.Category, d.Message, d.Retryable, d.Needs, d.Actions)
		}
	}
}
