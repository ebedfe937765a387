package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/proc"
)

// The forms of a command's output.
const (
	plainText = "text"
	jsonWhole = "json"  // one document
	jsonLines = "jsonl" // one a line
)

// form is how a command's output is read: its kind, and where things are in it.
type form struct {
	kind   string
	text   query
	fields map[string]query
}

// query finds a value in a document.
type query struct {
	path      []string
	every     bool // of all documents, rather than the last that has it
	key       []string
	condition string // the value that key must have
}

// fieldNames are what else can be found in an output.
var fieldNames = []string{"cost", "error", "input_tokens", "model", "output_tokens", "session"}

func (o CommandOptions) form() (form, error) {
	kind, where, _ := strings.Cut(strings.TrimSpace(o.Output), " ")
	f := form{kind: kind, fields: make(map[string]query)}
	switch kind {
	case "", plainText:
		f.kind = plainText
		if where != "" || len(o.Fields) > 0 {
			return f, fmt.Errorf(
				"output %q holds no fields to look for; use json PATH or jsonl PATH", o.Output)
		}
		return f, nil
	case jsonWhole, jsonLines:
	default:
		return f, fmt.Errorf("output %q is unknown; use text, json PATH or jsonl PATH", o.Output)
	}
	var err error
	if f.text, err = parseQuery(where); err != nil {
		return f, fmt.Errorf("output %q: %w", o.Output, err)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Fields)) {
		if !slices.Contains(fieldNames, name) {
			return f, fmt.Errorf("field %q is unknown; use one of %s", name,
				strings.Join(fieldNames, ", "))
		}
		if f.fields[name], err = parseQuery(o.Fields[name]); err != nil {
			return f, fmt.Errorf("field %s: %w", name, err)
		}
	}
	return f, nil
}

// parseQuery reads "+a.b.-1 where type=message".
func parseQuery(s string) (query, error) {
	path, where, conditional := strings.Cut(strings.TrimSpace(s), " where ")
	q := query{every: strings.HasPrefix(path, "+")}
	path = strings.TrimPrefix(path, "+")
	key, value, equal := strings.Cut(strings.TrimSpace(where), "=")
	if path == "" || strings.Contains("."+path+".", "..") || strings.ContainsAny(path, " \t") ||
		conditional && (key == "" || !equal) {
		return q, fmt.Errorf(
			"%q is no path; write for example usage.input, or text where type=message", s)
	}
	q.path = strings.Split(path, ".")
	if conditional {
		q.key, q.condition = strings.Split(key, "."), value
	}
	return q, nil
}

// in finds the query's value, nil where there is none.
func (q query) in(doc any) any {
	if len(q.key) > 0 && fmt.Sprint(at(doc, q.key)) != q.condition {
		return nil
	}
	return at(doc, q.path)
}

// at follows a path.
func at(doc any, path []string) any {
	for _, name := range path {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if i < 0 {
				i += len(v)
			}
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}

// listen returns the writer for the output, and the function to call at its end.
func (f form) listen(s *story) (write func([]byte), end func(proc.Exit)) {
	switch f.kind {
	case jsonLines:
		stream := lines{limit: maxLine, dropped: s.tooLong, each: func(line []byte) {
			s.lines++
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' {
				f.document(line, s)
			}
		}}
		return stream.write, func(exit proc.Exit) {
			stream.close()
			f.settle(s, exit)
		}
	case jsonWhole:
		whole := ending{limit: maxLine}
		return whole.write, func(exit proc.Exit) {
			text := bytes.TrimSpace([]byte(whole.String()))
			if i := bytes.Index(text, []byte("\n{")); len(text) > 0 && text[0] != '{' &&
				text[0] != '[' && i >= 0 {
				text = text[i+1:] // greetings come before it
			}
			s.lines = bytes.Count(whole.buf[:max(0, bytes.Index(whole.buf, text))], []byte("\n")) +
				1
			f.document(text, s)
			f.settle(s, exit)
		}
	}
	return s.final.write, func(proc.Exit) { s.out.Final = s.final.String() }
}

// document takes one JSON document.
func (f form) document(raw []byte, s *story) {
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		s.noteStrange(raw, err)
		return
	}
	s.events++
	if text, ok := f.text.in(doc).(string); ok && text != "" {
		s.finished = true
		if !f.text.every {
			s.final.reset()
		}
		s.say(text, true)
		s.active(opening(text))
	}
	for name, q := range f.fields {
		if v := q.in(doc); v != nil {
			s.field(name, v, q.every)
		}
	}
	s.count()
}

// field takes a value that has been found.
func (s *story) field(name string, v any, add bool) {
	text, _ := v.(string)
	n, _ := v.(float64)
	n = min(max(n, 0), 1e15)
	switch name {
	case "cost":
		if !add {
			s.out.CostUSD = 0
		}
		s.out.CostUSD += n
	case "input_tokens":
		if !add {
			s.out.InputTokens = 0
		}
		s.out.InputTokens += int64(n)
	case "output_tokens":
		if !add {
			s.out.OutputTokens = 0
		}
		s.out.OutputTokens += int64(n)
	case "session":
		s.out.Session = proc.Clean(text, 100)
	case "model":
		s.model(text)
	case "error":
		if raw, err := json.Marshal(v); err == nil && text == "" {
			text = words(raw)
		}
		if text != "" {
			s.fail(0, text)
		}
	}
}

// settle decides what the end means: an output without the final message is not in the form that
// was announced.
func (f form) settle(s *story, exit proc.Exit) {
	s.out.Final = s.final.String()
	s.out.Tail = readable(exit.Tail, s.out.Final)
	switch {
	case s.failed:
		s.out.Final = ""
	case s.finished || exit.Code != 0 || s.out.TimedOut || s.out.Err != "":
	case s.strange != "":
		s.unread(s.strange)
	default:
		s.unread(fmt.Sprintf("its output has no %s in any of %d documents",
			strings.Join(f.text.path, "."), s.events))
	}
}
