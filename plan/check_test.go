package plan_test

import (
	"fmt"
	"math/rand/v2"
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

// However phases overlap, the serialized plan has no two phases that name one file and do not wait
// for each other, and it is still a plan: batches only grow apart.
func TestSerializeOrdersEveryOverlap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + random.IntN(12)
		d := plan.Draft{}
		for i := range n {
			p := plan.DraftPhase{Phase: plan.Phase{Label: strconv.Itoa(i + 1)}, Needs: []plan.Ref{{Text: "none"}}}
			for range random.IntN(3) {
				if k := random.IntN(n); k != i && (k < i) == (random.IntN(8) > 0) {
					p.Needs = append(p.Needs, plan.Ref{Text: strconv.Itoa(k + 1)})
				}
			}
			for range random.IntN(3) {
				p.Files.Create = append(p.Files.Create, "f"+strconv.Itoa(random.IntN(4)))
			}
			d.Phases = append(d.Phases, p)
		}
		p, err := plan.New(d)
		if err != nil {
			continue // a circle
		}
		q, err := plan.Serialize(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if !subset(p.Needs(i), q.Needs(i)) || p.At(i).Fingerprint != q.At(i).Fingerprint || len(q.At(i).DependsOn) != len(q.Needs(i)) {
				t.Fatalf("phase %d lost something: %v, %v", i, p.At(i), q.At(i))
			}
			for _, need := range q.Needs(i) {
				if q.Level(need) >= q.Level(i) {
					t.Fatalf("phase %d runs no later than %d", i, need)
				}
			}
			for k := range i {
				shared := slices.ContainsFunc(q.At(i).Files.Create, func(f string) bool { return slices.Contains(q.At(k).Files.Create, f) })
				if shared && !slices.Contains(q.Ancestors(i), k) && !slices.Contains(q.Ancestors(k), i) {
					t.Fatalf("phases %d and %d still overlap", k, i)
				}
			}
		}
	}
}

func subset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(x int) bool { return !slices.Contains(b, x) })
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
	if q, err := plan.Serialize(p); err != nil || len(q.Batches()) != 10_000 {
		t.Fatalf("%v: %d batches", err, len(q.Batches()))
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
