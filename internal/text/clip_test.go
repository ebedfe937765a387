package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"autobuild/internal/text"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 5, ""}, {"short", 5, "short"}, {"longer", 5, "lo…"}, {"äöü", 6, "äöü"}, {"äöüx", 6, "ä…"}, {"äöü", 5, "ä…"}, {"abc", 1, "…"},
	} {
		if got := text.Clip(c.in, c.n); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
	if got := text.OneLine(" a \n\tb  c "); got != "a b c" {
		t.Errorf("%q", got)
	}
}

// TestClipLaw: the result fits, is valid where the text is, and is the text itself where that fits.
func TestClipLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(3, 60).Draw(t, "n")
		got := text.Clip(s, n)
		if len(got) > n || !utf8.ValidString(got) || len(s) <= n && got != s {
			t.Fatalf("Clip(%q, %d) = %q", s, n, got)
		}
		if body, cut := strings.CutSuffix(got, "…"); cut && len(s) > n && !strings.HasPrefix(s, body) {
			t.Fatalf("Clip(%q, %d) = %q", s, n, got)
		}
	})
}
