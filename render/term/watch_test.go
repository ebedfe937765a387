package term

import (
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/render"
	"autobuild/render/rendertest"
)

// TestWatchFits: for every run, a screen has as many lines as there is room for, and shows the most
// important first.
func TestWatchFits(t *testing.T) {
	run, live := rendertest.ManyPhases(t), rendertest.Going(t)
	for _, width := range []int{40, 80, 120} {
		for height := 1; height < 140; height += 3 {
			text := Watch(run, false, rendertest.Midnight, render.Style{Width: width}, height)
			if n := strings.Count(text, "\n"); n > height {
				t.Fatalf("%d lines in %d at %d columns:\n%s", n, height, width, text)
			}
		}
	}
	text := Watch(run, false, rendertest.Midnight, render.Style{Width: 120}, 14)
	rendertest.Has(t, text, "60", "61", "62", "failed", "more\n")
	rendertest.Golden(t, "watch.txt", text+"----\n"+Watch(&live.Run, true, live.Now, render.Style{}, 24))
	if whole := Watch(run, false, rendertest.Midnight, render.Style{Width: 120}, 500); strings.Contains(whole, "more\n") || strings.Count(whole, "\n") < 100 {
		t.Error("there is room for all, and not all is shown")
	}
}

// screenOf is the screen of a terminal after text that moves up, returns and clears lines.
func screenOf(text string) []string {
	rows, at, written := []string{""}, 0, false
	for len(text) > 0 {
		switch {
		case strings.HasPrefix(text, "\x1b[?2026h"), strings.HasPrefix(text, "\x1b[?2026l"):
			text = text[8:]
		case strings.HasPrefix(text, "\x1b[K"):
			if !written {
				rows[at] = ""
			}
			text = text[3:]
		case strings.HasPrefix(text, "\x1b["):
			end := strings.IndexByte(text, 'A')
			n := 0
			for _, c := range text[2:end] {
				n = n*10 + int(c-'0')
			}
			at, text = max(0, at-n), text[end+1:]
		case text[0] == '\r':
			text = text[1:]
		case text[0] == '\n':
			written = false
			if at++; at == len(rows) {
				rows = append(rows, "")
			}
			text = text[1:]
		default:
			if !written {
				rows[at], written = "", true
			}
			rows[at], text = rows[at]+text[:1], text[1:]
		}
	}
	return rows
}

// TestRedrawn: each screen replaces the one before it, shorter ones too, and nothing above is
// touched.
func TestRedrawn(t *testing.T) {
	out, rows := "prompt\r\n", 0
	for _, text := range []string{"one\ntwo\nthree\n", "1\n2\n", "a\nb\nc\nd\n"} {
		var drawn string
		drawn, rows = Redrawn(text, rows)
		out += drawn
		if strings.Contains(drawn, "\x1b[J") || strings.Contains(drawn, "\x1b[2J") {
			t.Errorf("the screen is cleared: %q", drawn)
		}
	}
	if got := strings.TrimRight(strings.Join(screenOf(out), "|"), "|"); got != "prompt|a|b|c|d" || rows != 4 {
		t.Errorf("the screen shows %q, %d rows", got, rows)
	}
}

// TestChanges: a pipe receives only the changes.
func TestChanges(t *testing.T) {
	x := rendertest.Begin(t, rendertest.FeaturePlan(t), nil)
	before := rendertest.Begin(t, rendertest.FeaturePlan(t), nil)
	if text := Changes(&before.Run, &x.Run, true, x.Now, render.Style{}); text != "" {
		t.Errorf("nothing changed, and it says %q", text)
	}
	x.Start("0")
	x.Fail("0", failure.Retry)
	text := Changes(&before.Run, &x.Run, true, x.Now, render.Style{})
	if strings.Count(text, "\n") > 3 || !strings.Contains(text, "failed") || strings.Contains(text, "Setup") {
		t.Errorf("it says %q", text)
	}
}
