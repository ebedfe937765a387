package render

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for _, c := range []struct {
		name, in string
		limit    int
		want     string
	}{
		{"plain", "3 tests failing", 0, "3 tests failing"},
		{"colour", "\x1b[1;31mred\x1b[0m", 0, "red"},
		{"title by BEL", "a\x1b]0;title\ab", 0, "ab"},
		{"link by ST", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", 0, "text"},
		{"clipboard by C1", "a\u009d52;c;QUJD\u009cb", 0, "ab"},
		{"CSI by C1", "a\u009b31mb", 0, "ab"},
		{"raw C1 byte", "a\x9b31mb", 0, "a\uFFFD31mb"},
		{"unended string keeps the text", "a\x1b]0;b", 0, "a0;b"},
		{"device control", "a\x1bPq#0;2\x1b\\b", 0, "ab"},
		{"charset", "a\x1b(Bb", 0, "ab"},
		{"lone escape", "a\x1b\nb", 0, "a b"},
		{"reset", "a\x1bcb", 0, "ab"},
		{"overprint", "secret\r\bx", 0, "secret x"},
		{"blanks", "\t a \n\n b\u2028c\u00a0d ", 0, "a b c d"},
		{"bidi", "a\u202eb\u2066c\u200f", 0, "abc"},
		{"zero width", "a\u200bb\u200dc\ufeffd\u00ade", 0, "abcde"},
		{"tags", "a\U000e0041b", 0, "ab"},
		{"selectors and tones", "⚠\ufe0f 👍\U0001f3fd", 0, "⚠ 👍"},
		{"family", "👩\u200d👩\u200d👧", 0, "👩👩👧"},
		{"private", "a\ue0a0b", 0, "ab"},
		{"invalid", "a\xff\xfeb", 0, "a\uFFFD\uFFFDb"},
		{"noncharacter", "a\uffffb", 0, "a\uFFFDb"},
		{"marks", "e" + strings.Repeat("\u0301", 9), 0, "e" + strings.Repeat("\u0301", maxMarks)},
		{"workflow", "x ##[error]y ##vso[task]z ### Title", 0, "x # #[error]y # #vso[task]z ### Title"},
		{"cut", "abcdef", 4, "abc…"},
		{"fits", "abcd", 4, "abcd"},
		{"cut wide", "品質品質", 5, "品質…"},
		{"cut before a wide one", "a品質", 3, "a…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in, c.limit); got != c.want {
				t.Errorf("Clean(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
			}
		})
	}
}

// TestCleanIsBounded shows that a limit spares the work: a hundred megabytes would take a second otherwise.
func TestCleanIsBounded(t *testing.T) {
	huge := strings.Repeat("word ", 1<<20)
	allocs := testing.AllocsPerRun(1, func() {
		if w := Width(Clean(huge, 60)); w > 60 {
			t.Errorf("%d cells of 60", w)
		}
	})
	if allocs > 1000 {
		t.Errorf("cleaning a long line for 60 cells allocated %v times", allocs)
	}
}

// TestCleanIsLinear checks that Clean needs linear time: eight times the text takes less than 40
// times as long. Quadratic time would be 64 times. The texts are short, so that the best of ten
// runs is one that a busy machine did not interrupt.
func TestCleanIsLinear(t *testing.T) {
	best := func(text string) time.Duration {
		least := time.Duration(math.MaxInt64)
		for range 10 {
			start := time.Now()
			Clean(text, 0)
			Clean(text, 40)
			least = min(least, time.Since(start))
		}
		return least
	}
	for _, piece := range []string{"\x1b]", "\x1bP", "\u009d", "##[", "##a", "\x1b[", "\x1b(", "\u1100", "e\u0301\u0301"} {
		few, many := best(strings.Repeat(piece, 1250)), best(strings.Repeat(piece, 10_000))
		if many > 40*few {
			t.Errorf("%q: eight times the text takes %.0f times as long", piece, float64(many)/float64(few))
		}
	}
}

// cleaned checks the law of Clean: one line of valid text that shows itself and nothing else.
func cleaned(t interface{ Fatalf(string, ...any) }, s string, limit int) {
	got := Clean(s, limit)
	switch {
	case !utf8.ValidString(got):
		t.Fatalf("Clean(%q) = %q is not UTF-8", s, got)
	case strings.ContainsFunc(got, func(r rune) bool {
		return r != ' ' && unicode.IsSpace(r) || r != utf8.RuneError && hidden(r) || !unicode.IsGraphic(r)
	}):
		t.Fatalf("Clean(%q) = %q holds what cannot be shown", s, got)
	case command.MatchString(got):
		t.Fatalf("Clean(%q) = %q holds a workflow command", s, got)
	case limit > 0 && Width(got) > limit:
		t.Fatalf("Clean(%q, %d) = %q has %d cells", s, limit, got, Width(got))
	case limit == 0 && Clean(got, 0) != got:
		t.Fatalf("Clean(%q) = %q, cleaned again %q", s, got, Clean(got, 0))
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, 20)
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		cleaned(t, s, max(0, limit))
	})
}

// hostile are pieces that text from outside may be made of.
var hostile = []string{
	"a", "word", " ", "  ", "\n", "\r\n", "\t", "--commit=auto", "品質", "한국어", "e\u0301", "हिन्दी", "ก็ำ", "👩\u200d👩\u200d👧\u200d👦", "👍\U0001f3fd", "⚠\ufe0f",
	"1\ufe0f\u20e3", "🇩🇪", "🚀", "\u202e", "\u2066", "\u200b", "\u00ad", "\x1b[31m", "\x1b[2J", "\x1b]0;x\a", "\x1b]52;c;x", "\x1bP", "\u009b1m", "\x9b", "\xff",
	"\x00", "\b", "\a", "\x1b", "::error::x", "##[x]", "##vso[y]", "%0A", "\u1100\u1100\u1161", "\U000e0041", "\ue000", strings.Repeat("x", 200), "║", "│", "\u0301",
	"ﷺ", "a\u034f", "\u3000", "\u2028", "\u1160", "\uffff", "𒐫", "ÅÄÖ", "ｆｕｌｌ",
}

func foreign() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		piece := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String())
		return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	})
}

func TestCleanLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cleaned(t, foreign().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "limit"))
	})
}

// TestWrapLaw: every row fits, no word is broken that fits a row, and nothing is lost.
func TestWrapLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, cells := Clean(foreign().Draw(t, "text"), 0), rapid.IntRange(4, 40).Draw(t, "cells")
		rows := wrap(text, cells)
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
	rows := wrap("autobuild docs/feature-plan.md --commit=auto --resume", 24)
	want := []string{"autobuild", "docs/feature-plan.md", "--commit=auto --resume"}
	if strings.Join(rows, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", rows, want)
	}
}

// TestWrapEndsOnStackedLetters: some letters join to one character of any width.
func TestWrapEndsOnStackedLetters(t *testing.T) {
	rows := wrap(strings.Repeat("\u1100", 50), 10)
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
