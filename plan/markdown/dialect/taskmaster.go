package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// taskmaster is the dialect of task files in JSON. Read looks for it before it parses markdown.
const taskmaster = "taskmaster"

// taskmasterWords are the words that the tool understands.
var taskmasterWords = map[plan.Status]string{
	plan.StatusTodo: "pending", plan.StatusInProgress: "in-progress", plan.StatusDone: "done",
	plan.StatusBlocked: "blocked", plan.StatusSkipped: "cancelled",
}

// isJSON reports whether a document is a task file rather than text.
func isJSON(src []byte) bool {
	src = bytes.TrimLeft(bytes.TrimPrefix(src, []byte("\ufeff")), " \t\r\n")
	return len(src) > 0 && src[0] == '{'
}

// node is a JSON value that remembers where it stands.
type node struct {
	at, end int              // of a scalar, quotes included
	text    string           // of a scalar
	fields  map[string]*node // of an object
	list    []*node          // of an array
	kind    byte             // '{', '[' or 's'
	keys    []string         // of an object, in order
}

// field is a member of an object; it is never nil.
func (n *node) field(name string) *node {
	if f := n.fields[name]; f != nil {
		return f
	}
	return &node{}
}

// parseJSON reads src with the places of its values.
func parseJSON(src []byte) (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	root, err := value(dec, src, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("something follows the end of the task list")
	}
	return root, nil
}

// maxJSON bounds how deep a task file nests.
const maxJSON = 64

func value(dec *json.Decoder, src []byte, depth int) (*node, error) {
	if depth > maxJSON {
		return nil, fmt.Errorf("the task file nests more than %d deep", maxJSON)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	end := int(dec.InputOffset())
	delim, composite := token.(json.Delim)
	if !composite {
		text := ""
		if token != nil {
			text = fmt.Sprint(token)
		}
		return &node{at: scalarStart(src, end), end: end, text: text, kind: 's'}, nil
	}
	n := &node{kind: byte(delim), at: end - 1}
	if n.kind == '{' {
		n.fields = map[string]*node{}
	}
	for dec.More() {
		key := ""
		if n.kind == '{' {
			token, err := dec.Token()
			if err != nil {
				return nil, fmt.Errorf("not valid JSON: %w", err)
			}
			key = fmt.Sprint(token)
		}
		child, err := value(dec, src, depth+1)
		if err != nil {
			return nil, err
		}
		if n.kind == '[' {
			n.list = append(n.list, child)
			continue
		}
		if _, twice := n.fields[key]; !twice {
			n.keys = append(n.keys, key)
		}
		n.fields[key] = child
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	n.end = int(dec.InputOffset())
	return n, nil
}

// scalarStart finds where the scalar that ends at end begins.
func scalarStart(src []byte, end int) int {
	at := end - 1
	if at >= 0 && src[at] == '"' {
		for at--; at > 0; at-- {
			if src[at] != '"' {
				continue
			}
			slashes := 0
			for k := at - 1; k >= 0 && src[k] == '\\'; k-- {
				slashes++
			}
			if slashes%2 == 0 {
				break
			}
		}
		return max(at, 0)
	}
	for at > 0 && !strings.ContainsRune(" \t\r\n:,[", rune(src[at-1])) {
		at--
	}
	return at
}

// readTaskFile reads a file of JSON. The problem says why it is not UTF-8 text.
func readTaskFile(src []byte) (*reading.Reading, *plan.Problem) {
	s, problem := document.NewSource(src)
	if problem != nil {
		return nil, problem
	}
	r := &reading.Reading{Doc: &document.Document{Source: s}, Dialect: taskmaster}
	readTasks(r, s)
	r.SetStatuses()
	return r, nil
}

// readTasks reads {"tasks": […]}, or such lists under names, of which it takes "master".
func readTasks(r *reading.Reading, s *document.Source) {
	root, err := parseJSON([]byte(s.Text))
	if err != nil {
		reportJSON(r, s, err)
		return
	}
	list := root.field("tasks")
	if list.kind != '[' {
		var tags []string
		for _, key := range root.keys {
			if root.fields[key].field("tasks").kind == '[' {
				tags = append(tags, key)
			}
		}
		switch {
		case slices.Contains(tags, "master"):
			list = root.fields["master"].field("tasks")
		case len(tags) == 1:
			list = root.fields[tags[0]].field("tasks")
		default:
			r.Found = append(r.Found, plan.Problem{
				Code: "E-JSON", Severity: plan.Error, Pos: plan.Pos{Line: 1, Col: 1},
				Line:    s.Line(1),
				Message: "the file holds no list of tasks called \"tasks\" or \"master\"",
				Hint:    "keep one list, or name the one to run \"master\"",
			})
			return
		}
	}
	for _, t := range list.list {
		if t.kind == '{' && t.field("id").text != "" {
			r.Units = append(r.Units, taskUnit(s, t))
		}
	}
}

// reportJSON reports where and why a file is not JSON.
func reportJSON(r *reading.Reading, s *document.Source, err error) {
	pos := plan.Pos{Line: 1, Col: 1}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		pos = s.Pos(min(max(int(syntax.Offset)-1, 0), len(s.Text)))
	}
	r.Found = append(r.Found, plan.Problem{
		Code: "E-JSON", Severity: plan.Error, Pos: pos, Line: s.Line(pos.Line),
		Message: err.Error(),
		Hint: "the file should be a task list: {\"tasks\": [{\"id\": 1, \"title\": \"…\", " +
			"\"dependencies\": []}]}",
	})
}

// taskUnit makes a phase of a task. Dependencies on a sub-task are dependencies on its task.
func taskUnit(s *document.Source, t *node) section.Unit {
	u := section.Unit{StatusWords: taskmasterWords, Offset: t.at}
	u.Label, u.Name = t.field("id").text, t.field("title").text
	id := t.field("id")
	u.Pos, u.Width = s.Pos(id.at), id.end-id.at
	u.Text = strings.Join(slices.DeleteFunc([]string{
		t.field("title").text, t.field("description").text, t.field("details").text,
		words.Prefixed("Test strategy: ", t.field("testStrategy").text),
	}, func(part string) bool { return part == "" }), "\n\n")
	if status := t.field("status"); status.text != "" {
		u.Stated = []document.Cell{{Raw: status.text, Offset: status.at + 1}}
		u.StatusAt = u.Stated[0]
		u.Status = words.StatusOf(status.text, true)
	}
	for _, dep := range t.field("dependencies").list {
		label := dep.text
		if whole, _, sub := strings.Cut(label, "."); sub && words.IsNumeric(label) {
			label = whole
		}
		if label != u.Label {
			u.Needs = append(u.Needs, plan.Ref{Text: label, Pos: s.Pos(dep.at)})
		}
	}
	if len(u.Needs) == 0 && t.fields["dependencies"] != nil {
		u.Needs = []plan.Ref{{Text: "none", Pos: s.Pos(t.field("dependencies").at)}}
	}
	for _, sub := range t.field("subtasks").list {
		status := sub.field("status")
		u.Tasks = append(u.Tasks, plan.Task{
			Text: sub.field("title").text,
			Done: words.StatusOf(status.text, true) == plan.StatusDone,
			Pos:  s.Pos(sub.at),
		})
		u.Text += "\n\n- " + u.Label + "." + sub.field("id").text + " " + sub.field("title").text +
			words.Prefixed(": ", sub.field("details").text)
		if status.kind == 's' {
			u.Parts = append(u.Parts, document.Cell{Raw: status.text, Offset: status.at + 1})
		}
	}
	return u
}
