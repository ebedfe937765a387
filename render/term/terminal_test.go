package term

import (
	"testing"

	"autobuild/render"
)

func TestStyleFor(t *testing.T) {
	utf8 := map[string]string{"LANG": "en_US.UTF-8", "TERM": "xterm-256color"}
	with := func(pairs ...string) map[string]string {
		env := map[string]string{"LANG": "en_US.UTF-8", "TERM": "xterm-256color"}
		for i := 0; i < len(pairs); i += 2 {
			env[pairs[i]] = pairs[i+1]
		}
		return env
	}
	for _, c := range []struct {
		name string
		term Terminal
		env  map[string]string
		want render.Style
	}{
		{"terminal", Terminal{TTY: true, Columns: 132}, utf8, render.Style{Width: 132, Color: true, Bold: true, Cursor: true}},
		{"terminal of unknown size", Terminal{TTY: true}, with("COLUMNS", "70"), render.Style{Width: 70, Color: true, Bold: true, Cursor: true}},
		{"pipe", Terminal{Columns: 132}, utf8, render.Style{Width: 80}},
		{"pipe with COLUMNS", Terminal{}, with("COLUMNS", "100"), render.Style{Width: 100}},
		{"pipe with nonsense COLUMNS", Terminal{}, with("COLUMNS", "-3"), render.Style{Width: 80}},
		{"NO_COLOR=1", Terminal{TTY: true, Columns: 80}, with("NO_COLOR", "1"), render.Style{Width: 80, Bold: true, Cursor: true}},
		{"NO_COLOR=yes", Terminal{TTY: true, Columns: 80}, with("NO_COLOR", "yes"), render.Style{Width: 80, Bold: true, Cursor: true}},
		{"NO_COLOR empty", Terminal{TTY: true, Columns: 80}, with("NO_COLOR", ""), render.Style{Width: 80, Color: true, Bold: true, Cursor: true}},
		{"flag", Terminal{TTY: true, Columns: 80, NoColor: true}, utf8, render.Style{Width: 80, Bold: true, Cursor: true}},
		{"CLICOLOR=0", Terminal{TTY: true, Columns: 80}, with("CLICOLOR", "0"), render.Style{Width: 80, Bold: true, Cursor: true}},
		{"dumb", Terminal{TTY: true, Columns: 80}, with("TERM", "dumb"), render.Style{Width: 80, ASCII: true}},
		{"legacy console", Terminal{TTY: true, Columns: 80, Legacy: true}, utf8, render.Style{Width: 80, ASCII: true}},
		{"latin 1", Terminal{TTY: true, Columns: 80}, with("LANG", "de_DE.ISO-8859-1"), render.Style{Width: 80, Color: true, Bold: true, Cursor: true, ASCII: true}},
		{"LC_ALL=C wins", Terminal{}, with("LC_ALL", "C"), render.Style{Width: 80, ASCII: true}},
		{"no locale at all", Terminal{}, map[string]string{}, render.Style{Width: 80}},
		{"utf8 without a dash", Terminal{}, map[string]string{"LC_CTYPE": "C.utf8"}, render.Style{Width: 80}},
		{"forced in a pipe", Terminal{}, with("FORCE_COLOR", "1"), render.Style{Width: 80, Color: true, Bold: true}},
		{"forced by CLICOLOR_FORCE", Terminal{}, with("CLICOLOR_FORCE", "1"), render.Style{Width: 80, Color: true, Bold: true}},
		{"not forced by 0", Terminal{}, with("FORCE_COLOR", "0"), render.Style{Width: 80}},
		{"NO_COLOR beats force", Terminal{}, with("FORCE_COLOR", "1", "NO_COLOR", "1"), render.Style{Width: 80, Bold: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.term.Getenv = func(name string) string { return c.env[name] }
			c.want.Wrap = c.term.TTY // of every window, and of nothing else
			if got := StyleFor(c.term); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	if got := StyleFor(Terminal{}); got != (render.Style{Width: 80}) {
		t.Errorf("an unknown place gets %+v", got)
	}
}
