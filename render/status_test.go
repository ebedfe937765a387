package render

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/state"
)

// TestStatusFits: no row is wider than the screen, and of a failure no word is lost.
func TestStatusFits(t *testing.T) {
	run := &halted(t, nil).run
	live := going(t)
	failed := "test_failure: 3 tests failing - validateToken returns null instead of user object"
	rapid.Check(t, func(rt *rapid.T) {
		s := anyStyle(rt, 24)
		for _, alive := range []bool{true, false} {
			for _, text := range []string{Status(run, alive, midnight, s), Status(&live.run, alive, live.now, s), Status(partial(t), alive, midnight, s)} {
				for row := range strings.SplitSeq(sgr.ReplaceAllString(text, ""), "\n") {
					if Width(row) > s.Width {
						rt.Fatalf("%d cells in %d columns: %q", Width(row), s.Width, row)
					}
				}
			}
		}
		words := strings.Join(strings.Fields(sgr.ReplaceAllString(Status(run, false, midnight, s), "")), " ")
		if !strings.Contains(words, failed) {
			rt.Fatalf("in %d columns the error is cut:\n%s", s.Width, words)
		}
	})
}

// TestStanding: how a run stands follows from its end, from what is left, and from whether somebody works on it.
func TestStanding(t *testing.T) {
	done, part, halt, live := hard(t), partial(t), &halted(t, nil).run, &going(t).run
	for _, c := range []struct {
		run          *state.Run
		alive        bool
		status, says string
	}{
		{live, true, "running", ", running\n2 of 6 phases complete, 2 running, 1 interrupted, 1 not started"},
		{live, false, "cut_off", ", cut off\nIt was cut off: nobody is running it; autobuild docs/feature-plan.md --resume goes on.\n2 of 6 phases complete, 3 interrupted"},
		{part, false, "part_complete", ", part complete\n2 of 6 phases complete, 4 not started"},
		{halt, false, "halted", ", halted\nPhase 2A failed after retry\n"},
		{done, false, "complete", ", complete\n6 phases complete"},
		{done, true, "complete", ", complete\n"}, // it has just ended
	} {
		text := Status(c.run, c.alive, midnight, Style{Width: 120})
		has(t, text, c.says)
		lacks(t, text, "all phases complete")
		raw, err := StatusJSON(c.run, c.alive)
		check(t, err)
		var doc struct {
			Status string
			Alive  bool
			Phases []struct {
				Label       string
				Interrupted bool
			}
		}
		check(t, json.Unmarshal(raw, &doc))
		if doc.Status != c.status || doc.Alive != c.alive {
			t.Errorf("status %q, alive %t; want %q, %t", doc.Status, doc.Alive, c.status, c.alive)
		}
		for i, p := range doc.Phases {
			if want := interrupted(&c.run.Phases[i], c.alive); p.Interrupted != want {
				t.Errorf("phase %s interrupted %t, want %t", p.Label, p.Interrupted, want)
			}
		}
	}
}

// TestInterruptedIsNotPending: a phase that was stopped says so on every screen, one that never began does not.
func TestInterruptedIsNotPending(t *testing.T) {
	run := stopped(t, state.Interrupted, "interrupted by Ctrl-C")
	has(t, Status(run, false, midnight, Style{}), "Setup                 interrupted", "Backend               pending")
	has(t, Explain(&run.Phases[1], "", Style{}), "interrupted, 0 of 2 attempts", "It was stopped from outside")
	lacks(t, Explain(&run.Phases[1], "", Style{}), "Nothing has failed")
	has(t, Explain(&run.Phases[2], "", Style{}), "pending, 0 of 2 attempts", "Nothing has failed.")
}

// TestExplainRepeats: what an attempt met again is told once; what is new of it is told.
func TestExplainRepeats(t *testing.T) {
	p := &halted(t, nil).run.Phases[2]
	text := Explain(p, "", Style{})
	has(t, text, "Attempt 2: test_failure, as in attempt 1\n", ".autobuild/logs/phase-2a.1.log\n", ".autobuild/logs/phase-2a.2.log\n")
	for _, once := range []string{"validateToken returns null", "refreshToken", "What to do", "Fix the failing tests"} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("%q stands there %d times:\n%s", once, n, text)
		}
	}
	p.Attempts[1].Failure = &failure.Diagnosis{Type: failure.LintError, Message: "2 errors", Fingerprint: "other"}
	text = Explain(p, "", Style{})
	has(t, text, "Attempt 2: lint_error\n  2 errors\n")
	lacks(t, text, "as in attempt", "What to do")
}
