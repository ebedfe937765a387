package diagnose_test

import (
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/failure/diagnose"
)

// The agent's words about its failure decide whether passing gates refute it. A wrong upgrade lands
// work that its author warns of; a missed one costs a retry. So the first two lists are held to the
// last sentence, and no sentence of them may be refutable.
func TestRead(t *testing.T) {
	for want, accounts := range map[diagnose.Reading][]string{
		diagnose.Undecided: {
			"The tax rate is not given; I guessed. Do not merge.",
			"I assumed 19 % VAT, the plan does not say.",
			"Tests fail because the requirement for rounding is missing.",
			"The spec contradicts the existing tests, so two of them fail.",
			"Which of the two APIs should be used?",
			"A decision on the storage format is needed before this can land.",
			"All tests pass but the retention period is unclear.",
			"Lint fails, and I don't know whether generated files should be excluded.",
			"This must not be merged before legal has approved the text.",
			"The expected values in the tests are made up.",
			"I used a placeholder for the customer number.",
			"It is ambiguous what \"recent\" means.",
			"Please confirm the column names.",
			"The currency is never specified.",
			"Needs a human to choose the licence.",
			"Two interpretations are possible; I implemented the first.",
			"The acceptance criteria are vague about errors.",
			"I invented the discount table.",
			"The endpoint's path is not documented, so the test fails.",
			"Waiting for the product owner.",
			"Test failures: expected 3, got 4, depending on which rate applies.",
			"Don't ship this.",
			"Not ready to be merged.",
			"How is the total to be rounded?",
			"Someone has to decide about the migration.",
			"The build fails unless the unknown vendor id is replaced.",
		},
		diagnose.Unclear: {
			"",
			"It is hard.",
			"lint is slow",
			"The feature does not work in Safari.",
			"I ran out of time.",
			"I hard-coded the result so that the tests do not fail.",
			"All tests pass but users lose their sessions.",
			"No test fails, yet the file is corrupted.",
			"The API needs credentials.",
			"Only half of the pages are converted.",
			"Could not reach the database.",
			"I deleted the failing tests.",
			"The tests fail and I disabled two of them.",
			"There is a security problem in the login.",
			"The result is wrong for negative numbers.",
			"I skipped the migration.",
			"Die Prüfung schlägt fehl.",
			"something went wrong",
			"error",
			"Memory use grows with every request.",
			"The network was down, so tests failed.",
			"The page renders, but looks broken on phones.",
			"It fails.",
			"The tests fail. The importer drops every second row.",
			"Stubbed the mailer.",
		},
		diagnose.Refutable: {
			"2 tests fail.",
			"The tests are still failing.",
			"Lint fails with 3 errors",
			"TestLogin fails: expected 200, got 500",
			"I could not get the tests to pass.",
			"could not make the test suite green",
			"go test exits with code 1",
			"mypy reports type errors in app.py",
			"tsc fails.\nsrc/a.ts:3:1 - error TS2304",
			"The type check does not pass.",
			"gofmt complains about main.go",
			"Prettier fails on two files.",
			"The code does not compile: compile error in main.go",
			"The build is broken.",
			"All tasks are done. The tests do not pass.",
			"Tests fail. I could not find the cause.",
			"--- FAIL: TestAdd (0.00s)\nexit status 1\ntests fail",
			"pytest: 1 failed",
			"golangci-lint exited with 1: lint errors",
			"One flaky test fails now and then.",
			"The integration tests timed out.",
			"npm test fails; giving up.",
			"The formatter check fails.",
			"Please see the log. 4 tests failed.",
			"The test test_total is red.",
			"Unit tests crash with a nil pointer.",
			"eslint finds 12 violations",
			"assertion failed in TestParse",
			"The tests won't pass: tests never pass on this machine.",
			"Implementation is complete. One test fails.",
		},
	} {
		if len(accounts) < 20 {
			t.Errorf("%s: only %d accounts", want, len(accounts))
		}
		for _, text := range accounts {
			if got, kinds := diagnose.Read(failure.Claim{Error: text}); got != want {
				t.Errorf("%q: %s %v, want %s", text, got, kinds, want)
			}
		}
	}
}

// The kinds are those of the gates that would have to fail.
func TestReadKinds(t *testing.T) {
	for _, c := range []struct {
		claim failure.Claim
		want  string
	}{
		{failure.Claim{Type: failure.TestFailure}, "test"},
		{failure.Claim{Type: failure.LintError, Error: "eslint fails"}, "lint"},
		{failure.Claim{Gates: []string{"smoke failed", "test passed"}}, "smoke"},
		{failure.Claim{Error: "tests and lint fail"}, "lint test"},
		{failure.Claim{Type: failure.TaskIncomplete, Error: "tests fail"}, ""},
		{failure.Claim{Type: "ambiguity", Error: "tests fail"}, ""},
		{failure.Claim{Category: "AMBIGUITY", Error: "tests fail"}, ""},
	} {
		if _, kinds := diagnose.Read(c.claim); strings.Join(kinds, " ") != c.want {
			t.Errorf("%+v: %v, want %s", c.claim, kinds, c.want)
		}
	}
}
