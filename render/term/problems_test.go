package term

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/internal/text"
	"autobuild/internal/text/texttest"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/render/rendertest"
)

// TestCaretLaw: with any text around it, the caret is under the first cell of the marked text and
// as long as it is.
func TestCaretLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", " ", "\t", "品", "e\u0301", "🚀", "⚠\ufe0f", "\x1b[31m", "| ", strings.Repeat("y", 60)})
		content := func(name string) string { return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, name), "") }
		const mark = "MÄRK"
		before, after := content("before")+" ", " "+content("after")
		room := rapid.IntRange(20, 100).Draw(t, "room")
		m := excerpt(render.Style{}, before+mark+after, len(before)+1, len(mark), room)
		at := strings.Index(m.text, mark)
		if at < 0 {
			t.Fatalf("the marked text is not shown: %q", m.text)
		}
		if cells := text.Width(m.text[:at]); cells != m.from || m.cells != text.Width(mark) {
			t.Fatalf("caret at %d of %d cells, text at %d: %q", m.from, m.cells, cells, m.text)
		}
		if text.Width(m.text) > room {
			t.Fatalf("%d cells in a room of %d: %q", text.Width(m.text), room, m.text)
		}
	})
}

// TestCaretAnywhere: a place that is not in the line cannot break the screen.
func TestCaretAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := texttest.Foreign().Draw(t, "line")
		col, width := rapid.IntRange(-2, 2000).Draw(t, "col"), rapid.IntRange(-2, 2000).Draw(t, "width")
		m := excerpt(render.Style{}, line, col, width, 60)
		if m.from < 0 || m.cells < 1 || m.from+m.cells > 61 || text.Width(m.text) > 60 {
			t.Fatalf("%+v of %q", m, line)
		}
	})
}

func TestProblems(t *testing.T) {
	text := Problems("docs/plan.md", rendertest.Findings(), render.Style{})
	rendertest.Has(t, text, "error[E-CYCLE]: dependency cycle: 2A → 3 → 2A\n", "--> docs/plan.md:12:21\n", "2 errors, 1 warning, 1 remark\n")
	if got := Problems("x", nil, render.Style{}); got != "" {
		t.Errorf("no problems show as %q", got)
	}
	one := Problems("x", plan.Problems{{Severity: plan.Error, Message: "no phases", Pos: plan.Pos{Line: 1}}}, render.Style{})
	rendertest.Has(t, one, "error: no phases\n", "--> x:1:1\n", "1 error\n")
}
