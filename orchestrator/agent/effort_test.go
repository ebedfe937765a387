package agent

import (
	"slices"
	"strings"
	"testing"
)

// An effort becomes a part of the command line, for agents that have a flag for it.
func TestEffort(t *testing.T) {
	able := 0
	for _, name := range Names() {
		args, ok := Effort(name, "high")
		if !ok {
			continue
		}
		able++
		line := CommandLine(name, args)
		if at := slices.Index(line, args[0]); at < 0 || !strings.Contains(strings.Join(line[at:], " "), "high") {
			t.Errorf("%s is called with %q", name, line)
		}
	}
	if able != 5 {
		t.Errorf("%d agents can be told an effort", able)
	}
	if _, ok := Effort("script", "high"); ok {
		t.Error("a script thinks")
	}
}
