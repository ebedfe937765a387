package text

import (
	"fmt"
	"strings"
	"testing"
)

func TestLastRows(t *testing.T) {
	for _, c := range []struct {
		text string
		room int
		want string
	}{
		{"a\nb\nc\n", 2, "b|c"}, {"a\r\nb\r\n\n\n", 5, "a|b"}, {"", 3, ""}, {"\n\n", 3, ""}, {"a", 1, "a"}, {"\na", 2, "|a"},
	} {
		if got := strings.Join(LastLines(c.text, c.room), "|"); got != c.want {
			t.Errorf("lastRows(%q, %d) = %q, want %q", c.text, c.room, got, c.want)
		}
	}
	long := fmt.Sprintf("  \t%s\x1b[31m", strings.Repeat("x", 5000))
	if got := Indented(long); !strings.HasPrefix(got, "      x") || Width(got) > longLine+40 {
		t.Errorf("%d cells of a long line", Width(got))
	}
}
