package render

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/internal/text"
)

// Sentences in a person's window break at words and keep every word; elsewhere they stay one row.
func TestRowsBreakAtWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,7}`), 1, 40).Draw(t, "words")
		content := strings.Join(words, " ")
		width, column := rapid.IntRange(20, 120).Draw(t, "width"), rapid.IntRange(0, 12).Draw(t, "column")
		if got := (Style{Width: width}).Rows(content, column, column); got != content {
			t.Fatalf("without a window: %q", got)
		}
		got := Style{Width: width, Wrap: true}.Rows(content, column, column)
		if strings.Join(strings.Fields(got), " ") != content {
			t.Fatalf("words are lost or broken: %q", got)
		}
		for i, row := range strings.Split(got, "\n") {
			if i == 0 {
				row = strings.Repeat(" ", column) + row
			}
			if text.Width(row) > width {
				t.Fatalf("a row of %d cells in %d: %q", text.Width(row), width, row)
			}
		}
	})
}

// A command at the end of a note has a row of its own, whole.
func TestNoteKeepsItsCommand(t *testing.T) {
	got := Style{Width: 40, Wrap: true, ASCII: true}.Note("only 5 KB are free, and nothing starts below 1024 · free some space, then: autobuild docs/a-long-name-of-a-plan.md --commit=auto --resume")
	want := "only 5 KB are free, and nothing starts\n  below 1024 - free some space, then:\n  autobuild docs/a-long-name-of-a-plan.md --commit=auto --resume"
	if got != want {
		t.Errorf("%q", got)
	}
}

// The program's own text can be spelled in ASCII.
func TestSpelled(t *testing.T) {
	s := Style{ASCII: true}
	for text, want := range map[string]string{
		"2A → 3 → 2A": "2A -> 3 -> 2A", "⬜ to do, ✅ done": "[ ] to do, [x] done", "a · b … c — d": "a - b ... c -- d", "Größe": "Grosse", "plain": "plain",
	} {
		if got := s.Show(text, 0); got != want {
			t.Errorf("%q is spelled %q, want %q", text, got, want)
		}
	}
}
