package cmd

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"autobuild/orchestrator/agent"
)

// TestCLIInstallLines asks the registry for the packages in the install commands of doctor:
// each is there, and brings the program.
func TestCLIInstallLines(t *testing.T) {
	agentsBin(t)
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not there")
	}
	asked := 0
	for _, name := range agent.Names() {
		about, _ := agent.AboutOf(name)
		pkg, ok := strings.CutPrefix(about.Install, "npm install -g ")
		if !ok {
			continue
		}
		asked++
		out, err := exec.Command(npm, "view", pkg, "bin", "--json").Output()
		if err != nil {
			t.Errorf("%s: npm view %s: %v", name, pkg, err)
			continue
		}
		var bin map[string]string
		if err := json.Unmarshal(out, &bin); err != nil || bin[about.Program] == "" {
			t.Errorf("%s: the package %s brings %s, and not %s (%v)", name, pkg, out, about.Program, err)
		}
	}
	if asked < 8 {
		t.Errorf("only %d packages were asked for", asked)
	}
}
