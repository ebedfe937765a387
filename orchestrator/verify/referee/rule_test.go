package referee

import (
	"strings"
	"testing"

	"autobuild/state"
)

const pricing = `const { total, round } = require('../src/price')

test('total of an order', () => {
  expect(total([10, 20])).toBe(30)
})

test('rounds half up', () => {
  expect(round(2.5)).toBe(3)
  expect(round(3.5)).toBe(4)
})
`

// replaced is the difference of one file in which a text is another.
func replaced(t *testing.T, file, text, old, now string) []Edit {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q does not stand in the text", old)
	}
	return []Edit{edit(file, text, strings.Replace(text, old, now, 1))}
}

func outcome(failing, broken string) Outcome {
	o := Outcome{Ran: true, Passing: map[string]bool{Key("tests/price.test.js", "other"): true}}
	if failing != "" {
		o.Failing = map[string]bool{Key("", failing): true}
	}
	if broken != "" {
		o.Broken = map[string]bool{broken: true}
	}
	o.Passed = failing+broken == ""
	return o
}

// TestRulings: one change of a test of a price list, the result of the referee run, the section's
// text, and the ruling.
func TestRulings(t *testing.T) {
	const file = "tests/price.test.js"
	cut := func(name string) string {
		_, rest, _ := strings.Cut(pricing, "test('"+name)
		body, _, _ := strings.Cut(rest, "\n})\n")
		return "test('" + name + body + "\n})\n"
	}
	half := cut("rounds half up")
	for _, c := range []struct {
		name, old, now  string
		failing, broken string
		section         string
		cause           state.RefereeCause
		ruling          state.RefereeRuling
	}{
		{"a value, unasked", "toBe(4)", "toBe(3)", "rounds half up", "", "Fix the tests of prices.", state.CauseValue, state.RulingRefused},
		{"a value, the file alone", "toBe(4)", "toBe(3)", "rounds half up", "", "Update tests/price.test.js.", state.CauseValue, state.RulingRefused},
		{"a value, the function", "toBe(4)", "toBe(3)", "rounds half up", "", "Make `round` round half to even.", state.CauseValue, state.RulingAsked},
		{"a value, forbidden", "toBe(4)", "toBe(3)", "rounds half up", "", "Do not change what `round` returns.", state.CauseValue, state.RulingRefused},
		{"a value that still passes", "toBe(4)", "toBe(2 + 2)", "", "", "", state.CauseValue, state.RulingRecorded},
		{"a removal, unasked", half, "", "rounds half up", "", "Clean up the price module.", state.CauseRemoved, state.RulingRefused},
		{"a removal, its name", half, "", "rounds half up", "", "The test \"rounds half up\" is obsolete.", state.CauseRemoved, state.RulingAsked},
		{"a removal, its function", half, "", "", file, "Remove `round`: nothing uses it.", state.CauseRemoved, state.RulingAsked},
		{"a removal, its function moves", half, "", "", file, "Move `round` into a file of its own.", state.CauseRemoved, state.RulingRefused},
		{"a value, renamed", "toBe(4)", "toBe(3)", "rounds half up", "", "Rename `round` to `rounded`.", state.CauseValue, state.RulingRefused},
		{"a value, kept", "toBe(4)", "toBe(3)", "rounds half up", "", "Use it in `round`; what it returns stays the same.", state.CauseValue, state.RulingRefused},
		{"a value, the agent's words", "expect(round(3.5)).toBe(4)", "let halfUp = 3; expect(round(3.5)).toBe(halfUp)", "rounds half up", "", "Add a tax, half up.", state.CauseValue, state.RulingRefused},
		{"a removal, forbidden", half, "", "", file, "Do not remove `round`.", state.CauseRemoved, state.RulingRefused},
		{"a removal, general words", half, "", "rounds half up", "", "Remove the old test of values.", state.CauseRemoved, state.RulingRefused},
		{"a removal that still passes", half, "", "", "", "", state.CauseRemoved, state.RulingRecorded},
		{"skipped", "test('rounds", "test.skip('rounds", "rounds half up", "", "", state.CauseSkipped, state.RulingRefused},
		{"emptied", "  expect(round(2.5)).toBe(3)\n  expect(round(3.5)).toBe(4)\n", "", "rounds half up", "", "", state.CauseEmptied, state.RulingRefused},
		{"fewer assertions, cannot run", "  expect(round(3.5)).toBe(4)\n", "", "", file, "", state.CauseEmptied, state.RulingRefused},
		{"adapted", "round(3.5)", "round(3.5, 'up')", "", file, "", state.CauseAdapted, state.RulingAdapted},
		{"cannot run, another value", "round(3.5)).toBe(4)", "round(3.5, 'up')).toBe(3)", "", file, "", state.CauseValue, state.RulingRefused},
		{"cannot run, a weaker matcher", "toBe(4)", "toBeGreaterThan(0)", "", file, "", state.CauseValue, state.RulingRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			edits := replaced(t, file, pricing, c.old, c.now)
			if strings.HasPrefix(c.section, "Remove `round`") {
				edits = append(edits, edit("src/numbers.js", "export function round(n) {}\n", "// nothing\n"))
			}
			changes := Rule(kinds{}, TestChanges(kinds{}, edits, outcome(c.failing, c.broken)), edits, Section{Text: c.section}, nil, Contest)
			if len(changes) != 1 || changes[0].Cause != c.cause || changes[0].Ruling != c.ruling || changes[0].Test != "rounds half up" {
				t.Errorf("want %s, %s: %+v", c.cause, c.ruling, changes)
			}
		})
	}
}

// TestTrivialSwap: another test without meaning does not replace the one that is gone.
func TestTrivialSwap(t *testing.T) {
	edits := []Edit{edit("tests/a_test.go", rounding, ""), edit("tests/b_test.go", "", "package a\n\nfunc TestMul(t *testing.T) {\n\tif Mul(1, 1) != 1 {\n\t\tt.Error()\n\t}\n}\n")}
	changes := TestChanges(kinds{}, edits, Outcome{Ran: true, Failing: map[string]bool{Key("tests", "TestRound"): true, Key("tests", "TestOther"): true}})
	if len(changes) != 2 || changes[0].Cause != state.CauseRemoved || changes[1].Cause != state.CauseRemoved || changes[0].Ruling != "" {
		t.Errorf("%+v", changes)
	}
}

// TestMovedWhereNoRunnerLooks: a test that moved to a file that its runner does not collect counts
// as removed.
func TestMovedWhereNoRunnerLooks(t *testing.T) {
	for _, to := range []string{"tests/helpers.js", "tests/price.test.js.bak"} {
		edits := []Edit{edit("tests/price.test.js", pricing, ""), edit(to, "", pricing)}
		for _, c := range TestChanges(kinds{}, edits, outcome("rounds half up", "")) {
			if c.Cause != state.CauseRemoved && c.Test != "" {
				t.Errorf("%s: %+v", to, c)
			}
		}
		if len(TestChanges(kinds{}, edits, outcome("rounds half up", ""))) < 2 {
			t.Errorf("%s: not seen", to)
		}
	}
}

// TestParametrised: tests that became the rows of one test are recorded where the base's still
// pass.
func TestParametrised(t *testing.T) {
	_, rest, _ := strings.Cut(pricing, "test('rounds")
	table := "test.each([[2.5, 3], [3.5, 4]])('rounds %d', (n, want) => { expect(round(n)).toBe(want) })\n"
	edits := replaced(t, "tests/price.test.js", pricing, "test('rounds"+rest, table)
	changes := TestChanges(kinds{}, edits, outcome("", ""))
	if len(changes) != 1 || changes[0].Ruling != state.RulingRecorded {
		t.Errorf("%+v", changes)
	}
}

// TestClaims: a claim excuses exactly the changes that it names, with a meaningful reason.
func TestClaims(t *testing.T) {
	edits := []Edit{edit("tests/price.test.js", pricing, "// nothing\nconst x = 1\n")}
	run := outcome("rounds half up", "")
	run.Failing[Key("", "total of an order")] = true
	for name, c := range map[string]struct {
		claims []state.ClaimedChange
		mode   Mode
		want   [2]state.RefereeRuling // total of an order, rounds half up
	}{
		"none":         {nil, Contest, [2]state.RefereeRuling{state.RulingRefused, state.RulingRefused}},
		"one":          {[]state.ClaimedChange{{File: "tests/price.test.js", Test: "rounds half up", Why: "it is half to even"}}, Contest, [2]state.RefereeRuling{state.RulingRefused, state.RulingContested}},
		"the file":     {[]state.ClaimedChange{{File: "./tests/price.test.js", Why: "prices are gone for good"}}, Contest, [2]state.RefereeRuling{state.RulingContested, state.RulingContested}},
		"another file": {[]state.ClaimedChange{{File: "tests/other.test.js", Why: "prices are gone for good"}}, Contest, [2]state.RefereeRuling{state.RulingRefused, state.RulingRefused}},
		"no reason":    {[]state.ClaimedChange{{File: "tests/price.test.js", Why: "n/a"}, {File: "tests/price.test.js", Why: "no no no"}}, Contest, [2]state.RefereeRuling{state.RulingRefused, state.RulingRefused}},
		"strict":       {[]state.ClaimedChange{{File: "tests/price.test.js", Why: "prices are gone for good"}}, Strict, [2]state.RefereeRuling{state.RulingRefused, state.RulingRefused}},
		"off":          {nil, Off, [2]state.RefereeRuling{state.RulingRecorded, state.RulingRecorded}},
	} {
		got := [2]state.RefereeRuling{}
		for _, change := range Rule(kinds{}, TestChanges(kinds{}, edits, run), edits, Section{}, c.claims, c.mode) {
			switch change.Test {
			case "total of an order":
				got[0] = change.Ruling
			case "rounds half up":
				got[1] = change.Ruling
			}
		}
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestGroups: eleven tests of one removed function are one thing to decide.
func TestGroups(t *testing.T) {
	var tests strings.Builder
	for _, name := range []string{"A", "B", "C"} {
		tests.WriteString("func Test" + name + "(t *testing.T) {\n\tif Legacy(\"" + name + "\") != 1 {\n\t\tt.Error()\n\t}\n}\n")
	}
	edits := []Edit{edit("tests/a_test.go", "package a\n"+tests.String(), ""), edit("a.go", "package a\n\nfunc Legacy(s string) int { return 1 }\n", "package a\n")}
	run := Outcome{Ran: true, Broken: map[string]bool{"tests": true}}
	claim := []state.ClaimedChange{{File: "tests/a_test.go", Why: "the old interface is gone"}}
	changes := Rule(kinds{}, TestChanges(kinds{}, edits, run), edits, Section{}, claim, Contest)
	if len(changes) != 3 {
		t.Fatalf("%+v", changes)
	}
	for _, c := range changes {
		if c.Group != "Legacy is gone" || c.Ruling != state.RulingContested {
			t.Errorf("%+v", c)
		}
	}
}

// TestGateAsked: a changed gate has to be named together with a verb and with something of the
// changed lines.
func TestGateAsked(t *testing.T) {
	edits := replaced(t, "package.json", "{\n  \"scripts\": {\n    \"test\": \"node --test\"\n  }\n}\n", "node --test", "true")
	changes := []state.RefereeChange{{Cause: state.CauseGate, File: "package.json", Test: "scripts.test"}}
	for section, want := range map[string]state.RefereeRuling{
		"Fix the failing test.":              state.RulingRefused,
		"Update package.json.":               state.RulingRefused,
		"Change the test script of the app.": state.RulingRefused,
	} {
		if got := Rule(kinds{}, changes, edits, Section{Text: section}, nil, Contest)[0].Ruling; got != want {
			t.Errorf("%s: %s", section, got)
		}
	}
	edits = replaced(t, "package.json", "{\n  \"scripts\": {\n    \"test\": \"node --test\"\n  }\n}\n", "node --test", "vitest run --coverage.threshold=85")
	if got := Rule(kinds{}, changes, edits, Section{Text: "Set the coverage threshold in `package.json` to 85 and use vitest."}, nil, Contest)[0].Ruling; got != state.RulingAsked {
		t.Errorf("asked for: %s", got)
	}
}

// TestFailingThoughUntouched: a test that passes only with what the work added to the tests is a
// change itself.
func TestFailingThoughUntouched(t *testing.T) {
	edits := []Edit{edit("tests/a_test.go", rounding, rounding+"\nfunc init() { mode = \"test\" }\n")}
	changes := TestChanges(kinds{}, edits, Outcome{Ran: true, Failing: map[string]bool{Key("tests", "TestRound"): true}})
	if len(changes) != 1 || changes[0].Test != "TestRound" || changes[0].Ruling != "" {
		t.Errorf("%+v", changes)
	}
}

// TestFixtures: a fixture counts where a test that may read it fails, by name where subtests have
// its name.
func TestFixtures(t *testing.T) {
	edits := []Edit{
		edit("tests/testdata/one.golden", "total 3\n", "total 4\n"),
		edit("tests/testdata/two.golden", "total 5\n", "total 6\n"),
	}
	for failing, want := range map[string][2]state.RefereeRuling{
		"TestGolden/one": {"", state.RulingRecorded},
		"TestGolden":     {"", ""},
		"":               {state.RulingRecorded, state.RulingRecorded},
	} {
		run := Outcome{Ran: true, Passed: failing == ""}
		if failing != "" {
			run.Failing = map[string]bool{Key("tests", failing): true}
		}
		changes := TestChanges(kinds{}, edits, run)
		if len(changes) != 2 || changes[0].Ruling != want[0] || changes[1].Ruling != want[1] {
			t.Errorf("%q: %+v", failing, changes)
		}
	}
	run := Outcome{Ran: true, Failing: map[string]bool{Key("other", "TestX"): true}}
	for _, c := range TestChanges(kinds{}, edits, run) {
		if c.Ruling != state.RulingRecorded {
			t.Errorf("of another package: %+v", c)
		}
	}
}

// TestUnseen: a test that nothing touched and that was not seen again has been switched off.
func TestUnseen(t *testing.T) {
	base := files{"tests/a_test.go": rounding}
	before := Outcome{Ran: true, Passed: true, Passing: map[string]bool{Key("tests", "TestRound"): true, Key("tests", "TestOther"): true}}
	now := Outcome{Ran: true, Passed: true, Passing: map[string]bool{Key("tests", "TestOther"): true}}
	found := Unseen(kinds{}, base, nil, before, now, Outcome{Ran: true, Passed: true})
	if len(found) != 1 || found[0].Test != "TestRound" || found[0].Ruling != "" {
		t.Errorf("%+v", found)
	}
	if found = Unseen(kinds{}, base, nil, before, now, before); len(found) != 1 || found[0].Ruling != state.RulingRecorded {
		t.Errorf("seen in the referee run: %+v", found)
	}
}

// files is a tree in memory.
type files map[string]string

func (f files) Paths() []string {
	var all []string
	for name := range f {
		all = append(all, name)
	}
	return all
}

func (f files) Read(name string) (string, bool) { text, ok := f[name]; return text, ok }
func (f files) Mode(string) string              { return "100644" }
