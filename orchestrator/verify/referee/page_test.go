package referee

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of classes into docs/referee.md")

const page = "../../../docs/referee.md"

// TestPage: the page shows the table that the program uses.
func TestPage(t *testing.T) {
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- classes: go test ./orchestrator/verify/referee -run TestPage -update -->\n", "<!-- /classes -->\n"
	before, rest, ok1 := strings.Cut(string(raw), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the table", page)
	}
	var b strings.Builder
	b.WriteString("| class | files | what they are |\n|---|---|---|\n")
	for _, r := range Table() {
		var names []string
		for name := range strings.FieldsSeq(r.Pattern) {
			if strings.ContainsAny(name, "./*") || name[0] >= 'A' && name[0] <= 'Z' {
				name = "`" + name + "`"
			}
			names = append(names, name)
		}
		b.WriteString("| " + string(r.Class) + " | " + strings.Join(names, " ") + " | " + r.Why + " |\n")
	}
	want := before + begin + b.String() + end + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(raw) {
		t.Fatalf("%s has another table than the program: go test ./orchestrator/verify/referee -run TestPage -update", page)
	}
}

// TestTablePatterns: the names that the table shows have the class of their row.
func TestTablePatterns(t *testing.T) {
	m := NewMap(tree{"spec/a_spec.rb": "", "specs/a.spec.js": "", "features/a.feature": ""}, nil)
	for _, r := range Table() {
		for name := range strings.FieldsSeq(r.Pattern) {
			if !strings.ContainsAny(name, "./*") || name == "…" {
				continue
			}
			file := strings.ReplaceAll(name, "*", "x")
			switch {
			case strings.HasPrefix(name, "*Test"):
				file = strings.ReplaceAll(name, "*", "Shop")
			case strings.HasSuffix(name, "config*"), strings.HasSuffix(name, "chain*"), strings.HasSuffix(name, "rc*"):
				file = strings.TrimSuffix(name, "*")
			case strings.HasSuffix(name, ".*"):
				file = strings.TrimSuffix(strings.ReplaceAll(name, "*.", "x."), ".*") + ".js"
				if strings.HasPrefix(name, ".golangci") {
					file = ".golangci.yml"
				}
			case name == "build.gradle*":
				file = "build.gradle"
			}
			if strings.HasSuffix(name, "/") {
				file = strings.ReplaceAll(name, "*", "Shop") + "x.txt"
			}
			want := r.Class
			if got := m.Class(file); got != want && (want != Gate || got != Lever) {
				t.Errorf("%s (%s): %s, want %s", name, file, got, want)
			}
		}
	}
}
