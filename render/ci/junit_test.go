package ci

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"autobuild/internal/text/texttest"
	"autobuild/render/rendertest"
	"autobuild/state"
)

// suites is a run as JUnit gets it, with logs that hold their own names.
func suites(run *state.Run, exit int) Suites {
	return Suites{
		Run: run, Plan: "docs/feature-plan.md", Exit: exit, Time: rendertest.Midnight,
		Read: func(log string) string { return "first\n\tof " + log + "\n" },
	}
}

// readCase holds the parts of a case that a reader of test results uses.
type readCase struct {
	Class   string    `xml:"classname,attr"`
	Name    string    `xml:"name,attr"`
	Failure *struct{} `xml:"failure"`
	Error   *struct{} `xml:"error"`
	Skipped *struct{} `xml:"skipped"`
	Flaky   *struct {
		Type string `xml:"type,attr"`
		Out  string `xml:"system-out"`
	} `xml:"flakyFailure"`
	Out string `xml:"system-out"`
}

type readSuite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []readCase `xml:"testcase"`
}

type readRoot struct {
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Suites   []readSuite `xml:"testsuite"`
}

// allowedXML are the elements and attributes of xunit's schema 10, as far as they are used: strict
// readers refuse others.
var allowedXML = map[string]string{
	"testsuites": "name time tests failures errors", "testsuite": "name id tests failures errors skipped time timestamp", "properties": "", "property": "name value",
	"testcase": "classname name time", "skipped": "type message", "error": "type message", "failure": "type message", "flakyFailure": "type message",
	"stackTrace": "", "system-out": "",
}

// readJUnit reads a document and checks its laws: it is XML, in the schema's words, its sums agree,
// and no case has two names or two results.
func readJUnit(t testing.TB, text []byte) readRoot {
	t.Helper()
	for dec := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		switch x := token.(type) {
		case xml.StartElement:
			attributes, known := allowedXML[x.Name.Local]
			if !known {
				t.Fatalf("the schema has no element %s", x.Name.Local)
			}
			for _, a := range x.Attr {
				if !strings.Contains(" "+attributes+" ", " "+a.Name.Local+" ") {
					t.Fatalf("the schema has no attribute %s of %s", a.Name.Local, x.Name.Local)
				}
			}
		case xml.CharData:
			if strings.ContainsFunc(string(x), func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
				t.Fatalf("control characters in %q", x)
			}
		}
	}
	var root readRoot
	if err := xml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var sum readRoot
	for _, s := range root.Suites {
		var mine readSuite
		names := make(map[string]bool)
		for _, c := range s.Cases {
			results := 0
			mine.Tests++
			if c.Failure != nil {
				mine.Failures++
				results++
			}
			if c.Error != nil {
				mine.Errors++
				results++
			}
			if c.Skipped != nil {
				mine.Skipped++
				results++
			}
			if results > 1 || names[c.Class+"|"+c.Name] {
				t.Fatalf("case %s of %s: %d results, its name is taken: %t", c.Name, c.Class, results, names[c.Class+"|"+c.Name])
			}
			names[c.Class+"|"+c.Name] = true
		}
		if s.Tests != mine.Tests || s.Failures != mine.Failures || s.Errors != mine.Errors || s.Skipped != mine.Skipped || s.Tests == 0 {
			t.Fatalf("suite %s says %d %d %d %d and has %+v", s.Name, s.Tests, s.Failures, s.Errors, s.Skipped, mine)
		}
		sum.Tests, sum.Failures, sum.Errors = sum.Tests+s.Tests, sum.Failures+s.Failures, sum.Errors+s.Errors
	}
	if root.Tests != sum.Tests || root.Failures != sum.Failures || root.Errors != sum.Errors {
		t.Fatalf("the sums are %d %d %d, of %d %d %d", root.Tests, root.Failures, root.Errors, sum.Tests, sum.Failures, sum.Errors)
	}
	return root
}

func junit(t testing.TB, s Suites) readRoot {
	t.Helper()
	text, err := JUnit(s)
	rendertest.Check(t, err)
	return readJUnit(t, text)
}

func TestJUnitGolden(t *testing.T) {
	text, err := JUnit(suites(&rendertest.Halted(t, nil).Run, 1))
	rendertest.Check(t, err)
	readJUnit(t, text)
	rendertest.Golden(t, "junit.xml", string(text))
	text, err = JUnit(suites(rendertest.HardRun(t), 0))
	rendertest.Check(t, err)
	rendertest.Golden(t, "junit-flaky.xml", string(text))
}

// TestJUnitResults: a reader's counts agree with the run's own.
func TestJUnitResults(t *testing.T) {
	for _, c := range []struct {
		name             string
		s                Suites
		failures, errors int
	}{
		{"halted", suites(&rendertest.Halted(t, nil).Run, 1), 4, 0}, // two attempts and their gate
		{"complete after a retry", suites(rendertest.HardRun(t), 0), 0, 0},
		{"unverified", Suites{Run: rendertest.HardRun(t), Exit: 5, Err: "complete, but unverified"}, 0, 1},
		{"stopped at a limit", suites(rendertest.Stopped(t, state.Stopped, "the deadline was reached"), 4), 0, 1},
		{"interrupted", suites(rendertest.Stopped(t, state.Interrupted, "interrupted by Ctrl-C"), 130), 0, 1},
		{"never began", Suites{Plan: "plan.md", Exit: 2, Err: "plan.md:3:1: unknown phase"}, 0, 1},
		{"could not resume", Suites{Run: &rendertest.Halted(t, nil).Run, Exit: 3, Err: "no agent"}, 4, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := junit(t, c.s)
			if root.Failures != c.failures || root.Errors != c.errors {
				t.Errorf("%d failures and %d errors, want %d and %d", root.Failures, root.Errors, c.failures, c.errors)
			}
		})
	}
}

// TestJUnitFlaky: a failure in a phase that completed later is a flaky failure, with its output.
func TestJUnitFlaky(t *testing.T) {
	flaky := 0
	for _, s := range junit(t, suites(rendertest.HardRun(t), 0)).Suites {
		for _, c := range s.Cases {
			if c.Flaky == nil {
				continue
			}
			flaky++
			if !strings.HasPrefix(s.Name, "2A") || !strings.HasPrefix(c.Name, "attempt 1") || c.Flaky.Type == "" || !strings.Contains(c.Flaky.Out, "    of logs/phase-2a") {
				t.Errorf("flaky in %s: %+v", s.Name, c)
			}
		}
	}
	if flaky != 2 {
		t.Errorf("%d flaky cases, want the attempt and its gate", flaky)
	}
}

// TestJUnitLaw: no text breaks the document or the reader.
func TestJUnitLaw(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := texttest.Foreign().Draw(r, "text")
		s := suites(rendertest.Poisoned(t, text), 1)
		s.Plan, s.Read = text, func(string) string { return text + "\n" + text }
		out, err := JUnit(s)
		rendertest.Check(t, err)
		root := readJUnit(t, out)
		if len(root.Suites) != 7 {
			r.Fatalf("%d suites", len(root.Suites))
		}
		if said := obeyed(string(out)); len(said) != 0 {
			r.Fatalf("printed in a CI log it says %v", said)
		}
	})
}
