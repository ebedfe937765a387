package text

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"autobuild/internal/text/texttest"
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
		{"marks", "e" + strings.Repeat("\u0301", 9), 0, "e" + strings.Repeat("\u0301", MaxMarks)},
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

// TestCleanIsBounded shows that a limit spares the work: a hundred megabytes would take a second
// otherwise.
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
		return r != ' ' && unicode.IsSpace(r) || r != utf8.RuneError && Hidden(r) || !unicode.IsGraphic(r)
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
	for _, s := range texttest.Hostile {
		f.Add(s, 20)
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		cleaned(t, s, max(0, limit))
	})
}

func TestCleanLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cleaned(t, texttest.Foreign().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "limit"))
	})
}
