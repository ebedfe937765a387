package agent_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/agent"
)

// Every built-in agent can be introduced, and the version in its description is the one that the
// tests install.
func TestAbout(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/clis/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pinned struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err = json.Unmarshal(raw, &pinned); err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, name := range agent.Names() {
		about, ok := agent.AboutOf(name)
		if !ok || about.Program == "" || about.Install == "" || about.Login == "" || len(about.Keys) == 0 || len(about.Help) == 0 {
			t.Errorf("%s: incomplete: %+v", name, about)
		}
		pkg, isNPM := strings.CutPrefix(about.Install, "npm install -g ")
		version, isPinned := pinned.Dependencies[pkg]
		switch {
		case isPinned && version != about.Tested:
			t.Errorf("%s was tried with %q, and %s is pinned", name, about.Tested, version)
		case isNPM && !isPinned && about.Tested != "":
			t.Errorf("%s was tried with %s, and is not among the pinned ones", name, about.Tested)
		case isPinned:
			tested++
		}
		for _, flag := range about.Flags {
			if !strings.HasPrefix(flag, "--") || slices.Contains(about.Keys, flag) {
				t.Errorf("%s: flag %q", name, flag)
			}
		}
	}
	if tested < 7 {
		t.Errorf("only %d agents are pinned", tested)
	}
	if _, ok := agent.AboutOf("nobody"); ok {
		t.Error("nobody is known")
	}
}
