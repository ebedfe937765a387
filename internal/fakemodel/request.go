package fakemodel

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// request is an agent's request to its model, for all protocols.
type request struct {
	model  string
	stream bool
	tools  map[string]tool
	said   []said // by the model, oldest first; an answer with several parts is one
	prompt string // the prompts it received, results of tools left out
	schema json.RawMessage
	raw    []byte
}

// said is one answer that the model has given already.
type said struct {
	calls int
	text  string
}

// speech is one message of a conversation, on the way to a request.
type speech struct {
	model bool // said by the model
	calls int
	text  string
}

// listen folds a conversation into a request. Messages of the model that follow each other are one
// answer: some protocols keep its words and each of its calls apart.
func (r *request) listen(all []speech) {
	var prompt strings.Builder
	for i, m := range all {
		switch {
		case !m.model:
			prompt.WriteString(m.text + "\n")
		case i > 0 && all[i-1].model:
			last := &r.said[len(r.said)-1]
			last.calls += m.calls
			last.text += m.text
		default:
			r.said = append(r.said, said{m.calls, m.text})
		}
	}
	r.prompt = prompt.String()
}

// hasTools reports whether the agent lets the model work, rather than asking it for a word.
func (r *request) hasTools() bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(r.tools)), func(name string) bool {
		return slices.Contains(shells, name) || slices.Contains(writers, name)
	})
}

// place is the position in a script, derived from the model's answers: a turn with calls matches an
// answer with calls, one of words an answer of words. Other answers, such as a greeting that an
// agent adds in the model's name, are skipped.
func place(script []Turn, all []said) int {
	at := 0
	for _, s := range all {
		if at < len(script) && (len(script[at].Calls) > 0) == (s.calls > 0) {
			at++
		}
	}
	return at
}

// text is the words in a content: a string, an object with a text or parts, or a list of these.
// Output of tools is left out: it is no prompt, even if it contains one.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		words := make([]string, len(list))
		for i, part := range list {
			words[i] = text(part)
		}
		return strings.Join(words, "\n")
	}
	var part struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(raw, &part) == nil && part.Text != nil && part.Type != "tool_result" {
		return *part.Text
	}
	return ""
}

// heard is the output of the last tool, in any protocol.
func (r *request) heard() string {
	last := ""
	var walk func(raw json.RawMessage)
	walk = func(raw json.RawMessage) {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			for _, item := range list {
				walk(item)
			}
			return
		}
		var m struct {
			Type     string          `json:"type"`
			Role     string          `json:"role"`
			Content  json.RawMessage `json:"content"`
			Output   json.RawMessage `json:"output"`
			Parts    json.RawMessage `json:"parts"`
			Function *struct {
				Response struct {
					Output json.RawMessage `json:"output"`
				} `json:"response"`
			} `json:"functionResponse"`
		}
		if json.Unmarshal(raw, &m) != nil {
			return
		}
		switch {
		case m.Type == "tool_result" || m.Role == "tool":
			last = text(m.Content)
		case m.Type == "function_call_output":
			last = text(m.Output)
		case m.Function != nil:
			last = text(m.Function.Response.Output)
		default:
			walk(m.Content)
			walk(m.Parts)
		}
	}
	var b struct{ Messages, Input, Contents json.RawMessage }
	_ = json.Unmarshal(r.raw, &b) // it has been read before
	for _, conversation := range []json.RawMessage{b.Messages, b.Input, b.Contents} {
		walk(conversation)
	}
	return last
}

// dirs match the texts in which agents give a model its working directory. Tools for files need
// absolute paths.
var dirs = []*regexp.Regexp{
	regexp.MustCompile(`<cwd>(?:\\n)*([^<\\]+)(?:\\n)*</cwd>`),
	regexp.MustCompile(`(?i)working directory(?: is)?:? (/[^\\"<\x60\n]+)`),
	regexp.MustCompile(`Directories:\*\*\\n +- (/[^\\"]+)`),
}

// dir is the agent's working directory, if it says so.
func (r *request) dir() string {
	for _, d := range dirs {
		if m := d.FindSubmatch(r.raw); m != nil {
			return strings.TrimSpace(string(m[1]))
		}
	}
	return ""
}

// fitting is a value for a schema, for a side request whose answer must have a form.
func fitting(raw json.RawMessage) any {
	var s struct {
		Type       any                        `json:"type"`
		Enum       []any                      `json:"enum"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	kind, _ := s.Type.(string)
	switch strings.ToLower(kind) {
	case "object":
		o := make(object, len(s.Properties))
		for name, p := range s.Properties {
			o[name] = fitting(p)
		}
		return o
	case "array":
		return []any{}
	case "boolean":
		return false
	case "integer", "number":
		return 1
	}
	return "fake"
}
