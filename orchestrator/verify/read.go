package verify

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// Bounds of what is kept of an output. More is counted and not kept.
const (
	maxFindings = 50       // tests, places
	maxLine     = 64 << 10 // bytes of a line that are read
	maxScan     = 4 << 10  // … and that are looked at, where it is not a line of JSON
	maxText     = 400      // bytes of one name or message

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
func testReaders(place place) []reader {
	return []reader{
		&goTest{place: place}, &pytest{place: place}, &unittest{place: place},
		&jest{place: place}, &vitest{place: place}, &mocha{place: place}, &nodeSpec{place: place}, &tap{place: place},
		&cargoTest{place: place}, &rspec{place: place}, &minitest{place: place},
		&phpunit{place: place}, &dotnet{place: place}, &surefire{place: place},
	}
}

// Read fills in what the output of a gate that has ended says: counts, failing tests, findings, its
// end. It is what a run does with its own gates, for an output that comes from somewhere else: dir,
// which may be empty and need not exist here, is where that was.
func Read(output, dir string, g *state.Gate) {
	where := place{dir: dir}
	read(where, strings.NewReader(output), output, g, newNames(where))
}

// Names is what the output of a gate that has ended shows of tests by name, as Judge gives it for
// its own gates.
func Names(output, dir string, g state.Gate) referee.Outcome {
	where := newPlace(dir)
	seen := newNames(where)
	read(where, strings.NewReader(output), output, &g, seen)
	o := referee.Outcome{Ran: true, Passed: g.Status == state.GatePassed, Gates: []state.Gate{g}}
	seen.into(&o, g)
	return o
}

// read fills in what a gate's output says: counts, failing tests, findings. It cannot change the
// status.
func read(where place, out io.Reader, tail string, g *state.Gate, seen *names) {
	readers, events := testReaders(where), &goJSON{place: where}
	found := &findings{place: where, format: g.Kind == KindFormat}
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
		rep := r.found()
		if _, ok := r.(*surefire); ok && where.reports != nil {
			rep = where.reports
		}
		if rep.known || len(rep.tests) > 0 {
			sum.add(rep)
		}
	}
	g.Count = sum.ran
	if g.Status == state.GatePassed {
		return
	}
	g.Tests, g.Failed = sum.tests, max(sum.failed, sum.total)
	if g.Kind != KindTest || len(g.Tests) < maxFindings {
		g.Places = found.places
	}
	if g.Kind != KindTest && found.total > 0 || g.Failed == 0 {
		g.Failed = found.total
	}
	g.Tail = lastBytes(tail, maxTail)
	if g.Exit == 127 {
		g.Missing = missingTool(tail, g.Command)
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

// place turns names in an output into paths from the directory in which the gate ran.
type place struct {
	dir    string   // absolute
	same   []string // other names of it
	module string   // Go's

	reports *report // from the files that the gate wrote; nil: none
}

func newPlace(dir string) place {
	p := place{dir: filepath.ToSlash(dir)}
	if abs, err := filepath.Abs(dir); err == nil {
		p.dir = filepath.ToSlash(abs)
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil && filepath.ToSlash(resolved) != p.dir {
		p.same = append(p.same, filepath.ToSlash(resolved))
	}
	if m := goModule.FindStringSubmatch(folder(dir).text("go.mod")); m != nil {
		p.module = m[1]
	}
	return p
}

var goModule = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// rel is a path relative to the directory, with slashes.
func (p place) rel(name string) string {
	name = strings.ReplaceAll(strings.TrimPrefix(name, "file://"), `\`, "/")
	for _, dir := range append([]string{p.dir}, p.same...) {
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
func (p place) inside(name string) bool {
	rel := p.rel(name)
	return rel != "" && !path.IsAbs(rel) && !strings.HasPrefix(rel, "..") &&
		!strings.Contains(rel, "node_modules/") && !strings.Contains(rel, ":") && !strings.HasPrefix(rel, "vendor/")
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
var colours = regexp.MustCompile(`(?:\x1b|\\x1b)(?:\[[0-9;?]*[A-Za-z]|\([A-Z0-9])`)

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
var notFound = regexp.MustCompile(`(?m)([\w@./+-]+): (?:command )?not found$|command not found: ([\w@./+-]+)$|: ([\w@./+-]+): No such file or directory$`)

// missingTool names what a shell did not find when a command ended with 127.
func missingTool(tail, command string) string {
	if m := notFound.FindStringSubmatch(tail); m != nil {
		return path.Base(strings.Join(m[1:], ""))
	}
	return program(command)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
