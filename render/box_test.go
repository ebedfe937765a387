package render

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"autobuild/plan"
	"autobuild/state"
)

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*[mG]`)

// edges checks that a box has straight edges: every row as wide as the first, the frame at both ends.
func edges(t interface{ Fatalf(string, ...any) }, text string, s Style) {
	box, _, _ := strings.Cut(text, "\n\n")
	g := s.glyphs()
	rows := strings.Split(strings.TrimRight(box, "\n"), "\n")
	width := Width(sgr.ReplaceAllString(rows[0], ""))
	if width != min(s.width(), widest) {
		t.Fatalf("the box is %d cells wide in %d columns", width, s.width())
	}
	for _, row := range rows {
		bare := sgr.ReplaceAllString(row, "")
		if Width(bare) != width {
			t.Fatalf("row of %d cells in a box of %d: %q", Width(bare), width, row)
		}
		left, _ := utf8.DecodeRuneInString(bare)
		right, _ := utf8.DecodeLastRuneInString(bare)
		if !strings.ContainsRune("║╔╠╚|+", left) || !strings.ContainsRune("║╗╣╝|+", right) {
			t.Fatalf("row without an edge: %q", row)
		}
		if s.Cursor && doubtful(bare) && !strings.Contains(row, "\x1b["+strconv.Itoa(width)+"G") {
			t.Fatalf("a row of doubtful width does not place its edge: %q", row)
		}
	}
	if last := sgr.ReplaceAllString(rows[len(rows)-1], ""); !strings.HasPrefix(last, g.bottomLeft) {
		t.Fatalf("the box does not end: %q", last)
	}
}

// harmless checks that a screen holds no control character but our own escapes, and nothing that a CI runner obeys.
func harmless(t interface{ Fatalf(string, ...any) }, text string, s Style) {
	if !s.Bold && !s.Color && !s.Cursor && strings.Contains(text, "\x1b") {
		t.Fatalf("an escape without leave: %q", text)
	}
	for row := range strings.SplitSeq(sgr.ReplaceAllString(text, ""), "\n") {
		for _, r := range row {
			if r != utf8.RuneError && hidden(r) || s.ASCII && r > 0x7e {
				t.Fatalf("%U in %q", r, row)
			}
		}
		if strings.HasPrefix(strings.TrimLeft(row, " "), "::") || command.MatchString(row) {
			t.Fatalf("a workflow command: %q", row)
		}
	}
}

func anyStyle(t *rapid.T, least int) Style {
	s := looks[rapid.IntRange(0, len(looks)-1).Draw(t, "look")].style
	s.Width = rapid.IntRange(least, 130).Draw(t, "width")
	return s
}

// TestEdgesLineUp: whatever text comes from outside, every box keeps its edges.
func TestEdgesLineUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, s := foreign().Draw(rt, "text"), anyStyle(rt, narrowest)
		run := poisoned(t, text)
		run.End.Outcome = rapid.SampledFrom([]state.Outcome{state.Halted, state.Interrupted, state.Stopped, state.Broken, state.Done}).Draw(rt, "outcome")
		e := ending()
		e.Notes, e.Reports, e.Script = []string{text}, []string{text}, text
		edges(rt, Summary(run, e, s), s)
	})
}

// TestScreensAreHarmless: no text from outside reaches the terminal or a CI runner as a command, at any width.
func TestScreensAreHarmless(t *testing.T) {
	for i, text := range hostile {
		s := looks[i%len(looks)].style
		s.Width = 40 + 40*(i%2)
		allHarmless(t, t, text, s)
	}
	rapid.Check(t, func(rt *rapid.T) { allHarmless(t, rt, foreign().Draw(rt, "text"), anyStyle(rt, 1)) })
}

// allHarmless draws every screen full of one text.
func allHarmless(t *testing.T, rt interface{ Fatalf(string, ...any) }, text string, s Style) {
	t.Helper()
	run := poisoned(t, text)
	e := ending()
	e.Notes, e.Reports, e.Script, e.Resume, e.Fresh = []string{text}, []string{text}, text, []string{"autobuild", text}, []string{text}
	harmless(rt, Summary(run, e, s), s)
	harmless(rt, Status(run, Ending{}, true, midnight, s), s)
	harmless(rt, Status(run, Ending{}, false, midnight, s), s)
	for i := range run.Phases {
		told := Explanation{Run: run, Phase: &run.Phases[i], Dir: text, Program: []string{text}, Resume: []string{text}, Proposal: text}
		told.Read = func(string) string { return text }
		harmless(rt, Explain(told, s), s)
		out, err := ExplainJSON(told)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		harmless(rt, string(out), Style{})
	}
	harmless(rt, Decisions([]Decision{{text, text, text, text}}, s), s)
	found := findings()
	found[0].Line, found[0].Message, found[0].Hint = text, text, text
	harmless(rt, Problems(text, found, s), s)
	p := retold(t, text)
	harmless(rt, DryRun(p, run, s), s)
	harmless(rt, drawn(t, p, run, "text", s), s)
	for _, format := range []string{"mermaid", "dot", "json"} {
		harmless(rt, drawn(t, p, run, format, s), Style{})
	}
	var out strings.Builder
	sink := Plain{W: &out, Style: s}
	for _, event := range spoilt(halted(t, nil).events, text) {
		check(t, sink.Event(event, run))
	}
	harmless(rt, out.String(), s)
}

// retold is the feature plan with a text wherever a plan may carry one.
func retold(t testing.TB, text string) *plan.Plan {
	t.Helper()
	var phases []plan.DraftPhase
	for _, phase := range feature(t).Phases() {
		d := plan.DraftPhase{Phase: plan.Phase{
			Label: phase.Label, Name: text, Commit: text, Gates: []plan.Gate{{Name: text, Command: text}}, Estimate: plan.Estimate{Text: text},
			Files: plan.Files{Create: []string{text}},
		}, Needs: []plan.Ref{{Text: "none"}}}
		if len(phase.DependsOn) > 0 {
			d.Needs[0].Text = strings.Join(phase.DependsOn, ", ")
		}
		phases = append(phases, d)
	}
	p, err := plan.New(plan.Draft{Path: text, Title: text, Dialect: text, Phases: phases})
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
		run := poisoned(t, text)
		screen := Summary(run, ending(), Style{})
		edges(t, screen, Style{})
		if n := strings.Count(screen, "\n"); n > 400 {
			t.Errorf("a summary of %d rows", n)
		}
	}
}

// TestNarrowScreensHaveNoFrame: below 48 columns a frame costs too much.
func TestNarrowScreensHaveNoFrame(t *testing.T) {
	run := &halted(t, nil).run
	for _, width := range []int{20, 38, 47} {
		if screen := Summary(run, ending(), Style{Width: width}); strings.Contains(screen, "║") {
			t.Errorf("a frame in %d columns", width)
		}
	}
	if screen := Summary(run, ending(), Style{Width: narrowest}); !strings.Contains(screen, "║") {
		t.Errorf("no frame in %d columns", narrowest)
	}
}
