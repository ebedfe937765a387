package referee

import (
	"strings"
	"testing"

	"autobuild/state"
)

// kinds classifies by suffix alone.
type kinds struct{}

func (kinds) Program(string) bool { return false }

func (kinds) Class(file string) Class {
	if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "tests/") {
		return Test
	}
	return Product
}

const rounding = `package a

import "testing"

func TestRound(t *testing.T) {
	if got := Round(2.5); got != 3 {
		t.Errorf("Round: %v", got)
	}
}

func TestOther(t *testing.T) {
	for _, c := range []struct{ in, want int }{{10, 20}, {30, 60}} {
		if got := Double(c.in); got != c.want {
			t.Error(got)
		}
	}
}
`

func edit(file, before, after string) Edit {
	e := Edit{Path: file, Old: before, New: after, OldMode: "100644", NewMode: "100644"}
	if before == "" {
		e.OldMode = ""
	}
	if after == "" {
		e.NewMode = ""
	}
	return e
}

var failed = Outcome{Ran: true, Passing: map[string]bool{Key(".", "TestOther"): true}, Failing: map[string]bool{Key(".", "TestRound"): true}}

func TestValueHasToBeAskedFor(t *testing.T) {
	edits := []Edit{edit("a_test.go", rounding, strings.Replace(rounding, "got != 3", "got != 2", 1))}
	changes := TestChanges(kinds{}, edits, failed)
	if len(changes) != 1 || changes[0].Cause != state.CauseValue || changes[0].Test != "TestRound" {
		t.Fatalf("changes: %+v", changes)
	}
	for section, want := range map[string]state.RefereeRuling{
		"Fix the tests of the module in a_test.go and update the values.": state.RulingRefused,
		"Let `Round` round half to even.":                                 state.RulingAsked,
		"Do not change Round.":                                            state.RulingRefused,
	} {
		if got := Rule(kinds{}, changes, edits, Section{Text: section}, nil, Contest)[0].Ruling; got != want {
			t.Errorf("%s: %s, want %s", section, got, want)
		}
	}
	claim := []state.ClaimedChange{{File: "a_test.go", Test: "TestRound", Why: "half to even is the bank's rule"}}
	if got := Rule(kinds{}, changes, edits, Section{}, claim, Contest)[0].Ruling; got != state.RulingContested {
		t.Errorf("claimed: %s", got)
	}
	if got := Rule(kinds{}, changes, edits, Section{}, claim, Strict)[0].Ruling; got != state.RulingRefused {
		t.Errorf("claimed, strict: %s", got)
	}
}

// A runner that names files alone has seen all their tests, unless it skipped some somewhere.
func TestSawWhole(t *testing.T) {
	files := map[string]bool{Key("a.test.js", ""): true, Key("b.test.js", ""): true, Key("b.test.js", "one"): true}
	for _, tt := range []struct {
		file  string
		skips bool
		want  bool
	}{{"a.test.js", false, true}, {"a.test.js", true, false}, {"b.test.js", false, false}, {"c.test.js", false, false}, {"", false, false}} {
		o := Outcome{Passing: files, Skips: tt.skips}
		if got := o.sawWhole(tt.file); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
	was := Outcome{Passing: map[string]bool{Key("a.test.js", "adds"): true}}
	if why := NewMap(tree{}, nil).Needed(nil, was, Outcome{Passing: files}); why != "" {
		t.Errorf("a referee run is needed: %s", why)
	}
}
