package failure_test

import (
	"testing"

	"autobuild/failure"
)

// What was expected and what came is found in the words of each runner.
func TestCompared(t *testing.T) {
	for l, want := range map[string][2]string{
		"    Expected: 4":        {"4", ""},
		"    Received: 5":        {"", "5"},
		"Expected: \"the user\"": {`"the user"`, ""},
		"AssertionError: expected 5 to be 4 // Object.is equality": {"4", "5"},
		"expected { a: 1 } to deeply equal { a: 2 }":               {"{ a: 2 }", "{ a: 1 }"},
		"E       assert 3 == 4":                                    {"4", "3"},
		"E   AssertionError: assert total(2) == 4.2":               {"4.2", "total(2)"},
		"AssertionError: 3 != 4":                                   {"4", "3"},
		"Sum(2, 3) = 6, want 5":                                    {"5", "6"},
		"got 6, want 5":                                            {"5", "6"},
		"got: 6 want: 5":                                           {"5", "6"},
		"expected 4, got 5":                                        {"4", "5"},
		"expected: 4":                                              {"4", ""},
		"  actual: 5":                                              {"", "5"},
		"  left: 5":                                                {"", "5"},
		" right: 4":                                                {"4", ""},
		"validateToken returns null":                               {"", ""},
		"connection refused":                                       {"", ""},
	} {
		if expected, received := failure.Compared(l); [2]string{expected, received} != want {
			t.Errorf("%q: expected %q, received %q; want %q", l, expected, received, want)
		}
	}
}

// One wording of a failing test: name, place, what was expected and received, each once.
func TestTestIsWordedOnce(t *testing.T) {
	for want, test := range map[string]failure.Test{
		"rounds (vat.test.ts:7): expected 4, received 5": {
			Name: "rounds", File: "vat.test.ts", Line: 7, Message: "expect(received).toBe(expected) // Object.is equality", Expected: "4", Received: "5",
		},
		"TestSum (sum_test.go): expected 5, received 6": {Name: "TestSum", File: "sum_test.go", Message: "Sum(2, 3) = 6, want 5", Expected: "5", Received: "6"},
		"a: no such table; expected 1, received 0":      {Name: "a", Message: "no such table", Expected: "1", Received: "0"},
		"a: validateToken returns null":                 {Name: "a", Message: "validateToken returns null"},
		"a (x.py:3)":                                    {Name: "a", File: "x.py", Line: 3},
		"a: expected 1":                                 {Name: "a", Expected: "1"},
	} {
		if got := test.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
