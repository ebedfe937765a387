package term

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"autobuild/internal/text"
	"autobuild/internal/text/texttest"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// edges checks that a box has straight edges: every row as wide as the first, the frame at both
// ends.
func edges(t interface{ Fatalf(string, ...any) }, content string, s render.Style) {
	box, _, _ := strings.Cut(content, "\n\n")
	g := frameOf(s)
	rows := strings.Split(strings.TrimRight(box, "\n"), "\n")
	width := text.Width(rendertest.SGR.ReplaceAllString(rows[0], ""))
	if width != min(s.Columns(), widest) {
		t.Fatalf("the box is %d cells wide in %d columns", width, s.Columns())
	}
	for _, row := range rows {
		bare := rendertest.SGR.ReplaceAllString(row, "")
		if text.Width(bare) != width {
			t.Fatalf("row of %d cells in a box of %d: %q", text.Width(bare), width, row)
		}
		left, _ := utf8.DecodeRuneInString(bare)
		right, _ := utf8.DecodeLastRuneInString(bare)
		if !strings.ContainsRune("║╔╠╚|+", left) || !strings.ContainsRune("║╗╣╝|+", right) {
			t.Fatalf("row without an edge: %q", row)
		}
		if s.Cursor && text.Ambiguous(bare) && !strings.Contains(row, "\x1b["+strconv.Itoa(width)+"G") {
			t.Fatalf("a row of doubtful width does not place its edge: %q", row)
		}
	}
	if last := rendertest.SGR.ReplaceAllString(rows[len(rows)-1], ""); !strings.HasPrefix(last, g.bottomLeft) {
		t.Fatalf("the box does not end: %q", last)
	}
}

func anyStyle(t *rapid.T, least int) render.Style {
	s := rendertest.Looks[rapid.IntRange(0, len(rendertest.Looks)-1).Draw(t, "look")].Style
	s.Width = rapid.IntRange(least, 130).Draw(t, "width")
	return s
}

// TestEdgesLineUp: for every text from outside, every box keeps its edges.
func TestEdgesLineUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, s := texttest.Foreign().Draw(rt, "text"), anyStyle(rt, narrowest)
		run := rendertest.Poisoned(t, text)
		run.End.Outcome = rapid.SampledFrom([]state.Outcome{state.Halted, state.Interrupted, state.Stopped, state.Broken, state.Done}).Draw(rt, "outcome")
		e := rendertest.Ending()
		e.Notes, e.Reports, e.Script = []string{text}, []string{text}, text
		edges(rt, Summary(run, e, s), s)
	})
}

// TestScreensAreHarmless: no text from outside reaches the terminal or a CI runner as a command, at
// any width.
func TestScreensAreHarmless(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine works, slowly under the race detector")
	}
	for i, text := range texttest.Hostile {
		s := rendertest.Looks[i%len(rendertest.Looks)].Style
		s.Width = 40 + 40*(i%2)
		allHarmless(t, t, text, s)
	}
	rapid.Check(t, func(rt *rapid.T) { allHarmless(t, rt, texttest.Foreign().Draw(rt, "text"), anyStyle(rt, 1)) })
}

// allHarmless draws every screen full of one text.
func allHarmless(t *testing.T, rt interface{ Fatalf(string, ...any) }, text string, s render.Style) {
	t.Helper()
	run := rendertest.Poisoned(t, text)
	e := rendertest.Ending()
	e.Notes, e.Reports, e.Script, e.Resume, e.Fresh = []string{text}, []string{text}, text, []string{"autobuild", text}, []string{text}
	rendertest.Harmless(rt, Summary(run, e, s), s)
	rendertest.Harmless(rt, Status(run, render.Ending{}, true, rendertest.Midnight, s, 0), s)
	rendertest.Harmless(rt, Status(run, render.Ending{}, false, rendertest.Midnight, s, 0), s)
	for i := range run.Phases {
		told := render.Explanation{Run: run, Phase: &run.Phases[i], Dir: text, Program: []string{text}, Resume: []string{text}}
		told.Read = func(string) string { return text }
		rendertest.Harmless(rt, Explain(told, s), s)
		out, err := render.ExplainJSON(told)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		rendertest.Harmless(rt, string(out), render.Style{})
	}
	rendertest.Harmless(rt, Decisions([]Decision{{text, text, text, text}}, s), s)
	found := rendertest.Findings()
	found[0].Line, found[0].Message, found[0].Hint = text, text, text
	rendertest.Harmless(rt, Problems(text, found, s), s)
	p := retold(t, text)
	rendertest.Harmless(rt, DryRun(p, run, s), s)
	rendertest.Harmless(rt, drawn(t, p, run, "text", s), s)
	for _, format := range []string{"mermaid", "dot", "json"} {
		rendertest.Harmless(rt, drawn(t, p, run, format, s), render.Style{})
	}
	var out strings.Builder
	sink := Plain{W: &out, Style: s}
	for _, event := range spoilt(rendertest.Halted(t, nil).Events, text) {
		rendertest.Check(t, sink.Event(event, run))
	}
	rendertest.Harmless(rt, out.String(), s)
}

// retold is the feature plan with a text wherever a plan may carry one.
func retold(t testing.TB, text string) *plan.Plan {
	t.Helper()
	var phases []plan.DraftPhase
	for _, phase := range rendertest.FeaturePlan(t).Phases() {
		d := plan.DraftPhase{Phase: plan.Phase{
			Label: phase.Label, Name: text, Commit: text, Gates: []plan.Gate{{Name: text, Command: text}}, Estimate: plan.Estimate{Text: text},
			Files: plan.Files{Create: []string{text}},
		}, Needs: []plan.Ref{{Text: "none"}}}
		if len(phase.DependsOn) > 0 {
			d.Needs[0].Text = strings.Join(phase.DependsOn, ", ")
		}
		phases = append(phases, d)
	}
	p, err := plan.New(plan.Draft{Path: text, Title: text, Reading: text, Phases: phases})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// spoilt puts a text wherever an event may carry one from outside.
func spoilt(events []state.Event, text string) []state.Event {
	out := make([]state.Event, 0, 2*len(events))
	for _, e := range events {
		e.Name, e.Text, e.Label = text, text, text
		if e.Gate != nil {
			e.Gate = &state.Gate{Name: text, Status: state.GateFailed, Missing: text, Log: text}
		}
		if e.Result != nil {
			r := *e.Result
			r.Warnings, r.Log = []string{text}, text
			if r.Commit != nil {
				r.Commit = &state.Commit{Message: text, SHA: text, Undelivered: text}
			}
			e.Result = &r
		}
		out = append(out, e)
		e.Type, e.Phase, e.Label = state.Notice, "", ""
		out = append(out, e)
	}
	return out
}

// TestLongLines: a line of 100 KB is as good as any other, and a screen stays a screen.
func TestLongLines(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 100<<10), strings.Repeat("品", 100<<10), strings.Repeat("\x1b[31m", 20<<10), strings.Repeat("word ", 20<<10)} {
		run := rendertest.Poisoned(t, text)
		screen := Summary(run, rendertest.Ending(), render.Style{})
		edges(t, screen, render.Style{})
		if n := strings.Count(screen, "\n"); n > 400 {
			t.Errorf("a summary of %d rows", n)
		}
	}
}

// TestNarrowScreensHaveNoFrame: below 48 columns a frame costs too much.
func TestNarrowScreensHaveNoFrame(t *testing.T) {
	run := &rendertest.Halted(t, nil).Run
	for _, width := range []int{20, 38, 47} {
		if screen := Summary(run, rendertest.Ending(), render.Style{Width: width}); strings.Contains(screen, "║") {
			t.Errorf("a frame in %d columns", width)
		}
	}
	if screen := Summary(run, rendertest.Ending(), render.Style{Width: narrowest}); !strings.Contains(screen, "║") {
		t.Errorf("no frame in %d columns", narrowest)
	}
}
