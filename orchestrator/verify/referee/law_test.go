package referee

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/orchestrator/verify/testunit"
)

// suite draws tests with bodies that differ, in one of several languages.
type suite struct {
	file   func(i int) string
	header string
	test   func(name string, n int) string
}

var suites = map[string]suite{
	"go": {
		func(i int) string { return fmt.Sprintf("tests/a%d_test.go", i) }, "package a\n\nimport \"testing\"\n",
		func(name string, n int) string {
			return fmt.Sprintf("\nfunc Test%s(t *testing.T) {\n\tgot := Sum(%d, 2)\n\tif got != %d {\n\t\tt.Error(got)\n\t}\n}\n", name, n, n+2)
		},
	},
	"js": {
		func(i int) string { return fmt.Sprintf("tests/a%d.test.js", i) }, "const { sum } = require('../sum')\n",
		func(name string, n int) string {
			return fmt.Sprintf("\ntest('%s', () => {\n  const got = sum(%d, 2)\n  expect(got).toBe(%d)\n})\n", name, n, n+2)
		},
	},
	"python": {
		func(i int) string { return fmt.Sprintf("tests/test_a%d.py", i) }, "from app import add\n",
		func(name string, n int) string {
			return fmt.Sprintf("\n\ndef test_%s():\n    got = add(%d, 2)\n    assert got == %d\n", strings.ToLower(name), n, n+2)
		},
	},
	"rust": {
		func(i int) string { return fmt.Sprintf("tests/a%d.rs", i) }, "use app::add;\n",
		func(name string, n int) string {
			return fmt.Sprintf("\n#[test]\nfn %s() {\n    let got = add(%d, 2);\n    assert_eq!(got, %d);\n}\n", strings.ToLower(name), n, n+2)
		},
	},
	"ruby": {
		func(i int) string { return fmt.Sprintf("tests/a%d_spec.rb", i) }, "require 'app'\n",
		func(name string, n int) string {
			return fmt.Sprintf("\nit '%s' do\n  got = add(%d, 2)\n  expect(got).to eq(%d)\nend\n", name, n, n+2)
		},
	},
	"bats": {
		func(i int) string { return fmt.Sprintf("tests/a%d.bats", i) }, "#!/usr/bin/env bats\n",
		func(name string, n int) string {
			return fmt.Sprintf("\n@test \"%s\" {\n  run add %d 2\n  [ \"$output\" -eq %d ]\n}\n", name, n, n+2)
		},
	},
}

var allFail = Outcome{Ran: true, Blind: []string{"test"}}

// write puts tests into files: the place of each is its file.
func (s suite) write(names []string, numbers, places []int) []Edit {
	texts := map[int]string{}
	for i, name := range names {
		if texts[places[i]] == "" {
			texts[places[i]] = s.header
		}
		texts[places[i]] += s.test(name, numbers[i])
	}
	var edits []Edit
	for place := range 3 {
		if texts[place] != "" {
			edits = append(edits, Edit{Path: s.file(place), New: texts[place]})
		}
	}
	return edits
}

// difference is the edits between two writings.
func difference(before, after []Edit) []Edit {
	byPath := map[string]*Edit{}
	var order []string
	at := func(path string) *Edit {
		if byPath[path] == nil {
			byPath[path] = &Edit{Path: path}
			order = append(order, path)
		}
		return byPath[path]
	}
	for _, e := range before {
		d := at(e.Path)
		d.Old, d.OldMode = e.New, "100644"
	}
	for _, e := range after {
		d := at(e.Path)
		d.New, d.NewMode = e.New, "100644"
	}
	var edits []Edit
	for _, path := range order {
		if d := byPath[path]; d.Old != d.New || d.OldMode != d.NewMode {
			edits = append(edits, *d)
		}
	}
	return edits
}

func draw(t *rapid.T) (s suite, names []string, numbers, places []int) {
	kinds := []string{"bats", "go", "js", "python", "ruby", "rust"}
	s = suites[rapid.SampledFrom(kinds).Draw(t, "language")]
	n := rapid.IntRange(1, 6).Draw(t, "tests")
	for i := range n {
		names = append(names, fmt.Sprintf("Case%c", 'A'+i))
		numbers = append(numbers, 100*i+rapid.IntRange(10, 99).Draw(t, "number"))
		places = append(places, rapid.IntRange(0, 2).Draw(t, "file"))
	}
	return s, names, numbers, places
}

// TestMovesAreNoChange: tests that are put in another order, into other files, or called otherwise,
// are no change.
func TestMovesAreNoChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, names, numbers, places := draw(t)
		before := s.write(names, numbers, places)
		order := rapid.Permutation(indices(len(names))).Draw(t, "order")
		var renamed []string
		var moved, kept []int
		for _, i := range order {
			name := names[i]
			if rapid.Bool().Draw(t, "rename") {
				name = "Other" + name
			}
			renamed = append(renamed, name)
			kept = append(kept, numbers[i])
			moved = append(moved, rapid.IntRange(0, 2).Draw(t, "to"))
		}
		edits := difference(before, s.write(renamed, kept, moved))
		for _, c := range TestChanges(kinds{}, edits, allFail) {
			t.Errorf("%+v", c)
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// TestDeletionIsSeen: a removed test is one undecided change, for all additions and moves beside
// it.
func TestDeletionIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, names, numbers, places := draw(t)
		before := s.write(names, numbers, places)
		gone := rapid.IntRange(0, len(names)-1).Draw(t, "gone")
		lost := names[gone]
		names = append(slices.Delete(names, gone, gone+1), "Fresh")
		numbers = append(slices.Delete(numbers, gone, gone+1), 9999)
		places = append(slices.Delete(places, gone, gone+1), rapid.IntRange(0, 2).Draw(t, "fresh"))
		edits := difference(before, s.write(names, numbers, places))
		var seen []string
		for _, c := range TestChanges(kinds{}, edits, allFail) {
			if c.Ruling == "" {
				seen = append(seen, c.Test)
			}
		}
		if len(seen) != 1 || !strings.HasSuffix(strings.ToLower(seen[0]), strings.ToLower(lost)) {
			t.Fatalf("%s is gone; changes of %q", lost, seen)
		}
	})
}

// TestRuleNeverInvents: for every section, Rule decides every change. It excuses nothing where the
// agent makes no claim and the section does not mention the test.
func TestRuleNeverInvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, names, numbers, places := draw(t)
		before := s.write(names, numbers, places)
		edits := difference(before, nil)
		section := rapid.StringMatching(`(?:(?:fix|clean|update|test|tests|config|remove|the|error|value)[ .]){0,12}`).Draw(t, "section")
		for _, c := range Rule(kinds{}, TestChanges(kinds{}, edits, allFail), edits, Section{Text: section}, nil, Contest) {
			if c.Ruling != "refused" {
				t.Fatalf("%q: %+v", section, c)
			}
		}
	})
}

// FuzzUnits: no text makes the comparison panic, and a text is no change of itself.
func FuzzUnits(f *testing.F) {
	for _, s := range suites {
		f.Add(s.file(1), s.header+s.test("A", 1))
	}
	f.Add("tests/a.js", "test.each`\n`(")
	f.Add("tests/a.py", "@x(\ndef test_a(")
	f.Add("tests/a.java", "@Test void x(")
	f.Add("tests/a.exs", "test \"a\" do")
	f.Fuzz(func(t *testing.T, file, text string) {
		if len(text) > 4096 {
			return
		}
		for _, u := range testunit.Units(file, text) {
			if u.First < 1 || u.Last > strings.Count(text, "\n")+2 {
				t.Fatalf("%+v of %d lines", u, strings.Count(text, "\n"))
			}
		}
		edits := []Edit{{Path: "tests/" + file, Old: text, New: text, OldMode: "100644", NewMode: "100644"}}
		if changes := TestChanges(kinds{}, edits, allFail); len(changes) > 0 {
			t.Fatalf("%+v", changes)
		}
	})
}
