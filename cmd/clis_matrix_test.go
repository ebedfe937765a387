package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/internal/fakemodel"
)

const (
	matrixBegins = "<!-- matrix: go test ./cmd -run TestMatrix -update -->\n"
	matrixEnds   = "<!-- end of matrix -->"
)

// The page about the tests says of every agent what autobuild was seen to make of every trouble:
// the table that the real agents' tests hold to.
func TestMatrix(t *testing.T) {
	const path = "../testdata/clis/README.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), matrixBegins)
	shown, after, closed := strings.Cut(rest, matrixEnds)
	if !ok || !closed {
		t.Fatalf("%s has no matrix between its markers", path)
	}
	want := matrix(t, readClisTable(t))
	if shown == want {
		return
	}
	if !*update {
		t.Fatalf("%s shows another matrix than %s holds; -update rewrites it:\n%s", path, clisTable, want)
	}
	if err := os.WriteFile(path, []byte(before+matrixBegins+want+matrixEnds+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// matrix is the table as markdown: a row for each scenario, a column for each agent.
func matrix(t *testing.T, rows []concluded) string {
	t.Helper()
	var clis, scenarios []string
	cells := make(map[[2]string]string)
	for _, r := range rows {
		if len(clis) == 0 || clis[len(clis)-1] != r.cli {
			clis = append(clis, r.cli)
		}
		if len(clis) == 1 {
			scenarios = append(scenarios, r.scenario)
		}
		cells[[2]string{r.cli, r.scenario}] = cell(r)
	}
	paths, err := filepath.Glob(filepath.Join(clisDir, "scenarios", "*.json"))
	if err != nil || len(paths) != len(scenarios) || len(rows) != len(clis)*len(scenarios) {
		t.Fatalf("%d scenarios, %d agents and %d rows do not fit together: %v", len(paths), len(clis), len(rows), err)
	}
	var b strings.Builder
	b.WriteString("\n| what happens | " + strings.Join(clis, " | ") + " |\n|---" + strings.Repeat("|---", len(clis)) + "|\n")
	for _, name := range scenarios {
		s, err := fakemodel.Load(filepath.Join(clisDir, "scenarios", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("| " + strings.TrimSuffix(s.What, "."))
		for _, cli := range clis {
			b.WriteString(" | " + cells[[2]string{cli, name}])
		}
		b.WriteString(" |\n")
	}
	b.WriteString("| Usage: what autobuild adds up is the provider's bill")
	for _, cli := range clis {
		b.WriteString(" | " + billed(rows, cli))
	}
	return b.String() + " |\n\n"
}

// billed is yes where every complete row of an agent has the tokens of whole answers: the provider
// bills each with 1200 and 80.
func billed(rows []concluded, cli string) string {
	seen := "–"
	for _, r := range rows {
		if r.cli != cli || r.end != "complete" {
			continue
		}
		if seen = "yes"; r.in == 0 || r.in%1200 != 0 || r.out*15 != r.in {
			return "no"
		}
	}
	return seen
}

// cell is a conclusion in a few words.
func cell(r concluded) string {
	switch {
	case r.end == unasked:
		return "–"
	case r.end == "complete" && r.attempts > 1:
		return "complete on retry"
	case r.end == "complete":
		return r.end
	}
	return "`" + r.end + "`"
}
