package ci

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/render/rendertest"
	"autobuild/render/term"
	"autobuild/state"
)

// spoken is a command that a runner would obey in a log: its name, properties and data.
type spoken struct{ name, properties, data string }

// obeyed reads a log as GitHub's runner does. A line ends at a line feed, a carriage return or
// both; a command of the second form begins the line, white space aside; one of the first form may
// stand anywhere in it.
func obeyed(log string) []spoken {
	var out []spoken
	for line := range strings.FieldsFuncSeq(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if rest, ok := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::"); ok {
			if command, data, ok := strings.Cut(rest, "::"); ok {
				name, properties, _ := strings.Cut(command, " ")
				out = append(out, spoken{name, properties, data})
				continue
			}
		}
		if _, rest, ok := strings.Cut(line, "##["); ok {
			if command, data, ok := strings.Cut(rest, "]"); ok {
				name, properties, _ := strings.Cut(command, " ")
				out = append(out, spoken{name, properties, data})
			}
		}
	}
	return out
}

func names(said []spoken) string {
	var out []string
	for _, s := range said {
		out = append(out, s.name)
	}
	return strings.Join(out, " ")
}

// obeyedByAzure reads a log as Azure's agent does: a command may stand anywhere in a line.
func obeyedByAzure(log string) []spoken {
	var out []spoken
	for line := range strings.FieldsFuncSeq(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		for _, open := range []string{"##vso[", "##["} {
			if _, rest, ok := strings.Cut(line, open); ok {
				if command, data, ok := strings.Cut(rest, "]"); ok {
					name, properties, _ := strings.Cut(command, " ")
					out = append(out, spoken{name, properties, data})
					break
				}
			}
		}
	}
	return out
}

// TestObeyed shows that the readers above see the same as the runners: a test with blind readers
// would prove nothing.
func TestObeyed(t *testing.T) {
	for line, want := range map[string]string{
		"::error file=a,line=1::x": "error", "  ::warning::x": "warning", "\u00a0\u2003::debug::x": "debug", "a\r::set-output name=x::y": "set-output",
		"text ##[error]x": "error", "::stop-commands::word": "stop-commands", "a ::error::x": "", "# #[error]x": "", ": :error::x": "",
	} {
		if got := names(obeyed(line)); got != want {
			t.Errorf("obeyed(%q) = %q, want %q", line, got, want)
		}
	}
	if got := names(obeyedByAzure("x ##vso[task.setvariable variable=a]b\n##[group]c")); got != "task.setvariable group" {
		t.Errorf("azure hears %q", got)
	}
}

// hijacked writes the halted run to a CI log, with one text everywhere that text can come from
// outside.
func hijacked(t testing.TB, text string, runner Runner) string {
	t.Helper()
	story := rendertest.Halted(t, nil)
	run := rendertest.Poisoned(t, text)
	var out strings.Builder
	sink := Log{W: &out, Runner: runner, Lines: (&term.Plain{Dir: text}).Lines, Dir: text, Below: text, Read: func(string) string { return text + "\n" + strings.Repeat(text+"\n", 3) + "end" }}
	for _, e := range story.Events {
		e.Label, e.Name, e.Text, e.Agent, e.Account = text, text, text, text, text
		if e.Config != nil {
			c := run.Config
			c.Gates = []state.GateSpec{{Name: text, Tool: text}}
			e.Config = &c
		}
		if e.Gate != nil {
			e.Gate = &state.Gate{Name: text, Kind: text, Command: text, Status: e.Gate.Status, Log: text, Missing: text, Tail: text}
		}
		if e.Result != nil {
			p, _ := story.Run.Find(e.Phase)
			q := &run.Phases[slices.IndexFunc(story.Run.Phases, func(x state.Phase) bool { return x.ID == p.ID })]
			a := q.Attempts[e.Result.N-1]
			a.Gates = slices.Clone(a.Gates)
			for i := range a.Gates {
				a.Gates[i].Name, a.Gates[i].Log, a.Gates[i].Tail = text, text, text
			}
			e.Result = &a
		}
		if e.End != nil {
			end := *e.End
			end.Reason = text
			e.End = &end
		}
		rendertest.Check(t, sink.Event(e, run))
	}
	rendertest.Check(t, sink.Err())
	return out.String()
}

// cannotSpeak checks that foreign text does not change the commands that a runner reads.
func cannotSpeak(t testing.TB, text string) {
	t.Helper()
	for runner, hears := range map[Runner]func(string) []spoken{GitHub: obeyed, Azure: obeyedByAzure} {
		log := hijacked(t, text, runner)
		want, got := hears(hijacked(t, "x", runner)), hears(log)
		if names(got) != names(want) {
			t.Fatalf("%s hears %q of %q, and should hear %q:\n%s", runner, names(got), text, names(want), log)
		}
		for _, s := range got {
			if extra := keysOf(s.properties, map[Runner]string{GitHub: ",", Azure: ";"}[runner]); extra != "" {
				t.Fatalf("%s hears the property %s of %q in %q", runner, extra, text, s.properties)
			}
		}
	}
	if said := obeyed(hijacked(t, text, GitLab)); len(said) != 0 {
		t.Fatalf("in GitLab, %q says %v", text, said)
	}
	log, plainLog := hijacked(t, text, GitLab), hijacked(t, "x", GitLab)
	marks := len(sectionMark.FindAllString(log, -1))
	if want := len(sectionMark.FindAllString(plainLog, -1)); marks != want || marks == 0 {
		t.Fatalf("%d section marks of %q, want %d", marks, text, want)
	}
	if strings.Count(log, "\r") != marks || strings.Count(log, "\x1b") != 2*marks {
		t.Fatalf("%q brings control characters of its own into\n%q", text, log)
	}
}

// sectionMark matches GitLab's section marks.
var sectionMark = regexp.MustCompile(`\x1b\[0Ksection_(?:start|end):\d+:[A-Za-z0-9_.-]+(?:\[[^\]]*\])?\r\x1b\[0K`)

// keysOf is a property of a command that autobuild does not write.
func keysOf(properties, between string) string {
	for property := range strings.SplitSeq(strings.TrimSuffix(properties, between), between) {
		key, _, _ := strings.Cut(property, "=")
		if properties != "" && !slices.Contains([]string{"file", "line", "col", "title", "type", "sourcepath", "linenumber", "columnnumber"}, key) {
			return key
		}
	}
	return ""
}

func TestForeignTextCannotSpeakToTheRunner(t *testing.T) {
	for _, text := range []string{
		"::error::no", "  ::error::no", "\n::error file=x::no", "\r::set-output name=a::b", "\r\n::add-mask::x", "\u2028::warning::x", "\u0085::warning::x", "\u00a0::debug::x",
		"::stop-commands::x\n::error::y", "::endgroup::", "\n::endgroup::\n", "##[error]x", "x ##[group]y", "##[endgroup]", "##vso[task.setvariable variable=a]b", "##\x1b[0m[error]x",
		"#\u200b#[error]x", "\x1b[0Ksection_start:1:x\r\x1b[0K", "section_end:1:phase-0-1\r\x1b[0K", "a,file=b,line=3::c", "a;type=warning]b", "%0A::error::x", "%25", "::", ":", "##", "[", "a\r\n##",
		":\u200b:error::x", "\x1b]8;;http://x\x1b\\::error::x", "\v::error::x", "\f::error::x", "\x1c::error::x", "\ufeff::error::x",
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) { cannotSpeak(t, text) })
	}
}

func TestForeignTextCannotSpeakLaw(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		piece := rapid.SampledFrom([]string{":", "::", "#", "##", "[", "]", "error", "vso", " ", "\n", "\r", "\x1b", "\u200b", "\u2028", "group", "=", ",", ";", "%0A", "x"})
		cannotSpeak(t, strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(r, "pieces"), ""))
	})
}

// TestFailedIsNeverFolded: rows of a failed attempt's logs stand outside of every group, those of
// one that passed inside.
func TestFailedIsNeverFolded(t *testing.T) {
	var out strings.Builder
	sink := Log{W: &out, Runner: GitHub, Lines: (&term.Plain{}).Lines, Read: func(log string) string { return "said in " + log }}
	rendertest.Halted(t, func(e state.Event, r *state.Run) { rendertest.Check(t, sink.Event(e, r)) })
	folded, rows := false, 0
	for line := range strings.Lines(out.String()) {
		switch {
		case strings.HasPrefix(line, "::group::"):
			folded = true
		case strings.HasPrefix(line, "::endgroup::"):
			folded = false
		case strings.Contains(line, "said in"):
			rows++
			if failed := strings.HasPrefix(line, "2A"); failed == folded {
				t.Errorf("folded %t: %s", folded, line)
			}
		}
	}
	if rows < 5 || folded {
		t.Errorf("%d rows of logs, a group left open: %t\n%s", rows, folded, out.String())
	}
}

// TestAnnotations: at most eight, of every failed phase one before any has two, and the phase that
// holds up most comes first.
func TestAnnotations(t *testing.T) {
	var drafts []plan.DraftPhase
	for i := range 5 {
		drafts = append(drafts, plan.DraftPhase{Phase: plan.Phase{Label: rendertest.Label(i), Name: "Part"}, Needs: []plan.Ref{{Text: "none"}}})
	}
	drafts = append(drafts, plan.DraftPhase{Phase: plan.Phase{Label: "9", Name: "Last"}, Needs: []plan.Ref{{Text: "3"}}})
	p, err := plan.New(plan.Draft{Path: "plan.md", Reading: "table", Phases: drafts})
	rendertest.Check(t, err)
	x := rendertest.Begin(t, p, nil)
	for i := range 4 {
		x.Start(rendertest.Label(i))
		x.Fail(rendertest.Label(i), failure.Fail)
	}
	x.Tell(state.Event{Type: state.PhaseBlocked, Phase: "9", By: "3"})
	x.End(state.Halted, "")
	marks := annotations(&x.Run, "sub")
	var titles []string
	for _, m := range marks {
		titles = append(titles, strings.Fields(m.title)[2])
		if m.file != "sub/src/api/auth.test.ts" || m.line == 0 {
			t.Errorf("marked at %s:%d", m.file, m.line)
		}
	}
	if got := strings.Join(titles, " "); got != "3: 0: 1: 2: 3: 0: 1: 2:" || len(marks) != MaxAnnotations {
		t.Errorf("marked in turn: %s", got)
	}
}

// TestPlaced: a tool names files from where it ran, or by the last part of their name.
func TestPlaced(t *testing.T) {
	a := state.Attempt{Dir: ".autobuild/worktrees/2a", Changes: state.Changes{Modified: []string{"src/auth.go", "src/b/x.go", "src/c/x.go"}}}
	for file, want := range map[string]string{
		"/home/me/repo/.autobuild/worktrees/2a/src/auth.go": "src/auth.go", "auth.go": "src/auth.go", "x.go": "x.go", "src/auth.go": "src/auth.go",
		`src\auth.go`: "src/auth.go", "/usr/lib/x.go": "/usr/lib/x.go",
	} {
		if got := placed(file, a, ""); got != want {
			t.Errorf("placed(%q) = %q, want %q", file, got, want)
		}
	}
}

// TestCIScreens holds what runners get against golden files.
func TestCIScreens(t *testing.T) {
	read := func(log string) string {
		return "first words of " + log + "\n\tindented\n\nFAIL src/api/auth.test.ts:45\n"
	}
	for _, runner := range []Runner{GitHub, GitLab, Azure} {
		var out strings.Builder
		sink := Log{W: &out, Runner: runner, Lines: (&term.Plain{}).Lines, Read: read}
		rendertest.Halted(t, func(e state.Event, r *state.Run) { rendertest.Check(t, sink.Event(e, r)) })
		rendertest.Golden(t, "ci-"+string(runner)+".txt", strings.NewReplacer("\x1b", "␛", "\r", "␍").Replace(out.String()))
	}
}
