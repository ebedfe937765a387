package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/state"
)

// mostLog bounds the rows of a log that are shown, and below those that come along with one that
// matters.
const (
	mostLog = 12
	below   = 3
)

// log shows what matters of the failed attempt's log, with its place so that the rest can be found.
func (x *explanation) log(a state.Attempt) {
	name := LogOf(a)
	if name == "" {
		x.details(a.Failure.Details)
		return
	}
	content := ""
	if x.Read != nil {
		content = x.Read(name)
	}
	rows := RelevantLines(content, a.Failure)
	if len(rows) == 0 {
		x.path("log", InStateDir(x.Dir, name))
		x.details(a.Failure.Details)
	} else {
		x.path("log", fmt.Sprintf("%s:%d", InStateDir(x.Dir, name), rows[0].n))
	}
	for i, row := range rows {
		if i > 0 && row.n > rows[i-1].n+1 {
			x.say(AsExcerpt, "", x.style.Marks().More)
		}
		x.say(AsExcerpt, "",
			fmt.Sprintf("%d: %s", row.n, text.Cut(x.style.Show(row.Text, 400), 400, "")))
	}
	if name != a.Log && a.Log != "" {
		x.path("agent", InStateDir(x.Dir, a.Log))
	}
}

func (x *explanation) details(text string) {
	for row := range strings.Lines(text) {
		x.say(AsExcerpt, "", strings.TrimRight(row, "\n"))
	}
}

// LogOf is the most useful log: of the gate that failed, else of the agent.
func LogOf(a state.Attempt) string {
	if IsRefused(a) && a.RefereeLog != "" {
		return a.RefereeLog
	}
	other := ""
	for _, g := range a.Gates {
		switch {
		case g.Log == "" || g.Status == state.GatePassed || g.Status == state.GateNotAvailable:
		case g.Name == a.Failure.Gate:
			return g.Log
		default:
			other = cmp.Or(other, g.Log)
		}
	}
	return cmp.Or(other, a.Log)
}

// LogRow is one line of a log, from 1.
type LogRow struct {
	n    int
	Text string
}

// troubleWords are how tools announce that something went wrong.
var troubleWords = lazyregexp.New(
	`(?i)\b(error|fail(ed|ing|ure)?|panic|fatal|exception|denied|refused|cannot|not found|no such|undefined|expected|mismatch|unresolved|timed? ?out)\b`)

// RelevantLines picks the lines of a log that contain names from the diagnosis, else those that
// mention trouble, else the last ones. Each brings the lines below it along, where tools print
// details.
func RelevantLines(text string, f *failure.Diagnosis) []LogRow {
	var rows []LogRow
	n := 0
	for line := range strings.Lines(text) {
		if n++; strings.TrimSpace(line) != "" {
			rows = append(rows, LogRow{n, strings.TrimRight(line, "\r\n")})
		}
	}
	needles := needles(f)
	for _, telling := range []func(string) bool{
		func(s string) bool {
			return slices.ContainsFunc(needles,
				func(needle string) bool { return strings.Contains(s, needle) })
		},
		troubleWords.MatchString,
	} {
		var picked []LogRow
		for i := 0; i < len(rows) && len(picked) < mostLog; i++ {
			if line := rows[i].Text; telling(line[:min(len(line), 4000)]) {
				picked = append(picked, rows[i])
				for range below {
					if i+1 < len(rows) && len(picked) < mostLog && rows[i+1].n <= rows[i].n+2 {
						i++
						picked = append(picked, rows[i])
					}
				}
			}
		}
		if len(picked) > 0 {
			return picked
		}
	}
	return rows[max(0, len(rows)-mostLog/2):]
}

// needles are the words of a diagnosis that its log must have too.
func needles(f *failure.Diagnosis) []string {
	var out []string
	add := func(words ...string) {
		for _, w := range words {
			if len(w) > 3 && len(out) < 40 {
				out = append(out, w)
			}
		}
	}
	for _, t := range f.Tests {
		add(t.Name)
		if t.Line > 0 {
			add(FileLine(t.File, t.Line))
		}
	}
	for _, q := range f.Places {
		if q.Line > 0 {
			add(FileLine(q.File, q.Line))
		}
		add(q.Message)
	}
	add(f.Package, f.Variable)
	for line := range strings.Lines(f.Details) {
		add(strings.TrimSpace(line))
	}
	return out
}
