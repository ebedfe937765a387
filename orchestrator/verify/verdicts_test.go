package verify_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// counted are gates that write a line to a file at each run.
func counted(dir string, gates ...state.GateSpec) ([]state.GateSpec, func() int) {
	file := filepath.Join(dir, "runs")
	for i := range gates {
		gates[i].Command = "echo x >>" + file + "; " + gates[i].Command
		gates[i].Available = true
	}
	return gates, func() int {
		data, _ := os.ReadFile(file)
		return strings.Count(string(data), "x")
	}
}

// A suite runs once on a content. What another run could decide differently runs again.
func TestVerdictsAreReused(t *testing.T) {
	passes := state.GateSpec{Name: "test", Kind: state.KindTest, Command: "true"}
	linted := state.GateSpec{Name: "lint", Kind: state.KindLint, Command: "echo 'a.go:1:2: bad'; false"}
	for _, c := range []struct {
		name          string
		gates, second []state.GateSpec // second: nil is gates again
		at, then      string
		runs          int
	}{
		{"a pass", []state.GateSpec{passes}, nil, "tree", "tree", 1},
		{"another name", []state.GateSpec{passes}, []state.GateSpec{{Name: "all", Kind: state.KindTest, Command: "true"}}, "tree", "tree", 1},
		{"another content", []state.GateSpec{passes}, nil, "tree", "other", 2},
		{"no content", []state.GateSpec{passes}, nil, "", "", 2},
		{"findings of a linter", []state.GateSpec{linted}, nil, "tree", "tree", 1},
		{"a linter that found nothing", []state.GateSpec{{Name: "lint", Kind: state.KindLint, Command: "false"}}, nil, "tree", "tree", 2},
		{"a test that failed", []state.GateSpec{{Name: "test", Kind: state.KindTest, Command: "echo '--- FAIL: TestX (0.00s)'; false"}}, nil, "tree", "tree", 2},
		{"a signal", []state.GateSpec{{Name: "lint", Kind: state.KindLint, Command: "kill -9 $$"}}, nil, "tree", "tree", 2},
		{"a part of the suite", []state.GateSpec{linted, passes}, []state.GateSpec{passes}, "tree", "tree", 3},
		{"another order", []state.GateSpec{{Name: "a", Kind: state.KindCustom, Command: "true"}, {Name: "b", Kind: state.KindCustom, Command: "true #"}}, []state.GateSpec{{Name: "b", Kind: state.KindCustom, Command: "true #"}, {Name: "a", Kind: state.KindCustom, Command: "true"}}, "tree", "tree", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.Verdicts = &verify.Verdicts{}
			if c.second == nil {
				c.second = append(c.second, c.gates...)
			}
			first, _ := counted(b.dir, append([]state.GateSpec(nil), c.gates...)...)
			second, runs := counted(b.dir, c.second...)
			one, err := b.Judge(t.Context(), referee.Shown{Dir: b.dir, Content: c.at}, "phase-1.1", first, nil)
			if err != nil {
				t.Fatal(err)
			}
			two, err := b.Judge(t.Context(), referee.Shown{Dir: b.dir, Content: c.then}, "final", second, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := runs(); got != c.runs {
				t.Errorf("%d runs, not %d", got, c.runs)
			}
			if want := len(first)+len(second) > c.runs; (two.Gates[0].Reused == "phase-1.1") != want || one.Gates[0].Reused != "" {
				t.Errorf("reused: %q and %q", one.Gates[0].Reused, two.Gates[0].Reused)
			}
			if two.Gates[0].Name != verify.Order(second)[0].Name || len(c.second) == len(c.gates) && one.Passed != two.Passed {
				t.Errorf("%+v became %+v", one, two)
			}
		})
	}
}

// A suite that was stopped has no verdict.
func TestVerdictOfAStoppedSuiteIsNotKept(t *testing.T) {
	b := newBench(t)
	b.Verdicts = &verify.Verdicts{}
	gates, runs := counted(b.dir, state.GateSpec{Name: "test", Kind: state.KindTest, Command: "true"})
	ended, end := context.WithCancel(t.Context())
	end()
	at := referee.Shown{Dir: b.dir, Content: "tree"}
	if _, err := b.Judge(ended, at, "p", gates, nil); err == nil {
		t.Fatal("no error")
	}
	if _, err := b.Judge(t.Context(), at, "p", gates, nil); err != nil || runs() != 1 {
		t.Fatalf("%v, %d runs", err, runs())
	}
}
