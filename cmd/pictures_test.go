package cmd

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"autobuild/internal/text"
)

// Cells of a picture, in its units.
const (
	cellWidth  = 8.43
	cellHeight = 18
	margin     = 16
)

// inks are what the screens' codes look like on the picture's ground.
var inks = map[string]string{
	"1": "font-weight:bold", "2": "opacity:.55", "31": "fill:#ff7b72", "32": "fill:#7ee787", "33": "fill:#e3b341", "34": "fill:#79c0ff", "35": "fill:#d2a8ff", "36": "fill:#76e3ea",
}

// spoken is what stands between two blanks or more.
var spoken = regexp.MustCompile(`\S+( \S+)*`)

var sgr = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

// picture draws a screen with colours as SVG. Every run of one colour has its own place, so that
// lines meet in any font.
func picture(t *testing.T, title, screen string) string {
	t.Helper()
	rows, columns := strings.Split(strings.TrimRight(screen, "\n"), "\n"), 0
	var out strings.Builder
	for y, row := range rows {
		at, look := 0, ""
		put := func(content string) {
			// viewers fold blanks that follow each other
			for _, m := range spoken.FindAllStringIndex(content, -1) {
				word := content[m[0]:m[1]]
				var escaped strings.Builder
				_ = xml.EscapeText(&escaped, []byte(word)) // into memory
				fmt.Fprintf(&out, `<text x="%.2f" y="%d" textLength="%.2f" style="%s">%s</text>`+"\n",
					margin+float64(at+text.Width(content[:m[0]]))*cellWidth, margin+24+y*cellHeight+14, float64(text.Width(word))*cellWidth, look, escaped.String())
			}
			at += text.Width(content)
		}
		for {
			m := sgr.FindStringSubmatchIndex(row)
			if m == nil {
				break
			}
			put(row[:m[0]])
			look = ""
			for code := range strings.SplitSeq(row[m[2]:m[3]], ";") {
				if code != "" && code != "0" && inks[code] == "" {
					t.Fatalf("%s: no ink for the code %q", title, code)
				}
				look += inks[code] + ";"
			}
			row = row[m[1]:]
		}
		put(row)
		columns = max(columns, at)
	}
	width, height := 2*margin+float64(columns)*cellWidth, 2*margin+24+len(rows)*cellHeight
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" role="img" aria-label="%s" xml:space="preserve">
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="#e6edf3">
<text x="%d" y="%d" opacity=".6">$ %s</text>
%s</g>
</svg>
`, width, height, width, height, title, margin, margin+12, title, out.String())
}

var tags = regexp.MustCompile(`<[^>]*>`)

// said is what a picture says, wherever its words stand: durations move what is behind them.
func said(svg string) string {
	return strings.Join(strings.Fields(steady(tags.ReplaceAllString(svg, "  "))), "")
}

// holdPicture compares a picture with the one in the docs.
func holdPicture(t *testing.T, name, svg string) {
	t.Helper()
	path := filepath.Join("..", "docs", "screens", name+".svg")
	raw, err := os.ReadFile(path)
	if strings.Contains(svg, "%!") {
		t.Fatalf("%s is not drawn as it should be: %.300s", path, svg)
	}
	if err == nil && said(string(raw)) == said(svg) && !strings.Contains(string(raw), "%!") {
		return
	}
	if !*update {
		t.Fatalf("%s shows another screen than comes now (-update draws it): %v", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(svg), 0o644); err != nil {
		t.Fatal(err)
	}
}
