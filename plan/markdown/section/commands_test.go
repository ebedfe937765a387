package section

import (
	"strings"
	"testing"

	"autobuild/plan"
)

// A gate's name says what it runs, and holds nothing of the shell.
func TestGateName(t *testing.T) {
	for command, want := range map[string]string{
		"false 2>&1 | tail -5":        "false",
		"(echo output; exit 3) | cat": "echo output",
		"npm run smoke":               "smoke",
		"go run ./cmd/tool":           "tool",
		"make check":                  "make check",
		"./scripts/verify.sh --all":   "verify.sh",
		"A=1 B=2 ./run":               "run",
		"! grep -r TODO src":          "grep TODO",
		"grep -q 'x y' file":          "grep",
		"$(which tool)":               "check",
		"2>/dev/null true":            "check",
		"diff a.txt b.txt":            "diff a.txt",
		"golangci-lint run":           "lint",
		"npm test":                    "test",
	} {
		if got := gateName(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

// Gates of one name are all kept, each under its own; the same command is one gate.
func TestNameGates(t *testing.T) {
	var names []string
	gates := []plan.Gate{{Command: "go test ./a"}, {Command: "go test ./b"}, {Command: "go test ./a"}, {Name: "test-2", Command: "x"}}
	for _, g := range NameGates(gates) {
		names = append(names, g.Name+": "+g.Command)
	}
	if got := strings.Join(names, ", "); got != "test: go test ./a, test-2: go test ./b, test-2-2: x" {
		t.Error(got)
	}
}
