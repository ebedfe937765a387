// Package output reads what gates print: counts, failing tests, the names of passing ones, and the
// places that linters and compilers complain of. Each runner has a reader that sees the output line
// by line, so memory has a bound. It does not run gates, and no output changes a verdict.
package output

import (
	"bufio"
	"errors"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/safefile"
	"autobuild/state"
)

// Bounds of what is kept of an output. More is counted and not kept.
const (
	maxFindings = 50       // tests, places
	maxLine     = 64 << 10 // bytes of a line that are read
	maxScan     = 4 << 10  // … and that are looked at, where it is not a line of JSON
	maxText     = 400      // bytes of one name or message
	maxTail     = 4 << 10  // bytes of Gate.Tail
	maxModule   = 1 << 20  // bytes of a go.mod

	maxLines = 1 << 19 // lines that are looked at from the beginning of an output …
	maxEnd   = 4 << 20 // … and bytes at its end, where summaries stand, of one that has more
)

// A reader knows the output of one tool. It sees the beginning of every line, coloured ones without
// their colours, and must not keep more than report does.
type reader interface {
	line(s string)
	found() *report
}

// testReaders are the test runners that are known. Their summaries do not look alike, so that all
// of them can listen to a gate that runs several.
func testReaders(place Paths) []reader {
	return []reader{
		&goTest{Paths: place}, &pytest{Paths: place}, &unittest{Paths: place},
		&jest{Paths: place}, &vitest{Paths: place}, &mocha{Paths: place}, &nodeSpec{Paths: place},
		&tap{Paths: place},
		&cargoTest{Paths: place},
	}
}

// Read fills in what a gate's output says: counts, failing tests, findings. It cannot change the
// status.
func Read(where Paths, out io.Reader, tail string, g *state.Gate, seen *Names) {
	readers, events := testReaders(where), &goJSON{Paths: where}
	found := &findings{place: where, format: g.Kind == state.KindFormat}
	seen.full = eachLine(out, func(s string) {
		if strings.HasPrefix(s, `{"`) {
			events.line(s)
			seen.goEvent(s)
			s = goOutput(s)
		}
		s = plain(s[:min(len(s), maxScan)])
		for _, r := range readers {
			r.line(s)
		}
		seen.line(s)
		found.line(s)
	})
	var sum report
	for _, r := range append(readers, events) {
		if rep := r.found(); rep.known || len(rep.tests) > 0 {
			sum.add(rep)
		}
	}
	if where.reports != nil {
		sum.add(where.reports)
	}
	g.Count = sum.ran
	if g.Status == state.GatePassed {
		return
	}
	g.Tests, g.Failed = sum.tests, max(sum.failed, sum.total)
	if g.Kind != state.KindTest || len(g.Tests) < maxFindings {
		g.Places = found.places
	}
	if g.Kind != state.KindTest && found.total > 0 || g.Failed == 0 {
		g.Failed = found.total
	}
	g.Tail = lastBytes(tail, maxTail)
	if g.Exit == 127 {
		g.Missing = missingTool(tail)
	}
}

// report is what one tool's output says.
type report struct {
	known  bool // its summary was seen
	ran    int
	failed int // as the summary counts
	total  int // as found, those not kept included
	tests  []state.Test
}

func (r *report) found() *report { return r }

func (r *report) add(o *report) {
	r.ran, r.failed, r.total = r.ran+o.ran, r.failed+max(o.failed, o.total), r.total+o.total
	r.tests = append(r.tests, o.tests[:min(len(o.tests), maxFindings-len(r.tests))]...)
}

// fail records a failing test and returns it, so that later lines can add where and why. A test
// that is printed twice, as some summaries do, is one test.
func (r *report) fail(name, file string) *state.Test {
	name, file = clip(name), clip(file)
	for i := range r.tests {
		if r.tests[i].Name == name && r.tests[i].File == file {
			return &r.tests[i]
		}
	}
	r.total++
	if len(r.tests) == maxFindings {
		return &state.Test{} // somewhere to write to
	}
	if r.tests == nil {
		r.tests = make([]state.Test, 0, maxFindings) // never grows: pointers into it stay
	}
	r.tests = append(r.tests, state.Test{Name: name, File: file})
	return &r.tests[len(r.tests)-1]
}

// explain adds a message to a test that has none.
func explain(t *state.Test, message string) {
	if t == nil {
		return
	}
	t.Compare(message)
	if t.Message == "" {
		t.Message = clip(strings.TrimSpace(message))
	}
}

// locate adds file and line to a test that has none.
func locate(t *state.Test, file, line string) {
	if t == nil || file == "" || t.Line > 0 || t.File != "" && t.File != file {
		return
	}
	t.File, t.Line = clip(file), number(line)
}

// Paths turns names in an output into paths from the directory in which the gate ran.
type Paths struct {
	Dir    string   // absolute
	same   []string // other names of it
	module string   // Go's

	reports *report // from the files that the gate wrote; nil: none
}

// NewPlace is a directory of this machine, with its other names and its Go module.
func NewPlace(dir string) Paths {
	p := Paths{Dir: filepath.ToSlash(dir)}
	if abs, err := filepath.Abs(dir); err == nil {
		p.Dir = filepath.ToSlash(abs)
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil &&
		filepath.ToSlash(resolved) != p.Dir {
		p.same = append(p.same, filepath.ToSlash(resolved))
	}
	text, err := safefile.Read(filepath.Join(dir, "go.mod"), maxModule)
	if m := goModule.FindSubmatch(text); err == nil && m != nil {
		p.module = string(m[1])
	}
	return p
}

var goModule = lazyregexp.New(`(?m)^module\s+"?([^\s"]+)`)

// rel is a path relative to the directory, with slashes.
func (p Paths) rel(name string) string {
	name = strings.ReplaceAll(strings.TrimPrefix(name, "file://"), `\`, "/")
	for _, dir := range append([]string{p.Dir}, p.same...) {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok && dir != "" {
			return rest
		}
	}
	if name == "" {
		return ""
	}
	return path.Clean(name)
}

// inside reports whether a path is one of the project's own files.
func (p Paths) inside(name string) bool {
	rel := p.rel(name)
	return rel != "" && !path.IsAbs(rel) && !strings.HasPrefix(rel, "..") &&
		!strings.Contains(rel, "node_modules/") && !strings.Contains(rel, ":") &&
		!strings.HasPrefix(rel, "vendor/")
}

// eachLine calls f with every line, cut to maxLine bytes, in memory that does not depend on the
// input. A read error ends the reading: the findings until then are kept. The middle of a flood is
// left out: it would take minutes; cut reports that.
func eachLine(r io.Reader, f func(string)) (cut bool) {
	br := bufio.NewReaderSize(r, maxLine)
	for n := 1; ; n++ {
		b, err := br.ReadSlice('\n')
		if len(b) > 0 {
			f(strings.TrimRight(string(b), "\r\n"))
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = br.ReadSlice('\n')
		}
		if err != nil {
			return cut
		}
		if n == maxLines {
			toEnd(r, br)
			cut = true
		}
	}
}

// toEnd goes on with the first whole line of an output's last part, unless that has begun already
// or it cannot be sought in.
func toEnd(r io.Reader, br *bufio.Reader) {
	s, ok := r.(io.Seeker)
	if !ok {
		return
	}
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil || end-at <= maxEnd {
		_, _ = s.Seek(at, io.SeekStart) // where it cannot go back, the reading ends
		return
	}
	if _, err = s.Seek(-maxEnd, io.SeekEnd); err == nil {
		br.Reset(r)
		for _, err = br.ReadSlice('\n'); errors.Is(err, bufio.ErrBufferFull); {
			_, err = br.ReadSlice('\n')
		}
	}
}

// colours are terminal sequences, as they are and as a log shows them.
var colours = lazyregexp.New(`(?:\x1b|\\x1b)(?:\[[0-9;?]*[A-Za-z]|\([A-Z0-9])`)

func plain(s string) string {
	if !strings.Contains(s, "\x1b") && !strings.Contains(s, `\x1b`) {
		return s
	}
	return colours.ReplaceAllString(s, "")
}

// clip bounds a name or a message, on a rune boundary.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxText {
		return s
	}
	n := maxText - len("…")
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// lastBytes is the end of s, from the beginning of a line where there is one.
func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	if _, rest, ok := strings.Cut(s, "\n"); ok && rest != "" {
		return rest
	}
	return s
}

// number reads a number that a pattern has found; one too large is none.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// notFound is how shells and make name a program that they did not find.
var notFound = lazyregexp.New(
	`(?m)([\w@./+-]+): (?:command )?not found$|command not found: ([\w@./+-]+)$|: ([\w@./+-]+): No such file or directory$`)

// missingTool names what a shell did not find when a command ended with 127.
func missingTool(tail string) string {
	if m := notFound.FindStringSubmatch(tail); m != nil {
		return path.Base(strings.Join(m[1:], ""))
	}
	return ""
}
