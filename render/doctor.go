package render

import (
	"encoding/json"
	"fmt"
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
