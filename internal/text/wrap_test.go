package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"autobuild/internal/text/texttest"
)

// TestWrapLaw: every row fits, no word is broken that fits a row, and nothing is lost.
func TestWrapLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, cells := Clean(texttest.Foreign().Draw(t, "text"), 0), rapid.IntRange(4, 40).Draw(t, "cells")
		rows := Wrap(text, cells)
		for _, row := range rows {
			if Width(row) > cells && utf8.RuneCountInString(row) > 1 {
				t.Fatalf("row %q has %d cells of %d", row, Width(row), cells)
			}
		}
		bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := strings.Join(rows, ""); bare(got) != bare(text) {
			t.Fatalf("wrap(%q) lost text: %q", text, got)
		}
		for word := range strings.FieldsSeq(text) {
			if Width(word) <= cells && !strings.Contains(strings.Join(rows, " "), word) {
				t.Fatalf("%q was broken: %q", word, rows)
			}
		}
	})
}

func TestWrapBreaksAtBlanksOnly(t *testing.T) {
	rows := Wrap("autobuild docs/feature-plan.md --commit=auto --resume", 24)
	want := []string{"autobuild", "docs/feature-plan.md", "--commit=auto --resume"}
	if strings.Join(rows, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", rows, want)
	}
}

// TestWrapEndsOnStackedLetters: some letters join to one character of any width.
func TestWrapEndsOnStackedLetters(t *testing.T) {
	rows := Wrap(strings.Repeat("\u1100", 50), 10)
	if got := strings.Join(rows, ""); got != strings.Repeat("\u1100", 50) {
		t.Errorf("got %q", rows)
	}
}

func TestWidthIsNeverTooSmall(t *testing.T) {
	for text, most := range map[string]int{"a": 1, "品質": 4, "हिन्दी": 5, "⚠": 1, "🚀": 2, "e\u0301": 1, "": 0, "±×→★①": 5} {
		if got := Width(text); got != most {
			t.Errorf("Width(%q) = %d, want %d", text, got, most)
		}
	}
}
