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
