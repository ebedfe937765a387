package term

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// at is the frame of a story, so long after its last event.
func (l *Screen) at(x *rendertest.Story, style render.Style, rows int, after time.Duration) []string {
	return l.scene.frame(style, rows, x.Now.Add(after))
}

// watched is a story with the live screen that saw it.
func watched(t testing.TB, p *plan.Plan, tell func(*rendertest.Story)) (*Screen, *rendertest.Story) {
	t.Helper()
	l := &Screen{}
	x := rendertest.Begin(t, p, func(e state.Event, run *state.Run) { rendertest.Check(t, l.Event(e, run)) })
	tell(x)
	return l, x
}

// workshop is a run with everything a row can show: a second attempt, gates, silence, another
// agent, a limit.
func workshop(x *rendertest.Story) {
	x.Start("0")
	x.Complete("0", "chore(bootstrap): add quality tools")
	x.Start("1")
	x.Complete("1", "feat(db): add user schema")
	x.Start("2a")
	x.Fail("2a", failure.Retry)
	x.Start("2b")
	x.Finish("2b", state.Attempt{
		Failure:  &failure.Diagnosis{Type: failure.UsageLimit, Message: "5-hour limit reached", Until: rendertest.Midnight.Add(3 * time.Hour)},
		Decision: &failure.Decision{Action: failure.Wait, Until: rendertest.Midnight.Add(3 * time.Hour)},
	})
	x.Tell(state.Event{Type: state.PhaseStarted, Phase: "2c", Attempt: 1, Attempts: 2, Agent: "codex"})
	x.Tell(state.Event{Type: state.Activity, Phase: "2c", Text: "Bash npm test -- --watch=false"})
	x.Now = x.Now.Add(3 * time.Minute)
	x.Tell(state.Event{Type: state.Activity, Phase: "2c", Text: "Bash npm test -- --watch=false · quiet for 3m", Quiet: 3 * time.Minute})
	x.Start("2a")
	x.Tell(state.Event{Type: state.AgentFinished, Phase: "2a", Usage: &state.Usage{CostUSD: 0.30}})
	x.Tell(state.Event{Type: state.GateFinished, Phase: "2a", Gate: &state.Gate{Name: "typecheck", Status: state.GateNotAvailable}})
	x.Tell(state.Event{Type: state.GateStarted, Phase: "2a", Gate: &state.Gate{Name: "lint"}})
	x.Tell(state.Event{Type: state.GateFinished, Phase: "2a", Gate: &state.Gate{Name: "lint", Status: state.GatePassed}})
	x.Tell(state.Event{Type: state.GateStarted, Phase: "2a", Gate: &state.Gate{Name: "test"}})
}

// crowd is a plan of phases that all run at once, with this text wherever text comes from outside.
func crowd(t testing.TB, n int, text string) (*Screen, *rendertest.Story) {
	t.Helper()
	var phases []plan.DraftPhase
	for i := range n {
		phases = append(phases, plan.DraftPhase{
			Phase: plan.Phase{Label: rendertest.Label(i), Name: text + " " + rendertest.Label(i)}, Needs: []plan.Ref{{Text: "none"}},
		})
	}
	p, err := plan.New(plan.Draft{Path: "plan.md", Reading: "table", Phases: phases})
	rendertest.Check(t, err)
	return watched(t, p, func(x *rendertest.Story) {
		for i := range n {
			x.Start(rendertest.Label(i))
			x.Tell(state.Event{Type: state.Activity, Phase: rendertest.Label(i), Text: "Edit " + text})
		}
	})
}

// nasty is text that would like to be more than text.
var nasty = "品質 👩‍👩‍👧 \x1b[31mred\x1b[2J\x1b]0;t\a\r\n\b::error::no ##[x] e\u0301 \u202eabc हिन्दी " + strings.Repeat("word ", 20<<10)

// TestLiveScreens holds frames and lasting lines against golden files.
func TestLiveScreens(t *testing.T) {
	work, now := watched(t, rendertest.FeaturePlan(t), workshop)
	many, later := crowd(t, 14, "Part")
	wild, wilder := crowd(t, 3, nasty)
	for name, draw := range map[string]func(s render.Style, rows int) []string{
		"live":      func(s render.Style, rows int) []string { return work.at(now, s, rows, 72*time.Second) },
		"live-many": func(s render.Style, rows int) []string { return many.at(later, s, rows, 8*time.Minute) },
		"live-wild": func(s render.Style, rows int) []string { return wild.at(wilder, s, rows, 3*time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			for _, width := range []int{40, 80, 120} {
				for _, rows := range []int{24, 10} {
					for _, look := range rendertest.Looks[1:] {
						look.Style.Width = width
						frame := draw(look.Style, rows)
						if len(frame) > rows-2 {
							t.Errorf("%d rows in a window of %d", len(frame), rows)
						}
						out.WriteString("---- " + name + ", " + text.Count(width, "column") + ", " + text.Count(rows, "row") + ", " + look.Name + "\n")
						for _, row := range frame {
							if text.Width(ansi.Strip(row)) >= width {
								t.Errorf("%d cells in %d columns: %q", text.Width(ansi.Strip(row)), width, row)
							}
							out.WriteString(strings.ReplaceAll(row, "\x1b", "␛") + "\n")
						}
					}
				}
			}
			rendertest.Golden(t, name+".txt", out.String())
		})
	}
	t.Run("lines", func(t *testing.T) {
		var out strings.Builder
		for _, look := range rendertest.Looks {
			l := &Screen{Style: look.Style}
			rendertest.Halted(t, func(e state.Event, run *state.Run) { rendertest.Check(t, l.Event(e, run)) })
			out.WriteString("---- live-lines, " + look.Name + "\n" + strings.ReplaceAll(strings.Join(l.lines, "\n"), "\x1b", "␛") + "\n")
		}
		rendertest.Golden(t, "live-lines.txt", out.String())
	})
}

// A frame shows the counts, the running phases and the waits that a user looks for.
func TestLiveTells(t *testing.T) {
	l, x := watched(t, rendertest.FeaturePlan(t), workshop)
	rendertest.Has(t, strings.Join(l.at(x, render.Style{Width: 120}, 24, 72*time.Second), "\n"),
		// 0.42 + 0.42 + 0.84 + 0.30
		"2/6 done", "2 running", "1 waiting", "$1.98", "docs/feature-plan.md",
		"try 2/2", "typecheck ! lint ✓ test …", "1m12s", "quiet 4m", "by codex", "Bash npm test", "usage limit, until 05:17 UTC (in 2h", "; 1 phase waits")
	narrow := l.at(x, render.Style{Width: 40}, 24, 72*time.Second)
	rendertest.Has(t, strings.Join(narrow, "\n"), "gate test", "quiet 4m")
	rendertest.Lacks(t, strings.Join(narrow, "\n"), "lint")
	rendertest.Has(t, strings.Join(narrow, "\n"), "the agent: 2h55m more; 1 phase waits")
	late := strings.Join(l.at(x, render.Style{Width: 120}, 24, 4*time.Hour), "\n")
	rendertest.Has(t, late, "usage limit, due; 1 phase waits")

	many, later := crowd(t, 14, "Part")
	frame := many.at(later, render.Style{Width: 80}, 10, 0)
	if len(frame) != 8 || !strings.Contains(frame[7], "and 8 more") {
		t.Errorf("10 rows hold\n%s", strings.Join(frame, "\n"))
	}
	many.scene.ended = true
	if frame := many.at(later, render.Style{Width: 80}, 10, 0); frame != nil {
		t.Errorf("after the end there is %q", frame)
	}
}

// A single running phase needs no more than one row, and an attempt's row begins anew with the next
// attempt.
func TestLiveRows(t *testing.T) {
	l, x := watched(t, rendertest.FeaturePlan(t), func(x *rendertest.Story) {
		x.Start("0")
		x.Tell(state.Event{Type: state.Activity, Phase: "0", Text: "Edit main.go"})
		x.Tell(state.Event{Type: state.Activity, Phase: "1", Text: "of a phase that does not run"})
	})
	rendertest.Has(t, strings.Join(l.at(x, render.Style{Width: 80}, 24, 0), "\n"), "Edit main.go")
	x.Fail("0", failure.Retry)
	rendertest.Has(t, strings.Join(l.at(x, render.Style{Width: 80}, 24, 0), "\n"), "1 to retry")
	rendertest.Lacks(t, strings.Join(l.at(x, render.Style{Width: 80}, 24, 0), "\n"), "failed", "running")
	x.Start("0")
	rendertest.Lacks(t, strings.Join(l.at(x, render.Style{Width: 80}, 24, 0), "\n"), "Edit main.go", "to retry")
}
