package verify

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"autobuild/internal/safefile"
	"autobuild/state"
)

var (
	fireTotal = regexp.MustCompile(`^\[(?:INFO|WARNING|ERROR)\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$`)
	fireTest  = regexp.MustCompile(`^\[ERROR\]\s+((?:[\w$]+\.)+[\w$]+)(?::(\d+))?(?:->\S+)? (.+)$`)
	fireNames = regexp.MustCompile(`^\[ERROR\] (Failures|Errors):\s*$`)
)

// surefire reads what Maven's test plugin prints. The reports that it leaves say more: see
// junitReports.
type surefire struct {
	report
	place
	on bool // within the list of failures
}

func (f *surefire) line(s string) {
	if m := fireTotal.FindStringSubmatch(s); m != nil {
		f.known, f.on = true, false
		f.ran += number(m[1]) - number(m[4])
		f.failed += number(m[2]) + number(m[3])
		return
	}
	if fireNames.MatchString(s) {
		f.on = true
		return
	}
	if m := fireTest.FindStringSubmatch(s); m != nil && f.on {
		t := f.fail(m[1], "")
		t.Line = number(m[2])
		explain(t, m[3])
	}
}

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

// stamps remembers which reports there are, so that those of an earlier run are not taken for this
// one's.
func stamps(dir string) map[string]time.Time {
	out := map[string]time.Time{}
	for _, pattern := range reportFiles {
		found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(dir), filepath.FromSlash(pattern)))
		if err != nil {
			continue
		}
		for _, path := range found {
			if info, serr := os.Stat(path); serr == nil && info.Mode().IsRegular() && len(out) < maxReports {
				out[path] = info.ModTime()
			}
		}
	}
	return out
}

// junitReports reads the reports that are new since before. Nil means that there are none.
func junitReports(dir string, before map[string]time.Time, seen *names) *report {
	var r *report
	after := stamps(dir)
	for _, path := range sorted(after) {
		if old, ok := before[path]; ok && old.Equal(after[path]) {
			continue
		}
		if r == nil {
			r = &report{}
		}
		readJUnit(path, r, seen)
	}
	return r
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
func readJUnit(path string, r *report, seen *names) {
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

var javaFrame = regexp.MustCompile(`\((\w+\.(?:java|kt|groovy|scala)):(\d+)\)`)
