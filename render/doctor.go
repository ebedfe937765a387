package render

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Level is how a finding of a check-up stands.
type Level string

// The levels.
const (
	Fine    Level = "ok"
	Caution Level = "warn" // a run can start, and may go otherwise than expected
	Fatal   Level = "fail" // a run cannot start
	Aside   Level = "info" // a fact, neither good nor bad
)

// Finding is one thing that a check-up has looked at.
type Finding struct {
	Topic string `json:"topic"` // "git", "agent claude"
	Level Level  `json:"level"`
	What  string `json:"what"`
	Fix   string `json:"fix,omitzero"` // a command that works when it is pasted, or what to do
}

// Doctor shows findings topic by topic, and the verdict below them.
func Doctor(findings []Finding, s Style) string {
	var out strings.Builder
	topic := ""
	counts := make(map[Level]int)
	for _, f := range findings {
		counts[f.Level]++
		if f.Topic != topic {
			topic = f.Topic
			out.WriteString(s.paint(strong, s.show(topic, 60)) + "\n")
		}
		s.finding(&out, f)
	}
	verdict, i := "a run can start", good
	switch {
	case counts[Fatal] > 0:
		verdict, i = count(counts[Fatal], "thing")+" must be mended before a run can start", bad
	case counts[Caution] > 0:
		verdict, i = "a run can start; "+count(counts[Caution], "thing")+" to know of", warn
	}
	out.WriteString("\n" + s.paint(i, verdict) + "\n")
	return screen(out.String())
}

func (s Style) finding(out *strings.Builder, f Finding) {
	g := s.glyphs()
	mark, i := g.done, good
	switch f.Level {
	case Caution:
		mark, i = g.warned, warn
	case Fatal:
		mark, i = g.failed, bad
	case Aside:
		mark, i = g.dot, faint
	case Fine:
	}
	const indent = 4
	for n, line := range wrap(s.show(f.What, 600), s.width()-indent) {
		lead := strings.Repeat(" ", indent)
		if n == 0 {
			lead = "  " + s.paint(i, pad(mark, 1)) + " "
		}
		out.WriteString(lead + line + "\n")
	}
	if f.Fix != "" { // a command is never broken into lines: it is there to be copied
		out.WriteString(strings.Repeat(" ", indent) + s.paint(faint, g.arrow) + " " + s.show(f.Fix, 600) + "\n")
	}
}

// DoctorJSON is the same for programs: a schema number, whether a run can start, and the findings.
func DoctorJSON(findings []Finding) ([]byte, error) {
	usable := true
	for _, f := range findings {
		usable = usable && f.Level != Fatal
	}
	out, err := json.MarshalIndent(struct {
		Schema   int       `json:"schema"`
		Usable   bool      `json:"usable"`
		Findings []Finding `json:"findings"`
	}{1, usable, findings}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding findings: %w", err)
	}
	return append(out, '\n'), nil
}
