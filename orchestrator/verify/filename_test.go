package verify

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// No two gates share a log, on no file system.
func TestFileName(t *testing.T) {
	long := strings.Repeat("a", 70)
	for _, pair := range [][2]string{{"Build", "build"}, {"a b", "a-b"}, {"a.b", "a-b"}, {long + "1", long + "2"}, {long, long[:60]}, {"ä", "ö"}} {
		if a, b := fileName(pair[0]), fileName(pair[1]); a == b {
			t.Errorf("%q and %q are both %q", pair[0], pair[1], a)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		x, y := fileName(a), fileName(b)
		if len(x) > maxName || strings.Trim(x, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || (x == y) != (a == b) {
			t.Fatalf("%q: %q, %q: %q", a, x, b, y)
		}
	})
}
