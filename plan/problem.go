package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Severity ranks a Problem.
type Severity string

// An error refuses the plan; a warning and a remark do not.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Problem is one finding about a plan, with a stable code such as "E-CYCLE".
type Problem struct {
	Code     string
	Severity Severity
	Pos      Pos
	Width    int    // of the marked text in bytes, for the caret; 0 marks one character
	Line     string // the source line at Pos, without its line end
	Message  string // what is wrong
	Hint     string // what to do; may be empty
	Err      error  // a typed cause such as *CycleError; may be nil
}

// Problems is every finding of one reading, sorted by place. As an error it prints them all.
type Problems []Problem

// Sort orders by place, then by code, then by message.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		switch {
		case a.Pos.Before(b.Pos):
			return -1
		case b.Pos.Before(a.Pos):
			return 1
		case a.Code != b.Code:
			return strings.Compare(a.Code, b.Code)
		}
		return strings.Compare(a.Message, b.Message)
	})
}

// Errors keeps the findings that refuse the plan.
func (ps Problems) Errors() Problems { return ps.only(Error) }

// Warnings keeps the findings that deserve a look.
func (ps Problems) Warnings() Problems { return ps.only(Warning) }

func (ps Problems) only(s Severity) Problems {
	var kept Problems
	for _, p := range ps {
		if p.Severity == s {
			kept = append(kept, p)
		}
	}
	return kept
}

// Error is one line a finding: "line:col: message".
func (ps Problems) Error() string {
	lines := make([]string, 0, len(ps))
	for _, p := range ps {
		line := p.Message
		if p.Pos.Valid() {
			line = fmt.Sprintf("%d:%d: %s", p.Pos.Line, p.Pos.Col, p.Message)
		}
		if p.Hint != "" {
			line += " (" + p.Hint + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As access to the typed causes.
func (ps Problems) Unwrap() []error {
	var errs []error
	for _, p := range ps {
		if p.Err != nil {
			errs = append(errs, p.Err)
		}
	}
	return errs
}

// CycleError is a dependency cycle: Path starts and ends with the same label.
type CycleError struct {
	Path []string
}

// Error names the whole path: "2A → 3 → 2A". Of a path longer than a screen it leaves out the
// middle.
func (e *CycleError) Error() string {
	const most, edge = 24, 10
	path := e.Path
	if len(path) > most {
		path = slices.Concat(path[:edge], []string{fmt.Sprintf("(%d more)", len(path)-2*edge)},
			path[len(path)-edge:])
	}
	return "dependency cycle: " + strings.Join(path, " → ")
}
