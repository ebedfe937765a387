package referee

import (
	"testing"

	"autobuild/state"
)

// A line that follows a rename may differ in the name alone.
func TestRenames(t *testing.T) {
	for name, c := range map[string]struct {
		old, now string
		want     int
	}{
		"one name":                      {"a(1)\nb(a)", "c(1)\nb(c)", 1},
		"in a command of the shell":     {`same "$(a 1)" 2`, `same "$(c 1)" 2`, 1},
		"in a path":                     {`require("./a")`, `require("./c")`, 1},
		"nothing":                       {"a(1)", "a(1)", 0},
		"another number":                {"a(1)", "c(2)", 0},
		"another text":                  {`a("a")`, `c("c")`, 0},
		"two names for one":             {"a(1)\na(2)", "c(1)\nd(2)", 0},
		"one name for two":              {"a(1)\nb(2)", "c(1)\nc(2)", 0},
		"a line more":                   {"a(1)", "c(1)\nexit 0", 0},
		"a name in an operator's place": {"a + b", "a c b", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := renames(c.old, c.now); len(got) != c.want {
				t.Errorf("%d renames, want %d: %v", len(got), c.want, got)
			}
		})
	}
}

// A rename has to be the product's own: the old name gone, the new one new.
func TestRenamed(t *testing.T) {
	base := tree{"lib.sh": "a() {\n}\nb() {\n}\n", "tests/run.sh": "a 1\n"}
	m := NewMap(base, []state.GateSpec{{Name: "test", Kind: "test", Command: "sh tests/run.sh", Available: true}})
	for name, c := range map[string]struct {
		lib, script string
		want        state.RefereeRuling
	}{
		"the product's":         {"c() {\n}\nb() {\n}\n", "c 1\n", state.RulingAdapted},
		"to what was there":     {"b() {\n}\n", "b 1\n", ""},
		"of what is there":      {"a() {\n}\nb() {\n}\nc() {\n}\n", "c 1\n", ""},
		"to what is not there":  {"b() {\n}\nd() {\n}\n", "c 1\n", ""},
		"and another value too": {"c() {\n}\nb() {\n}\n", "c 2\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			edits := []Edit{
				{Path: "lib.sh", OldMode: "100644", NewMode: "100644", Old: base["lib.sh"], New: c.lib},
				{Path: "tests/run.sh", OldMode: "100644", NewMode: "100644", Old: base["tests/run.sh"], New: c.script},
			}
			got := m.Renamed([]state.RefereeChange{{File: "tests/run.sh", Cause: state.CauseGate}}, edits)
			if got[0].Ruling != c.want {
				t.Errorf("ruling %q, want %q", got[0].Ruling, c.want)
			}
		})
	}
}
