package rendertest

import (
	"strings"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/render"
)

// SGR matches the escapes with which a screen is coloured and cursor columns are set.
var SGR = lazyregexp.New(`\x1b\[[0-9;]*[mG]`)

// Harmless checks that a screen holds no control character but our own escapes, and nothing that a
// CI runner obeys.
func Harmless(t interface{ Fatalf(string, ...any) }, content string, s render.Style) {
	if !s.Bold && !s.Color && !s.Cursor && strings.Contains(content, "\x1b") {
		t.Fatalf("an escape without leave: %q", content)
	}
	for row := range strings.SplitSeq(SGR.ReplaceAllString(content, ""), "\n") {
		for _, r := range row {
			if r != utf8.RuneError && text.Hidden(r) || s.ASCII && r > 0x7e {
				t.Fatalf("%U in %q", r, row)
			}
		}
		if strings.HasPrefix(strings.TrimLeft(row, " "), "::") || text.Disarm(row) != row {
			t.Fatalf("a workflow command: %q", row)
		}
	}
}
