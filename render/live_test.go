package render

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// at is the frame of a story, so long after its last event.
func (l *Screen) at(x *tale, style Style, rows int, after time.Duration) []string {
	return l.scene.frame(style, rows, x.now.Add(after))
}

// watched is a story with the live screen that saw it.
func watched(t testing.TB, p *plan.Plan, tell func(*tale)) (*Screen, *tale) {
	t.Helper()
	l := &Screen{}
	x := begin(t, p, func(e state.Event, run *state.Run) { check(t, l.Event(e, run)) })
	tell(x)
	return l, x
}

// workshop is a run with everything a row can show: a second attempt, gates, silence, another agent, a limit.
func workshop(x *tale) {
	x.start("0")
	x.complete("0", "chore(bootstrap): add quality tools")
	x.start("1")
	x.complete("1", "feat(db): add user schema")
	x.start("2a")
	x.fail("2a", failure.Retry)
	x.start("2b")
	x.finish("2b", state.Attempt{
		Failure:  &failure.Diagnosis{Type: failure.UsageLimit, Message: "5-hour limit reached", Until: midnight.Add(3 * time.Hour)},
		Decision: &failure.Decision{Action: failure.Wait, Until: midnight.Add(3 * time.Hour)},
	})
	x.tell(state.Event{Type: state.PhaseStarted, Phase: "2c", Attempt: 1, Attempts: 2, Agent: "codex"})
	x.tell(state.Event{Type: state.Activity, Phase: "2c", Text: "Bash npm test -- --watch=false"})
	x.now = x.now.Add(3 * time.Minute)
	x.tell(state.Event{Type: state.Activity, Phase: "2c", Text: "Bash npm test -- --watch=false · quiet for 3m"})
	x.start("2a")
	x.tell(state.Event{Type: state.AgentFinished, Phase: "2a", Usage: &state.Usage{CostUSD: 0.30}})
	x.tell(state.Event{Type: state.GateFinished, Phase: "2a", Gate: &state.Gate{Name: "typecheck", Status: state.GateNotAvailable}})
	x.tell(state.Event{Type: state.GateStarted, Phase: "2a", Gate: &state.Gate{Name: "lint"}})
	x.tell(state.Event{Type: state.GateFinished, Phase: "2a", Gate: &state.Gate{Name: "lint", Status: state.GatePassed}})
	x.tell(state.Event{Type: state.GateStarted, Phase: "2a", Gate: &state.Gate{Name: "test"}})
}

// crowd is a plan of phases that all run at once, with this text wherever text comes from outside.
func crowd(t testing.TB, n int, text string) (*Screen, *tale) {
	t.Helper()
	var phases []plan.DraftPhase
	for i := range n {
		phases = append(phases, plan.DraftPhase{
			Phase: plan.Phase{Label: label(i), Name: text + " " + label(i)}, Needs: []plan.Ref{{Text: "none"}},
		})
	}
	p, err := plan.New(plan.Draft{Path: "plan.md", Dialect: "superplan", Phases: phases})
	check(t, err)
	return watched(t, p, func(x *tale) {
		for i := range n {
			x.start(label(i))
			x.tell(state.Event{Type: state.Activity, Phase: label(i), Text: "Edit " + text})
		}
	})
}

// nasty is text that would like to be more than text.
var nasty = "品質 👩‍👩‍👧 \x1b[31mred\x1b[2J\x1b]0;t\a\r\n\b::error::no ##[x] e\u0301 \u202eabc हिन्दी " + strings.Repeat("word ", 20<<10)

// TestLiveScreens holds frames and lasting lines against golden files.
func TestLiveScreens(t *testing.T) {
	work, now := watched(t, feature(t), workshop)
	many, later := crowd(t, 14, "Part")
	wild, wilder := crowd(t, 3, nasty)
	for name, draw := range map[string]func(s Style, rows int) []string{
		"live":      func(s Style, rows int) []string { return work.at(now, s, rows, 72*time.Second) },
		"live-many": func(s Style, rows int) []string { return many.at(later, s, rows, 8*time.Minute) },
		"live-wild": func(s Style, rows int) []string { return wild.at(wilder, s, rows, 3*time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			for _, width := range []int{40, 80, 120} {
				for _, rows := range []int{24, 10} {
					for _, look := range looks[1:] {
						look.style.Width = width
						frame := draw(look.style, rows)
						if len(frame) > rows-2 {
							t.Errorf("%d rows in a window of %d", len(frame), rows)
						}
						out.WriteString("---- " + name + ", " + count(width, "column") + ", " + count(rows, "row") + ", " + look.name + "\n")
						for _, row := range frame {
							if Width(ansi.Strip(row)) >= width {
								t.Errorf("%d cells in %d columns: %q", Width(ansi.Strip(row)), width, row)
							}
							out.WriteString(strings.ReplaceAll(row, "\x1b", "␛") + "\n")
						}
					}
				}
			}
			golden(t, name+".txt", out.String())
		})
	}
	t.Run("lines", func(t *testing.T) {
		var out strings.Builder
		for _, look := range looks {
			l := &Screen{Style: look.style}
			halted(t, func(e state.Event, run *state.Run) { check(t, l.Event(e, run)) })
			out.WriteString("---- live-lines, " + look.name + "\n" + strings.ReplaceAll(strings.Join(l.lines, "\n"), "\x1b", "␛") + "\n")
		}
		golden(t, "live-lines.txt", out.String())
	})
}

// A frame tells what a person looks for.
func TestLiveTells(t *testing.T) {
	l, x := watched(t, feature(t), workshop)
	has(t, strings.Join(l.at(x, Style{Width: 120}, 24, 72*time.Second), "\n"),
		"2/6 done", "2 running", "1 waiting", "$1.98", "docs/feature-plan.md", // 0.42 + 0.42 + 0.84 + 0.30
		"try 2/2", "typecheck ! lint ✓ test …", "1m12s", "quiet 4m", "by codex", "Bash npm test", "usage limit, until 05:17 UTC (in 2h", "; 1 phase waits")
	narrow := l.at(x, Style{Width: 40}, 24, 72*time.Second)
	has(t, strings.Join(narrow, "\n"), "gate test", "quiet 4m")
	lacks(t, strings.Join(narrow, "\n"), "lint")
	has(t, strings.Join(narrow, "\n"), "the agent: 2h55m more; 1 phase waits")
	late := strings.Join(l.at(x, Style{Width: 120}, 24, 4*time.Hour), "\n")
	has(t, late, "usage limit, due; 1 phase waits")

	many, later := crowd(t, 14, "Part")
	frame := many.at(later, Style{Width: 80}, 10, 0)
	if len(frame) != 8 || !strings.Contains(frame[7], "and 8 more") {
		t.Errorf("10 rows hold\n%s", strings.Join(frame, "\n"))
	}
	many.scene.ended = true
	if frame := many.at(later, Style{Width: 80}, 10, 0); frame != nil {
		t.Errorf("after the end there is %q", frame)
	}
}

// Whoever runs alone needs no more than one row, and an attempt's row begins anew with the next attempt.
func TestLiveRows(t *testing.T) {
	l, x := watched(t, feature(t), func(x *tale) {
		x.start("0")
		x.tell(state.Event{Type: state.Activity, Phase: "0", Text: "Edit main.go"})
		x.tell(state.Event{Type: state.Activity, Phase: "1", Text: "of a phase that does not run"})
	})
	has(t, strings.Join(l.at(x, Style{Width: 80}, 24, 0), "\n"), "Edit main.go")
	x.fail("0", failure.Retry)
	has(t, strings.Join(l.at(x, Style{Width: 80}, 24, 0), "\n"), "1 to retry")
	lacks(t, strings.Join(l.at(x, Style{Width: 80}, 24, 0), "\n"), "failed", "running")
	x.start("0")
	lacks(t, strings.Join(l.at(x, Style{Width: 80}, 24, 0), "\n"), "Edit main.go", "to retry")
}
