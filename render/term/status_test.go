package term

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// TestStatusFits: no row is wider than the screen, and of a failure no word is lost.
func TestStatusFits(t *testing.T) {
	run := &rendertest.Halted(t, nil).Run
	live := rendertest.Going(t)
	failed := "test_failure: 3 tests failing - validateToken returns null instead of user object"
	rapid.Check(t, func(rt *rapid.T) {
		s := anyStyle(rt, 24)
		for _, alive := range []bool{true, false} {
			for _, content := range []string{Status(run, render.Ending{}, alive, rendertest.Midnight, s, 0), Status(&live.Run, render.Ending{}, alive, live.Now, s, 0), Status(rendertest.Partial(t), render.Ending{}, alive, rendertest.Midnight, s, 0)} {
				for row := range strings.SplitSeq(rendertest.SGR.ReplaceAllString(content, ""), "\n") {
					if text.Width(row) > s.Width {
						rt.Fatalf("%d cells in %d columns: %q", text.Width(row), s.Width, row)
					}
				}
			}
		}
		words := strings.Join(strings.Fields(rendertest.SGR.ReplaceAllString(Status(run, render.Ending{}, false, rendertest.Midnight, s, 0), "")), " ")
		if !strings.Contains(words, failed) {
			rt.Fatalf("in %d columns the error is cut:\n%s", s.Width, words)
		}
	})
}

// TestStanding: the status of a run follows from its end, from the remaining phases, and from
// whether a process runs it.
func TestStanding(t *testing.T) {
	done, part, halt, live := rendertest.HardRun(t), rendertest.Partial(t), &rendertest.Halted(t, nil).Run, &rendertest.Going(t).Run
	for _, c := range []struct {
		run          *state.Run
		alive        bool
		status, says string
	}{
		{live, true, "running", ", running\n2 of 6 phases complete, 2 running, 1 interrupted, 1 not started"},
		{live, false, "cut_off", ", cut off\nIt was cut off: no process is running it, and nothing that was recorded is lost.\n2 of 6 phases complete, 3 interrupted"},
		{part, false, "part_complete", ", part complete\n2 of 6 phases complete, 4 not started"},
		{halt, false, "halted", ", halted\nPhase 2A failed after retry\n"},
		{done, false, "complete", ", complete\n6 phases complete"},
		{done, true, "complete", ", complete\n"}, // it has just ended
	} {
		text := Status(c.run, render.Ending{}, c.alive, rendertest.Midnight, render.Style{Width: 120}, 0)
		rendertest.Has(t, text, c.says)
		rendertest.Lacks(t, text, "all phases complete")
		raw, err := render.StatusJSON(c.run, c.alive)
		rendertest.Check(t, err)
		var doc struct {
			Status string
			Alive  bool
			Phases []struct {
				Label       string
				Interrupted bool
			}
		}
		rendertest.Check(t, json.Unmarshal(raw, &doc))
		if doc.Status != c.status || doc.Alive != c.alive {
			t.Errorf("status %q, alive %t; want %q, %t", doc.Status, doc.Alive, c.status, c.alive)
		}
		for i, p := range doc.Phases {
			if want := slices.Contains(render.NewOverview(c.run, c.alive).Interrupted, &c.run.Phases[i]); p.Interrupted != want {
				t.Errorf("phase %s interrupted %t, want %t", p.Label, p.Interrupted, want)
			}
		}
	}
}

// TestInterruptedIsNotPending: every screen marks a phase that was stopped as such, and one that
// never began as pending.
func TestInterruptedIsNotPending(t *testing.T) {
	run := rendertest.Stopped(t, state.Interrupted, "interrupted by Ctrl-C")
	rendertest.Has(t, Status(run, render.Ending{}, false, rendertest.Midnight, render.Style{}, 0), "Setup                 interrupted", "Backend               pending")
	rendertest.Has(t, Explain(rendertest.Explained(run, 1), render.Style{}), "It was stopped from outside", "docs/feature-plan.md --resume")
	rendertest.Has(t, Explain(rendertest.Explained(run, 2), render.Style{}), "It has not started: it needs 1, which has not completed.")
}

// TestUndeliveredIsSeen: that finished work is not in the checkout yet is seen however long its
// subject is.
func TestUndeliveredIsSeen(t *testing.T) {
	x := rendertest.Begin(t, rendertest.FeaturePlan(t), nil)
	x.Start("0")
	x.Complete("0", "feat: "+strings.Repeat("subject ", 20))
	x.Run.Phases[0].Commit.Delivered = false
	for _, width := range []int{40, 80, 120} {
		rendertest.Has(t, strings.Join(strings.Fields(Status(&x.Run, render.Ending{}, true, x.Now, render.Style{Width: width}, 0)), " "), "not yet in your checkout")
	}
}
