package rendertest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/render"
)

// update is the flag that writes golden files.
var update = flag.Bool("update", false, "write the golden files anew")

// Looks are the styles that every screen is shown in.
var Looks = []struct {
	Name  string
	Style render.Style
}{
	{"pipe", render.Style{}},
	{"colour", render.Style{Color: true, Bold: true, Cursor: true}},
	{"no colour", render.Style{Bold: true, Cursor: true}},
	{"ascii", render.Style{ASCII: true}},
}

// Golden compares got with the golden file of that name in testdata, or writes it with -update.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		Check(t, os.MkdirAll("testdata", 0o750))
		Check(t, os.WriteFile(path, []byte(got), 0o600))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if got == string(want) {
		return
	}
	gots, wants := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range gots {
		if i >= len(wants) || gots[i] != wants[i] {
			t.Fatalf("%s:%d differs\n got %q\nwant %q", path, i+1, gots[i],
				wants[min(i, len(wants)-1)])
		}
	}
	t.Fatalf("%s has %d lines more than what was drawn", path, len(wants)-len(gots))
}

// Check ends the test on an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Findings are problems of a plan with one of each severity: with wide characters, a tab, a long
// line and no place.
func Findings() plan.Problems {
	return plan.Problems{
		{
			Code: "E-CYCLE", Severity: plan.Error, Pos: plan.Pos{Line: 12, Col: 21}, Width: 1,
			Line:    "| 2A | Backend 後端 | 3 | - |",
			Message: "dependency cycle: 2A → 3 → 2A", Hint: "remove one of these dependencies",
		},
		{
			Code: "E-UNKNOWN", Severity: plan.Error, Pos: plan.Pos{Line: 13, Col: 3 + len("品質")},
			Width: 2,
			Line:  "\t品質2D, x", Message: "unknown phase 2D", Hint: "did you mean 2A?",
		},
		{
			Code: "W-BOX", Severity: plan.Warning, Pos: plan.Pos{Line: 1400, Col: 50001}, Width: 4,
			Line:    strings.Repeat("x", 50000) + "HERE" + strings.Repeat("y", 50000),
			Message: "odd box", Hint: "",
		},
		{Code: "I-DIALECT", Severity: plan.Info, Message: "read as superplan"},
	}
}
