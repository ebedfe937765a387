package html

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"autobuild/render/rendertest"
)

// browse runs a headless Chromium of its own on a page, away from the network, and returns what it
// prints.
func browse(t *testing.T, page string, flags ...string) (stdout, stderr string) {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		t.Skip("no chromium, chromium-browser or google-chrome on PATH to open the page with")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	rendertest.Check(t, os.WriteFile(file, []byte(page), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, program, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--enable-logging=stderr", "--hide-scrollbars", "--user-data-dir=" + filepath.Join(dir, "profile"),
	}, append(flags, "file://"+file)...)...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr, c.WaitDelay = &out, &errs, 5*time.Second
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, errs.String())
	}
	return out.String(), errs.String()
}

var measured = regexp.MustCompile(`wide=(\d+) of=(\d+) hacked=(\w+) details=(\d+) out=(\d+) printed=(\S*) bare=(\d+)`)

// In a browser, with its policy taken away so that it can be measured by a script, the page of
// hostile text is no wider than a small window, nothing in it has run, and no writing leaves its
// box in the graph. On paper stands what is unfolded, and no heading without anything below it.
func TestHTMLInBrowser(t *testing.T) {
	t.Parallel()
	x := rendertest.Halted(t, nil)
	p := pageOf(x)
	p.Run = rendertest.Poisoned(t, markup+strings.Repeat("W", 300))
	page := written(t, p)
	at := strings.Index(page, "<meta http-equiv")
	end := at + strings.IndexByte(page[at:], '\n')
	open := page[:at] + page[end:] + `<script>onload = () => {
		const d = document.documentElement, all = (where, what) => [...where.querySelectorAll(what)], right = e => e.getBoundingClientRect().right
		const screen = "wide=" + d.scrollWidth + " of=" + d.clientWidth
		const out = all(document, ".node").filter(n => all(n, "text").some(t => right(t) > right(n.querySelector("rect"))))
		for (const rule of document.styleSheets[0].cssRules) if (rule.media?.mediaText === "print") rule.media.mediaText = "all"
		const there = e => e.offsetHeight > 0, details = all(document, "details")
		const bare = all(document, "section").filter(there).filter(s => !all(s, "*").some(e => e.tagName !== "H2" && e.getBoundingClientRect().height > 0))
		document.getElementById("phase-1").open = true
		document.title = screen + " hacked=" + (typeof hacked) + " details=" + details.length + " out=" + out.length +
			" printed=" + details.filter(there).map(e => e.id) + " bare=" + bare.length }</script>`
	dom, _ := browse(t, open, "--window-size=400,900", "--dump-dom")
	m := measured.FindStringSubmatch(dom)
	if m == nil {
		t.Fatalf("the page was not measured: %.400s", dom)
	}
	if m[1] != m[2] || m[3] != "undefined" || m[4] != "6" || m[5] != "0" || m[6] != "phase-2a,phase-1" || m[7] != "0" {
		t.Errorf("%s", m[0])
	}
}

// A page of five hundred phases is drawn in the dark too, and the policy forbids nothing that is on
// it.
func TestHTMLDrawn(t *testing.T) {
	t.Parallel()
	x := rendertest.Throng(t, 500, "")
	shot := filepath.Join(t.TempDir(), "page.png")
	_, said := browse(t, written(t, pageOf(x)), "--window-size=1000,1200", "--blink-settings=preferredColorScheme=0", "--screenshot="+shot)
	for line := range strings.Lines(said) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the browser complains: %s", line)
		}
	}
	f, err := os.Open(shot)
	rendertest.Check(t, err)
	defer f.Close() //nolint:errcheck // opened for reading
	picture, err := png.Decode(f)
	rendertest.Check(t, err)
	if b := picture.Bounds(); b.Dx() != 1000 || b.Dy() != 1200 {
		t.Errorf("the picture is %v", b)
	}
	if r, g, b, _ := picture.At(2, 2).RGBA(); r>>8 > 40 || g>>8 > 40 || b>>8 > 40 {
		t.Errorf("the page is not dark: %d %d %d", r>>8, g>>8, b>>8)
	}
}
