package knowledge

import (
	"testing"

	"autobuild/failure"
)

// Boilerplate of a framework teaches nothing: headers, names of files, counts, the values of an
// assertion.
func TestBoilerplateTeachesNothing(t *testing.T) {
	for _, said := range []string{
		"expect(received).toEqual(expected) // deep equality", "expect(received).toBe(expected) // Object.is equality",
		"FAIL auth.test.ts", "FAIL src/auth.test.ts", "--- FAIL: TestAuth (0.00s)", "AssertionError: assert 3 == 4", "expected 3, got 4",
		"3 tests failed", "Expected: 5", "Tests: 1 failed, 1 total", "1 failed in 0.03s", "exit status 1", "got 1, want 2",
		"docs/REPORT.md does not exist", "error: test failed", "AssertionError", "FAILED tests/test_vat.py::test_round - AssertionError: assert 3 == 4", "not ok 3 - vat_rounds", "ERROR: 2 errors found",
	} {
		d := failure.Diagnosis{
			Type: failure.TestFailure, Gate: "test", Message: "1 test failing", Fingerprint: "f", Tests: []failure.Test{{Name: "logs in", Message: said}},
		}
		if b, name := (&Book{}).Learn(Lesson{Failure: d, Fix: "x", On: day1}); name != "" {
			t.Errorf("%q taught %s", said, b.JSON())
		}
		d.Tests, d.Details = nil, "$ npm test\nfailed with exit code 1\n"+said
		if b, name := (&Book{}).Learn(Lesson{Failure: d, Fix: "x", On: day1}); name != "" {
			t.Errorf("%q in the output taught %s", said, b.JSON())
		}
	}
	for _, said := range []string{
		"validateToken returns null instead of the user object", "database is locked by another process", "listen EADDRINUSE: address already in use",
		"Cannot find module 'pg'", "relation users has no column email",
	} {
		if !informative(said) {
			t.Errorf("%q says nothing", said)
		}
	}
}

// An entry that a run has learned matches only failures of the same test, file or symbol, however
// alike the words are; boilerplate that an earlier version has learned matches nothing.
func TestMatchNeedsTheSameSubject(t *testing.T) {
	vat := failure.Diagnosis{
		Type: failure.TestFailure, Gate: "test", Message: "1 test failing in vat.test.ts",
		Tests: []failure.Test{{Name: "rounds the sum", File: "vat.test.ts", Message: "the returned value of roundVat is wrong by one cent"}},
	}
	for name, c := range map[string]struct {
		entry Entry
		found bool
	}{
		"boilerplate, word for word": {Entry{Trigger: "expect(received).toEqual(expected) // deep equality"}, false},
		"like words, another symbol": {Entry{Trigger: "the returned value of validateToken is wrong by one user", About: []string{"auth.test.ts"}}, false},
		"few words, elsewhere":       {Entry{Trigger: "is wrong by", About: []string{"price.test.ts"}}, false},
		"many words, elsewhere":      {Entry{Trigger: "the returned value of", About: []string{"price.test.ts"}}, false},
		"a whole sentence":           {Entry{Trigger: "is wrong by one cent", About: []string{"price.test.ts"}}, true},
		"the same file":              {Entry{Trigger: "wrong by one", About: []string{"vat.test.ts"}}, true},
		"the same symbol":            {Entry{Trigger: "the value of roundVat is wrong by one cent"}, true},
	} {
		c.entry.Name, c.entry.Status, c.entry.Type, c.entry.Gate, c.entry.Fix = "x", Proposal, failure.TestFailure, "test", "do it"
		d := vat
		if name == "boilerplate, word for word" {
			d.Details = c.entry.Trigger
		}
		if m := newBook([]Entry{c.entry}).Match(d); (m != nil) != c.found {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
