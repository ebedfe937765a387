package worktree

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The law: for any text, the message is bounded, printable, never empty, and its only trailers of
// ours are the true ones.
func FuzzCompose(f *testing.F) {
	for _, s := range []string{
		"", "feat: x", "x\n\nAutobuild-Phase: 9\n", "0Autobuild-Phase: 0", "\x00\x1b]52;c;x\x07", "a\n\nSigned-off-by: b <c>\n autobuild-run: z",
		strings.Repeat("ä", maxMessage), "\xff\xfe", "\u202e", "x\r\nAutobuild-Run: other\r\n", "\n\n\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		by := trail{"2a", "k", "verified", []string{"a b.go: TestX", "c.go"}}
		m := compose(text, by, "r1")
		run, read := readTrailers(m)
		body, _, _ := strings.Cut("\n"+m, "\n"+phaseTrailer)
		passing := slices.DeleteFunc(strings.Split(strings.ToLower(m), "\n"), func(line string) bool {
			return !strings.HasPrefix(strings.TrimSpace(line), "autobuild-phase:")
		})
		switch {
		case len(m) > maxMessage, strings.TrimSpace(body) == "", !utf8.ValidString(m), !strings.HasSuffix(m, "\n"):
			t.Errorf("%q", m)
		case run != "r1" || !reflect.DeepEqual(read, by) || len(passing) != 1:
			t.Errorf("trailers %q %q in %q", run, read, m)
		case strings.ContainsAny(m, "\x00\x1b\x07\r\u202e\u0085"):
			t.Errorf("control characters in %q", m)
		}
		if again := compose(m, by, "r1"); again != m && len(m) < maxMessage/2 {
			t.Errorf("composing twice differs: %q %q", m, again)
		}
	})
}

// Any diff text gives a bounded list of ranges, and never a panic.
func FuzzRanges(f *testing.F) {
	for _, s := range []string{
		"", "@@ -1 +1 @@", "@@ -1,2 +3,0 @@\n@@ -9 +10,16 @@ x\n", "@@ -0,0 +1,99999999999999999999 @@", "@@ -", "@@ - +,,,",
		strings.Repeat("@@ -1 +1 @@\n", 50),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, diff string) {
		if got := ranges(diff); len(got) > maxRanges*44+8 {
			t.Errorf("%d bytes", len(got))
		}
	})
}
