package term

import (
	"fmt"
	"strings"
	"testing"

	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/render/rendertest"
)

// Help fits every width: nothing but a call to paste is longer than a line.
func TestHelp(t *testing.T) {
	h := Help{
		Text:  "wait waits until the run that is stored here has ended, however it was started,\nand answers with its exit code.\n\n  laid out   by hand",
		Usage: []string{"autobuild wait [flags]"},
		Examples: []HelpRow{
			{Name: "autobuild wait"},
			{Name: "autobuild wait --timeout 8m", Text: "exit code 124 where it goes on"},
		},
		Groups: []HelpGroup{{Title: "Flags", Rows: []HelpRow{
			{Name: "--timeout duration", Text: "stop waiting after so long; the run goes on"},
			{Name: "--retry-policy single|adaptive|known-fix", Text: "a name too long for the column has a line of its own"},
			{Name: "-h, --help", Text: "show this"},
		}}},
		Last: "More on a command: autobuild COMMAND --help",
	}
	var out strings.Builder
	for _, s := range []render.Style{{Width: 40}, {Width: 80}, {Width: 160, ASCII: true}} {
		page := h.Render(s)
		fmt.Fprintf(&out, "=== %d columns\n%s", s.Width, page)
		for line := range strings.Lines(page) {
			if w := text.Width(strings.TrimSuffix(line, "\n")); w > min(s.Width, helpWidth) && !strings.Contains(line, "--retry-policy") {
				t.Errorf("%d columns: %q has %d", s.Width, line, w)
			}
		}
	}
	rendertest.Golden(t, "help.txt", out.String())
}
