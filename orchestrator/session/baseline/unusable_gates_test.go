package baseline

import (
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/session/gates"
	"autobuild/orchestrator/session/workspace"
	"autobuild/state"
)

// checkout is a workspace with these files in the user's checkout.
type checkout struct {
	workspace.Space
	files string
}

func (c checkout) Has(paths ...string) bool {
	for _, p := range paths {
		if strings.Contains(c.files, p) {
			return true
		}
	}
	return false
}

// A gate that fails on the base fails in any clean clone if an ignored file or a declared package is
// missing. A failure of a test, and a file that a phase may create, are other reasons.
func TestLacks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		gate  state.Gate
		notes []string
		files string
		want  string // empty: no reason
	}{
		{"an ignored folder", state.Gate{Tail: "Error: Cannot find module '../dist'"}, nil, "", "it needs dist, which git ignores; create it by `setup: [npm run build]`"},
		{"an ignored file, in a test's message", state.Gate{Tests: []failure.Test{{Message: "ENOENT: no such file or directory, open 'conf/local.json'"}}}, nil, "", "it needs conf/local.json"},
		{"a failed build in an ignored folder", state.Gate{Tail: "cmake --build dist\ndist/a.c:1: error: expected ;\nmake: *** [dist/a.o] Error 1"}, nil, "", ""},
		{"part of another name", state.Gate{Tail: "Cannot find module './distance'"}, nil, "", ""},
		{"a failed test", state.Gate{Tail: "expected 2, got 3", Count: 1, Failed: 1}, nil, "", ""},
		{"a file that a phase creates", state.Gate{Tail: "Cannot find module './cache'", Count: 1, Failed: 1}, nil, "", ""},
		{"a declared package", state.Gate{Tail: "E   ModuleNotFoundError: No module named 'freezegun.api'", Count: 2, Failed: 2}, nil, "", "freezegun is not installed, and a manifest requires it"},
		{"a declared package, with a scope", state.Gate{Tail: "Cannot find module '@x/one/deep'"}, nil, "", "@x/one is not installed"},
		{"a declared package, and some tests run", state.Gate{Tail: "No module named 'freezegun'", Count: 9, Failed: 1}, nil, "", ""},
		{"a package of a phase", state.Gate{Tail: "No module named 'redis'", Count: 1, Failed: 1}, nil, "", ""},
		{"a program, and its install failed", state.Gate{Missing: "eslint"}, []string{"pnpm-lock.yaml: no"}, "", "eslint is not installed (pnpm-lock.yaml: no)"},
		{"a program of the checkout", state.Gate{Missing: "eslint"}, nil, "node_modules/.bin/eslint", "eslint is installed in the checkout only"},
		{"a program that nobody has", state.Gate{Missing: "eslint2", Count: 1}, nil, "", ""},
	} {
		r := &Results{
			Gates: []state.GateSpec{{Command: "npm test"}}, Prepared: prepare.Made{Notes: tt.notes},
			Runner: &gates.Runner{Space: checkout{files: tt.files}},
		}
		c := clone{r, []string{"dist", "conf/local.json"}, `"scripts": {"build": "tsc"}, "@x/one": "1", freezegun==1.5`}
		got := c.lacks(tt.gate)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
