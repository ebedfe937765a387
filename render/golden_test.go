package render

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/state"
)

var update = flag.Bool("update", false, "write the golden files anew")

// looks are the styles that every screen is shown in.
var looks = []struct {
	name  string
	style Style
}{
	{"pipe", Style{}},
	{"colour", Style{Color: true, Bold: true, Cursor: true}},
	{"no colour", Style{Bold: true, Cursor: true}},
	{"ascii", Style{ASCII: true}},
}

// TestScreens holds every screen against its golden file, at three widths and in four looks.
func TestScreens(t *testing.T) {
	p := feature(t)
	story := halted(t, nil)
	run := &story.run
	done := hard(t)
	noted := ending()
	noted.Notes, noted.Reports = []string{"lint failed before the run already; it does not count against a phase"}, []string{"report.html"}
	noted.Script = "my state/commits.sh"
	part, live := partial(t), going(t)
	limit := stopped(t, state.Stopped, "the deadline of 2h00m was reached")
	wild := poisoned(t, "品質 👩‍👩‍👧 \x1b[31mred\x1b]0;t\a ::error::no\r\n##[x] e\u0301 \u202eabc हिन्दी "+strings.Repeat("word ", 20<<10))
	screens := map[string]func(Style) string{
		"halt":      func(s Style) string { return Summary(run, ending(), s) },
		"halt-many": func(s Style) string { return Summary(many(t), ending(), s) },
		"halt-wild": func(s Style) string { return Summary(wild, ending(), s) },
		"interrupted": func(s Style) string {
			return Summary(stopped(t, state.Interrupted, "interrupted by Ctrl-C"), ending(), s)
		},
		"stopped": func(s Style) string { return Summary(limit, ending(), s) },
		"done":    func(s Style) string { return Summary(done, noted, s) },
		"nothing": func(s Style) string {
			return Summary(done, Ending{Nothing: true, Fresh: []string{"autobuild", "docs/feature-plan.md", "--fresh"}}, s)
		},
		"contested": func(s Style) string {
			argued := disputed(t)
			accepted := argued.Phases[2]
			accepted.Accepted, accepted.AcceptedWhy = story.now, "rates.pdf, page 3"
			return Summary(argued, noted, s) + Status(argued, ending(), false, story.now, s) + Explain(explained(argued, 2), s) +
				Accepted(&argued.Phases[2], argued.Phases[2].Contested(), s) + Explain(Explanation{Run: argued, Phase: &accepted}, s)
		},
		"refused": func(s Style) string {
			cheats := cheated(t)
			return Summary(cheats, ending(), s) + Status(cheats, ending(), false, story.now, s) + Explain(explained(cheats, 2), s)
		},
		"judges": func(s Style) string {
			return Referee(Judges{
				Gates: []JudgeGate{{"", "test", "npm test"}, {"2A", "api", "npm test -- api"}}, Mode: "contest",
				Files: []JudgeFile{{"gate", "package.json", "test: npm test"}, {"gate", "tests/run.sh", "test: npm test → package.json:test → sh tests/run.sh"}, {"vendored", "", ""}},
			}, s)
		},
		"part": func(s Style) string { return Summary(part, noted, s) },
		"message": func(s Style) string {
			run := *done
			run.End = &state.End{Outcome: state.Done, Time: story.now}
			e := noted
			e.Fresh = []string{"autobuild", "docs/feature-plan.md", "--fresh"}
			return Summary(&run, e, s)
		},
		"explain": func(s Style) string {
			var out strings.Builder
			for i := range run.Phases {
				if i != 1 && i != 4 {
					out.WriteString(Explain(explained(run, i), s) + "\n")
				}
			}
			watched := explained(&live.run, 3)
			watched.Alive = true
			out.WriteString(Explain(watched, s) + "\n" + Explain(explained(&live.run, 4), s))
			return out.String()
		},
		"explain-deep": func(s Style) string { return Explain(deep(t), s) },
		"status-live":  func(s Style) string { return Status(&live.run, Ending{}, true, live.now, s) },
		"status-cut":   func(s Style) string { return Status(&live.run, ending(), false, live.now, s) },
		"status-part":  func(s Style) string { return Status(part, ending(), false, story.now, s) },
		"status":       func(s Style) string { return Status(run, ending(), false, story.now, s) },
		"dryrun":       func(s Style) string { return DryRun(p, run, s) },
		"graph":        func(s Style) string { return drawn(t, p, run, "text", s) },
		"graph-new":    func(s Style) string { return drawn(t, p, nil, "text", s) },
		"problems":     func(s Style) string { return Problems("docs/plan.md", findings(), s) },
		"decisions": func(s Style) string {
			return Decisions([]Decision{
				{"0", "Bootstrap", "keep", "complete, its text is unchanged"},
				{"2A", "Backend", "retry", "it failed; its attempts are reset"},
				{"2B", "Frontend 前端", "keep", "complete; its text changed since, --rerun-changed runs it again"},
				{"3", "", "run", "was blocked by 2A"},
			}, s)
		},
		"plain": func(s Style) string {
			var out strings.Builder
			sink := Plain{W: &out, Style: s}
			halted(t, func(e state.Event, r *state.Run) { check(t, sink.Event(e, r)) })
			return out.String()
		},
	}
	for name, draw := range screens {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			for _, width := range []int{40, 80, 120} {
				for _, look := range looks {
					look.style.Width = width
					out.WriteString("---- " + name + ", " + count(width, "column") + ", " + look.name + "\n")
					out.WriteString(strings.ReplaceAll(draw(look.style), "\x1b", "␛"))
				}
			}
			golden(t, name+".txt", out.String())
		})
	}
}

// TestFormats holds the machine's side of a graph and of a status against golden files.
func TestFormats(t *testing.T) {
	p := feature(t)
	golden(t, "graph.mermaid", drawn(t, p, nil, "mermaid", Style{}))
	golden(t, "graph.dot", drawn(t, p, nil, "dot", Style{}))
	golden(t, "graph.json", drawn(t, p, nil, "json", Style{}))
	text, err := StatusJSON(&halted(t, nil).run, false)
	check(t, err)
	golden(t, "status.json", string(text))
	text, err = GraphJSON("docs/plan.md", nil, findings())
	check(t, err)
	golden(t, "refused.json", string(text))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		check(t, os.MkdirAll("testdata", 0o750))
		check(t, os.WriteFile(path, []byte(got), 0o600))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./render -update writes it", err)
	}
	if got == string(want) {
		return
	}
	gots, wants := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range gots {
		if i >= len(wants) || gots[i] != wants[i] {
			t.Fatalf("%s:%d differs\n got %q\nwant %q", path, i+1, gots[i], wants[min(i, len(wants)-1)])
		}
	}
	t.Fatalf("%s has %d lines more than what was drawn", path, len(wants)-len(gots))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func drawn(t testing.TB, p *plan.Plan, run *state.Run, format string, s Style) string {
	t.Helper()
	text, err := Graph(p, run, format, s)
	check(t, err)
	return text
}

func findings() plan.Problems {
	return plan.Problems{
		{
			Code: "E-CYCLE", Severity: plan.Error, Pos: plan.Pos{Line: 12, Col: 21}, Width: 1,
			Line:    "| 2A | Backend 後端 | 3 | - |",
			Message: "dependency cycle: 2A → 3 → 2A", Hint: "remove one of these dependencies",
		},
		{
			Code: "E-UNKNOWN", Severity: plan.Error, Pos: plan.Pos{Line: 13, Col: 3 + len("品質")}, Width: 2,
			Line: "\t品質2D, x", Message: "unknown phase 2D", Hint: "did you mean 2A?",
		},
		{
			Code: "W-BOX", Severity: plan.Warning, Pos: plan.Pos{Line: 1400, Col: 50001}, Width: 4,
			Line: strings.Repeat("x", 50000) + "HERE" + strings.Repeat("y", 50000), Message: "odd box", Hint: "",
		},
		{Code: "I-DIALECT", Severity: plan.Info, Message: "read as superplan"},
	}
}
