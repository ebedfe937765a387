package output

import (
	"encoding/xml"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/safefile"
	"autobuild/state"
)

// reportFiles are where Maven and Gradle leave JUnit XML, in a project and in its modules.
var reportFiles = []string{
	"target/surefire-reports/TEST-*.xml", "*/target/surefire-reports/TEST-*.xml",
	"target/failsafe-reports/TEST-*.xml", "*/target/failsafe-reports/TEST-*.xml",
	"build/test-results/*/TEST-*.xml", "*/build/test-results/*/TEST-*.xml",
}

const (
	maxReports = 5000    // files
	maxReport  = 8 << 20 // bytes of one
)

// ReportTimes remembers which reports there are, so that those of an earlier run are not taken for
// this one's.
func ReportTimes(dir string) map[string]time.Time {
	out := map[string]time.Time{}
	for _, pattern := range reportFiles {
		found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(dir),
			filepath.FromSlash(pattern)))
		if err != nil {
			continue
		}
		for _, path := range found {
			if info, serr := os.Stat(path); serr == nil && info.Mode().IsRegular() &&
				len(out) < maxReports {
				out[path] = info.ModTime()
			}
		}
	}
	return out
}

// TakeReports reads the reports in dir that are new since before, for the reading that follows.
func (p *Paths) TakeReports(dir string, before map[string]time.Time, seen *Names) {
	after := ReportTimes(dir)
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[path]; ok && old.Equal(after[path]) {
			continue
		}
		if p.reports == nil {
			p.reports = &report{}
		}
		readJUnit(path, p.reports, seen)
	}
}

type junitCase struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	File    string      `xml:"file,attr"`
	Line    int         `xml:"line,attr"`
	Failure *junitFault `xml:"failure"`
	Error   *junitFault `xml:"error"`
	Skipped *struct{}   `xml:"skipped"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// readJUnit adds one file, case by case. A file that is broken counts as far as it goes.
func readJUnit(path string, r *report, seen *Names) {
	f, err := safefile.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // only read from
	dec := xml.NewDecoder(io.LimitReader(f, maxReport))
	for {
		tok, err := dec.Token()
		if err != nil {
			return
		}
		start, ok := tok.(xml.StartElement)
		if !ok || start.Name.Local != "testcase" {
			continue
		}
		var c junitCase
		if dec.DecodeElement(&c, &start) != nil {
			return
		}
		r.junit(c)
		seen.junitCase(c)
	}
}

func (r *report) junit(c junitCase) {
	r.known = true
	if c.Skipped != nil {
		return
	}
	r.ran++
	fault := c.Failure
	if fault == nil {
		fault = c.Error
	}
	if fault == nil {
		return
	}
	name := c.Name
	if c.Class != "" {
		name = c.Class + "." + strings.TrimSuffix(c.Name, "()")
	}
	t := r.fail(name, c.File)
	first, _, _ := strings.Cut(strings.TrimSpace(fault.Text), "\n")
	if fault.Message != "" {
		first, _, _ = strings.Cut(strings.TrimSpace(fault.Message), "\n")
	}
	explain(t, first)
	if t.Line = max(c.Line, 0); t.Line == 0 {
		javaLine(t, c.Class, fault.Text)
	}
}

// javaLine finds the test's own frame in a stack: at a.b.CTest.name(CTest.java:12).
func javaLine(t *state.Test, class, stack string) {
	for l := range strings.Lines(stack) {
		if !strings.Contains(l, class+".") {
			continue
		}
		if m := javaFrame.FindStringSubmatch(l); m != nil {
			if t.File == "" {
				t.File = clip(m[1])
			}
			t.Line = number(m[2])
			return
		}
	}
}

var javaFrame = lazyregexp.New(`\((\w+\.(?:java|kt|groovy|scala)):(\d+)\)`)
