package plan_test

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"autobuild/plan"
)

// place is a world made of lists.
type place struct{ files, commands, variables []string }

func (p place) File(name string) bool     { return slices.Contains(p.files, name) }
func (p place) Command(name string) bool  { return slices.Contains(p.commands, name) }
func (p place) Variable(name string) bool { return slices.Contains(p.variables, name) }

// Names lists the files of a directory.
func (p place) Names(dir string) []string {
	var names []string
	for _, f := range p.files {
		if path.Dir(f) == dir {
			names = append(names, path.Base(f))
		}
	}
	return names
}

func ExampleCheck() {
	p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{
		{Phase: plan.Phase{Label: "1", Files: plan.Files{Modify: []string{"src/rout.go"}, Existing: []string{"src/rout.go"}}}},
		{Phase: plan.Phase{Label: "2", Gates: []plan.Gate{{Name: "test", Command: "CI=1 make test && echo done | tee log"}}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Check(p, place{files: []string{"src/route.go"}, commands: []string{"make"}}))
	// Output:
	// gate test of phase 2 calls tee, which is not on PATH (install it, or correct the plan)
	// phase 1 is to modify src/rout.go, which does not exist (did you mean src/route.go?)
}

// What gates call is found as far as it can be told without a shell, and nothing else is.
func TestCheckCommands(t *testing.T) {
	for command, want := range map[string]string{
		"make test":                              "make",
		"cd web && npm test":                     "npm",
		"set -e\nexport A=1\ngo vet ./...":       "go",
		"A=1 B=2 cargo test | tee out; jq . x":   "cargo jq tee",
		"! grep -r TODO src":                     "grep",
		"if ! rg x; then exit 1; fi":             "rg",
		"$RUNNER test":                           "",
		"test -f a && [ -d b ]":                  "",
		"echo 'a && b' # && nothing":             "",
		"x=$(mktemp) && y":                       "",
		"./scripts/check.sh":                     "./scripts/check.sh",
		"cd web && ./check.sh":                   "",
		"for f in *.go; do gofmt -l $f; done":    "gofmt",
		"cat <<EOF\nmissing\nEOF":                "",
		"npx tsc 2>&1 | grep error && echo done": "grep npx",
		"pytest -k \"a or b\"\nruff check":       "pytest ruff",
	} {
		p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{{Phase: plan.Phase{Label: "1", Gates: []plan.Gate{{Name: "g", Command: command}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, problem := range plan.Check(p, place{}) {
			_, after, _ := strings.Cut(problem.Message, "calls ")
			name, _, _ := strings.Cut(after, ",")
			got = append(got, name)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q calls %q, want %q", command, strings.Join(got, " "), want)
		}
	}
}

// Many phases that name one file cost little more than few.
func TestCheckManyPhases(t *testing.T) {
	d := plan.Draft{}
	for i := range 10_000 {
		d.Phases = append(d.Phases, plan.DraftPhase{
			Phase: plan.Phase{Label: strconv.Itoa(i + 1), Files: plan.Files{Create: []string{"shared.go", "f" + strconv.Itoa(i%97)}}},
			Needs: []plan.Ref{{Text: "none"}},
		})
	}
	p, err := plan.New(d)
	if err != nil {
		t.Fatal(err)
	}
	if found := plan.Check(p, place{}); len(found) < 9_999 {
		t.Fatalf("%d findings", len(found))
	}
}

// A section of any size is read a bounded number of times.
func TestCheckHugeSection(t *testing.T) {
	var text strings.Builder
	var files []string
	for i := range 100_000 {
		files = append(files, "src/file"+strconv.Itoa(i)+".go")
		text.WriteString("- Modify: `" + files[i] + "`\n")
	}
	p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{{Phase: plan.Phase{
		Label: "1", Text: text.String(), TextLine: 1, Pos: plan.Pos{Line: 1, Col: 1}, Files: plan.Files{Modify: files, Existing: files},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	if found := plan.Check(p, place{}); len(found) < len(files) {
		t.Errorf("%d findings", len(found))
	}
}

// TestCheckUntestable asks for a gate only of phases that a gate could test.
func TestCheckUntestable(t *testing.T) {
	for _, c := range []struct {
		files plan.Files
		want  bool
	}{
		{plan.Files{}, true},
		{plan.Files{Create: []string{"docs/a.md", "main.go"}}, true},
		{plan.Files{Create: []string{"docs/a.md"}, Modify: []string{"NOTES.txt"}}, false},
	} {
		p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{
			{Phase: plan.Phase{Label: "1", Tasks: []plan.Task{{Text: "write"}}, Files: c.files}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(plan.Check(p, place{}).Error(), "no gate"); got != c.want {
			t.Errorf("%v: reported %v, want %v", c.files, got, c.want)
		}
	}
}
