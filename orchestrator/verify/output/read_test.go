package output

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/internal/proc"
	"autobuild/state"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// shop is the project in which every output was recorded.
func shop() Paths { return Paths{Dir: "/home/dev/shop", module: "example.com/shop"} }

// seen is what is read of an output of a failed gate.
func seen(text, kind string, exit int) state.Gate {
	g := state.Gate{Kind: kind, Command: "make check", Status: state.GateFailed, Exit: exit}
	Read(shop(), strings.NewReader(text), text, &g, NewNames(shop()))
	return g
}

// Outputs in testdata/recorded were recorded from the tools themselves; those in
// testdata/documented follow the tools' documentation. The name says the kind of gate:
// TOOL.KIND.txt.
func TestOutputs(t *testing.T) {
	for _, folder := range []string{"recorded", "documented"} {
		inputs, err := filepath.Glob(filepath.Join("testdata", folder, "*.txt"))
		if err != nil || len(inputs) == 0 {
			t.Fatalf("no inputs in %s: %v", folder, err)
		}
		for _, input := range inputs {
			t.Run(filepath.Base(input), func(t *testing.T) {
				raw, err := os.ReadFile(input)
				if err != nil {
					t.Fatal(err)
				}
				kind := strings.Split(filepath.Base(input), ".")[1]
				exit := 1
				if strings.Contains(input, "notfound") {
					exit = 127
				}
				g := seen(string(raw), kind, exit)
				logged := seen(proc.Escape(string(raw)), kind, exit)
				g.Tail, logged.Tail = "", ""
				if diff := cmp.Diff(g, logged); diff != "" {
					t.Errorf("the log reads differently (-raw +log):\n%s", diff)
				}
				golden(t, strings.TrimSuffix(input, ".txt")+".golden", show(g))
			})
		}
	}
}

// show writes a gate as a person checks it.
func show(g state.Gate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ran %d, failed %d", g.Count, g.Failed)
	if g.Missing != "" {
		fmt.Fprintf(&b, ", missing %s", g.Missing)
	}
	b.WriteByte('\n')
	for _, x := range g.Tests {
		fmt.Fprintf(&b, "test   %s | %s:%d | %s\n", x.Name, x.File, x.Line, x.Message)
	}
	for _, x := range g.Places {
		fmt.Fprintf(&b, "place  %s:%d:%d | %s | %s\n", x.File, x.Line, x.Col, x.Rule, x.Message)
	}
	return b.String()
}

func TestOutputIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "--- FAIL: Test%d (0.00s)\n    a_test.go:%d: %s\n", i, i, strings.Repeat("é", 1000))
		if i%50 == 0 {
			fmt.Fprintf(&b, "src/a%d.go:1:2: %s\n", i, strings.Repeat("x", 3*maxLine))
		}
	}
	g := seen(b.String(), state.KindTest, 1)
	if g.Failed != 500 || len(g.Tests) != maxFindings {
		t.Errorf("failed %d, kept %d tests; want 500 and %d", g.Failed, len(g.Tests), maxFindings)
	}
	if len(g.Tail) > maxTail {
		t.Errorf("tail of %d bytes", len(g.Tail))
	}
	if data, err := json.Marshal(g); err != nil || len(data) > 64<<10 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

func TestPassedKeepsOnlyTheCount(t *testing.T) {
	g := state.Gate{Kind: state.KindTest, Status: state.GatePassed}
	text := "Tests:       1 skipped, 4 passed, 5 total\nsrc/a.go:1:2: not a finding of a gate that passed\n"
	Read(shop(), strings.NewReader(text), text, &g, NewNames(shop()))
	want := state.Gate{Kind: state.KindTest, Status: state.GatePassed, Count: 4}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Error(diff)
	}
}

// FuzzRead: for every output of a gate, reading never panics, never changes the verdict, and keeps
// its bounds.
func FuzzRead(f *testing.F) {
	inputs, err := filepath.Glob(filepath.Join("testdata", "*", "*.txt"))
	if err != nil || len(inputs) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, input := range inputs {
		raw, rerr := os.ReadFile(input)
		if rerr != nil {
			f.Fatal(rerr)
		}
		f.Add(string(raw), strings.Split(filepath.Base(input), ".")[1])
	}
	f.Fuzz(func(t *testing.T, text, kind string) {
		g := seen(text, kind, 1)
		if g.Status != state.GateFailed || g.Exit != 1 {
			t.Fatalf("the output changed the verdict: %+v", g)
		}
		if len(g.Tests) > maxFindings || len(g.Places) > maxFindings || len(g.Tail) > maxTail {
			t.Fatalf("out of bounds: %d tests, %d places, %d bytes", len(g.Tests), len(g.Places), len(g.Tail))
		}
		if g.Count < 0 || g.Failed < 0 {
			t.Fatalf("negative counts: %+v", g)
		}
		for _, x := range g.Tests {
			if len(x.Name) > maxText || len(x.Message) > maxText || len(x.File) > maxText {
				t.Fatalf("too long: %+v", x)
			}
		}
		if again := seen(text, kind, 1); !slices.Equal(again.Tests, g.Tests) || !slices.Equal(again.Places, g.Places) {
			t.Fatal("the same output read differently")
		}
	})
}

// A flood is read at its beginning and at its end, so that what a gate found before and after it is
// known, and soon.
func TestFloodIsReadAtBothEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	flood := strings.Repeat("y\n", 12<<20)
	out := "--- FAIL: TestFirst (0.00s)\n" + flood + "--- FAIL: TestLast (0.00s)\nFAIL\nFAIL\texample.org/p\t0.1s\n"
	g := seen(out, state.KindTest, 1)
	if len(g.Tests) != 2 || g.Tests[0].Name != "TestFirst" || g.Tests[1].Name != "TestLast" {
		t.Errorf("found %+v", g.Tests)
	}
	lines := 0
	eachLine(strings.NewReader(out), func(string) { lines++ })
	if most := maxLines + maxEnd/2 + 8; lines > most {
		t.Errorf("%d lines were looked at, more than %d", lines, most)
	}
	lines = 0
	// nothing is left out, and nothing seen twice, where the rest is short
	whole := strings.Repeat("x\n", maxLines+10)
	eachLine(strings.NewReader(whole), func(string) { lines++ })
	if lines != maxLines+10 {
		t.Errorf("%d lines of %d", lines, maxLines+10)
	}
}
