package render

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

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
			for _, text := range []string{Status(run, Ending{}, alive, midnight, s), Status(&live.run, Ending{}, alive, live.now, s), Status(partial(t), Ending{}, alive, midnight, s)} {
				for row := range strings.SplitSeq(sgr.ReplaceAllString(text, ""), "\n") {
					if Width(row) > s.Width {
						rt.Fatalf("%d cells in %d columns: %q", Width(row), s.Width, row)
					}
				}
			}
		}
		words := strings.Join(strings.Fields(sgr.ReplaceAllString(Status(run, Ending{}, false, midnight, s), "")), " ")
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
		{live, false, "cut_off", ", cut off\nIt was cut off: nobody is running it, and nothing that was recorded is lost.\n2 of 6 phases complete, 3 interrupted"},
		{part, false, "part_complete", ", part complete\n2 of 6 phases complete, 4 not started"},
		{halt, false, "halted", ", halted\nPhase 2A failed after retry\n"},
		{done, false, "complete", ", complete\n6 phases complete"},
		{done, true, "complete", ", complete\n"}, // it has just ended
	} {
		text := Status(c.run, Ending{}, c.alive, midnight, Style{Width: 120})
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

// TestCutOffTooOften: what no resume starts is not said to start on resume, and what lets it go on stands before the command that resumes.
func TestCutOffTooOften(t *testing.T) {
	live := &going(t).run
	var stuck []int
	for i := range live.Phases {
		if p := &live.Phases[i]; p.Status == state.Running {
			p.CutOff, stuck = state.MaxCutOff, append(stuck, i)
			p.Cut = state.CutOff{Memory: true}
			p.Cuts = []state.CutOff{p.Cut, p.Cut}
		}
	}
	reset := "autobuild reset " + live.Phases[stuck[0]].Label + " " + live.Phases[stuck[1]].Label
	resume := Ending{Resume: []string{"autobuild", "plan.md", "--resume"}}
	text := Status(live, resume, false, midnight, Style{Width: 120})
	has(t, text, "cut off 3 times in a row", reset)
	if strings.Index(text, reset) > strings.Index(text, "plan.md --resume") {
		t.Errorf("the reset comes too late:\n%s", text)
	}
	lacks(t, Status(live, resume, true, midnight, Style{Width: 120}), "cut off", "autobuild reset")
	has(t, Explain(explained(live, stuck[0]), Style{}), "It was cut off 3 times in a row", " logs "+live.Phases[stuck[0]].Label, " reset "+live.Phases[stuck[0]].Label)
}

// TestInterruptedIsNotPending: a phase that was stopped says so on every screen, one that never began does not.
func TestInterruptedIsNotPending(t *testing.T) {
	run := stopped(t, state.Interrupted, "interrupted by Ctrl-C")
	has(t, Status(run, Ending{}, false, midnight, Style{}), "Setup                 interrupted", "Backend               pending")
	has(t, Explain(explained(run, 1), Style{}), "It was stopped from outside", "docs/feature-plan.md --resume")
	has(t, Explain(explained(run, 2), Style{}), "It has not started: it needs 1, which has not completed.")
}

// TestUndeliveredIsSeen: that finished work is not in the checkout yet is seen however long its subject is.
func TestUndeliveredIsSeen(t *testing.T) {
	x := begin(t, feature(t), nil)
	x.start("0")
	x.complete("0", "feat: "+strings.Repeat("subject ", 20))
	x.run.Phases[0].Commit.Delivered = false
	for _, width := range []int{40, 80, 120} {
		has(t, strings.Join(strings.Fields(Status(&x.run, Ending{}, true, x.now, Style{Width: width})), " "), "not yet in your checkout")
	}
}
