package output

import (
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

var (
	tapLine = lazyregexp.New(
		`^(\s*)(not ok|ok)\b(?: \d+)?(?: -)?\s*(.*?)(?:\s+#\s*((?i:skip|todo)\b.*|time=.*))?$`)
	tapPlan = lazyregexp.New(`^\s*1\.\.\d+(?:\s*#.*)?$`)
	tapKey  = lazyregexp.New(
		`^\s+(location|error|message|failureType|file|line|fileName|lineNumber): (.*)$`)
	tapAt = lazyregexp.New(`^(.+):(\d+):\d+$`)
)

// tap reads the Test Anything Protocol. A test that contains others is not counted itself.
type tap struct {
	report
	Paths
	names   []string // of the subtests around, by depth
	test    *state.Test
	message bool // the next line is the message
	depth   int  // of the last result
}

func (t *tap) line(s string) {
	if strings.HasPrefix(s, "TAP version ") || strings.Contains(s, "1..") &&
		tapPlan.MatchString(s) {
		t.known = true
		return
	}
	if !t.known {
		return
	}
	if m := tapLine.FindStringSubmatch(s); m != nil {
		t.result(len(m[1])/4, m[2] == "ok", m[3], m[4])
		return
	}
	trimmed := strings.TrimSpace(s)
	if name, ok := strings.CutPrefix(trimmed, "# Subtest: "); ok {
		depth := (len(s) - len(trimmed)) / 4
		t.names = append(t.names[:min(depth, len(t.names))], name)
		return
	}
	if t.message {
		explain(t.test, trimmed)
		t.message = trimmed == ""
	}
	if m := tapKey.FindStringSubmatch(s); m != nil && t.test != nil {
		t.detail(m[1], strings.Trim(m[2], `'"`))
	}
}

func (t *tap) result(depth int, ok bool, name, directive string) {
	parent := depth < t.depth // the results inside came first
	t.depth, t.test, t.message = depth, nil, false
	directive = strings.ToLower(directive)
	skipped := strings.HasPrefix(directive, "skip")
	if parent {
		return
	}
	if !skipped {
		t.ran++
	}
	if ok || skipped || strings.HasPrefix(directive, "todo") {
		return
	}
	full := append([]string{}, t.names[:min(depth, len(t.names))]...)
	t.test = t.fail(strings.Join(append(full, name), " › "), "")
}

func (t *tap) detail(key, value string) {
	switch key {
	case "location":
		if m := tapAt.FindStringSubmatch(value); m != nil {
			locate(t.test, t.rel(m[1]), m[2])
		}
	case "file", "fileName":
		if t.test.File == "" {
			t.test.File = clip(t.rel(value))
		}
	case "line", "lineNumber":
		if t.test.Line == 0 {
			t.test.Line = number(value)
		}
	case "expected", "actual":
		t.test.Compare(key + ": " + value)
	case "error", "message":
		if value == "|-" || value == "|" || value == ">-" {
			t.message = true
			return
		}
		explain(t.test, value)
	}
}
