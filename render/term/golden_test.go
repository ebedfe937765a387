package term

import (
	"strings"
	"testing"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// TestScreens holds every screen against its golden file, at three widths and in four looks.
func TestScreens(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	p := rendertest.FeaturePlan(t)
	story := rendertest.Halted(t, nil)
	run := &story.Run
	done := rendertest.HardRun(t)
	noted := rendertest.Ending()
	noted.Notes, noted.Reports = []string{"lint failed before the run already; it does not count against a phase"}, []string{"report.html"}
	noted.Script = "my state/commits.sh"
	part, live := rendertest.Partial(t), rendertest.Going(t)
	limit := rendertest.Stopped(t, state.Stopped, "the deadline of 2h00m was reached")
	wild := rendertest.Poisoned(t, "品質 👩‍👩‍👧 \x1b[31mred\x1b]0;t\a ::error::no\r\n##[x] e\u0301 \u202eabc हिन्दी "+strings.Repeat("word ", 20<<10))
	screens := map[string]func(render.Style) string{
		"halt":      func(s render.Style) string { return Summary(run, rendertest.Ending(), s) },
		"halt-many": func(s render.Style) string { return Summary(rendertest.ManyPhases(t), rendertest.Ending(), s) },
		"halt-wild": func(s render.Style) string { return Summary(wild, rendertest.Ending(), s) },
		"interrupted": func(s render.Style) string {
			return Summary(rendertest.Stopped(t, state.Interrupted, "interrupted by Ctrl-C"), rendertest.Ending(), s)
		},
		"stopped": func(s render.Style) string { return Summary(limit, rendertest.Ending(), s) },
		"done":    func(s render.Style) string { return Summary(done, noted, s) },
		"nothing": func(s render.Style) string {
			return Summary(done, render.Ending{Nothing: true, Fresh: []string{"autobuild", "docs/feature-plan.md", "--fresh"}}, s)
		},
		"contested": func(s render.Style) string {
			argued := rendertest.Disputed(t)
			accepted := argued.Phases[2]
			accepted.Accepted, accepted.AcceptedWhy = story.Now, "rates.pdf, page 3"
			return Summary(argued, noted, s) + Status(argued, rendertest.Ending(), false, story.Now, s, 0) + Explain(rendertest.Explained(argued, 2), s) +
				Accepted(&argued.Phases[2], argued.Phases[2].Contested(), s) + Explain(render.Explanation{Run: argued, Phase: &accepted}, s)
		},
		"refused": func(s render.Style) string {
			cheats := rendertest.Cheated(t)
			return Summary(cheats, rendertest.Ending(), s) + Status(cheats, rendertest.Ending(), false, story.Now, s, 0) + Explain(rendertest.Explained(cheats, 2), s)
		},
		"part": func(s render.Style) string { return Summary(part, noted, s) },
		"message": func(s render.Style) string {
			run := *done
			run.End = &state.End{Outcome: state.Done, Time: story.Now}
			e := noted
			e.Fresh = []string{"autobuild", "docs/feature-plan.md", "--fresh"}
			return Summary(&run, e, s)
		},
		"explain": func(s render.Style) string {
			var out strings.Builder
			for i := range run.Phases {
				if i != 1 && i != 4 {
					out.WriteString(Explain(rendertest.Explained(run, i), s) + "\n")
				}
			}
			watched := rendertest.Explained(&live.Run, 3)
			watched.Alive = true
			out.WriteString(Explain(watched, s) + "\n" + Explain(rendertest.Explained(&live.Run, 4), s))
			return out.String()
		},
		"explain-deep": func(s render.Style) string { return Explain(rendertest.DeepFailure(t), s) },
		"status-live":  func(s render.Style) string { return Status(&live.Run, render.Ending{}, true, live.Now, s, 0) },
		"status-cut":   func(s render.Style) string { return Status(&live.Run, rendertest.Ending(), false, live.Now, s, 0) },
		"status-part":  func(s render.Style) string { return Status(part, rendertest.Ending(), false, story.Now, s, 0) },
		"status":       func(s render.Style) string { return Status(run, rendertest.Ending(), false, story.Now, s, 0) },
		"dryrun":       func(s render.Style) string { return DryRun(p, run, s) },
		"graph":        func(s render.Style) string { return drawn(t, p, run, "text", s) },
		"graph-new":    func(s render.Style) string { return drawn(t, p, nil, "text", s) },
		"problems":     func(s render.Style) string { return Problems("docs/plan.md", rendertest.Findings(), s) },
		"decisions": func(s render.Style) string {
			return Decisions([]Decision{
				{"0", "Bootstrap", "keep", "complete, its text is unchanged"},
				{"2A", "Backend", "retry", "it failed; its attempts are reset"},
				{"2B", "Frontend 前端", "keep", "complete; its text changed since, --resume=changed runs it again"},
				{"3", "", "run", "was blocked by 2A"},
			}, s)
		},
		"plain": func(s render.Style) string {
			var out strings.Builder
			sink := Plain{W: &out, Style: s}
			rendertest.Halted(t, func(e state.Event, r *state.Run) { rendertest.Check(t, sink.Event(e, r)) })
			return out.String()
		},
	}
	for name, draw := range screens {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			for _, width := range []int{40, 80, 120} {
				for _, look := range rendertest.Looks {
					look.Style.Width = width
					out.WriteString("---- " + name + ", " + text.Count(width, "column") + ", " + look.Name + "\n")
					out.WriteString(strings.ReplaceAll(draw(look.Style), "\x1b", "␛"))
				}
			}
			rendertest.Golden(t, name+".txt", out.String())
		})
	}
}

// TestFormats holds the machine's side of a graph against golden files.
func TestFormats(t *testing.T) {
	p := rendertest.FeaturePlan(t)
	rendertest.Golden(t, "graph.mermaid", drawn(t, p, nil, "mermaid", render.Style{}))
	rendertest.Golden(t, "graph.dot", drawn(t, p, nil, "dot", render.Style{}))
	rendertest.Golden(t, "graph.json", drawn(t, p, nil, "json", render.Style{}))
}

func drawn(t testing.TB, p *plan.Plan, run *state.Run, format string, s render.Style) string {
	t.Helper()
	text, err := Graph(p, run, format, s)
	rendertest.Check(t, err)
	return text
}
