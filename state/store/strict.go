package store

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autobuild/internal/text"
	"autobuild/state"
)

// complaint says what is wrong with a document and at which byte.
type complaint struct {
	at  int
	why string
	is  error // a sentinel, or nil
}

func (c *complaint) Error() string { return c.why }

func (c *complaint) Unwrap() error { return c.is }

// decode reads exactly one JSON document of the current schema into v, a pointer to a zero struct.
// Another spelling of a key, an unknown key, one that stands there twice and text that is not UTF-8
// are refused: each can turn a failed phase into a complete one. Every error is a *complaint.
func decode(data []byte, v any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return &complaint{why: "is empty"}
	}
	if err := checkSchema(data); err != nil {
		return err
	}
	if err := json.Unmarshal(data, v, json.RejectUnknownMembers(true), nanoseconds); err != nil {
		return complaintOf(err)
	}
	return nil
}

// nanoseconds reads durations as encoding/json writes them.
var nanoseconds = json.WithUnmarshalers(json.UnmarshalFromFunc(
	func(d *jsontext.Decoder, v *time.Duration) error {
		return json.UnmarshalDecode(d, (*int64)(v))
	},
))

// complaintOf gives an error of the decoder its place.
func complaintOf(err error) *complaint {
	if c, ok := errors.AsType[*complaint](err); ok {
		return c
	}
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return &complaint{at: int(s.ByteOffset), why: fmt.Sprintf(
				"the key %q is there twice", s.JSONPointer.LastToken())}
		}
		return &complaint{at: int(s.ByteOffset), why: "is not JSON: " + reason(s.Err)}
	}
	s, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return &complaint{why: "is not JSON: " + err.Error()}
	}
	where := strings.ReplaceAll(strings.TrimPrefix(string(s.JSONPointer), "/"), "/", ".")
	switch {
	case errors.Is(s.Err, json.ErrUnknownName):
		return &complaint{at: int(s.ByteOffset), why: fmt.Sprintf(
			"unknown key %q", s.JSONPointer.LastToken())}
	case s.Err != nil:
		return &complaint{at: int(s.ByteOffset), why: where + ": " + reason(s.Err)}
	case s.GoType != nil:
		return &complaint{
			at:  int(s.ByteOffset),
			why: fmt.Sprintf("%s: a JSON %s does not fit", where, kindName(s.JSONKind)),
		}
	}
	return &complaint{at: int(s.ByteOffset), why: where + ": " + s.Error()}
}

// kindName is a kind of JSON value for people.
func kindName(k jsontext.Kind) string {
	switch k {
	case '[':
		return "list"
	case '{':
		return "object"
	}
	return k.String()
}

func reason(err error) string { return text.Clip(err.Error(), maxQuoted*4) }

// checkSchema comes before everything else, so that a file of a newer autobuild is called that, and
// not damaged.
func checkSchema(data []byte) error {
	at, value, err := member(data, "schema")
	if err != nil {
		return complaintOf(err)
	}
	var n int
	switch {
	case value == nil:
		return &complaint{why: "has no schema number"}
	case json.Unmarshal(value, &n) != nil:
		return &complaint{at: at, why: "schema: want a number, found " + text.Clip(string(value), maxQuoted)}
	case n > state.Schema:
		return &complaint{
			at: at, why: fmt.Sprintf(
				"schema %d was written by a newer autobuild; this one reads schema %d", n, state.Schema),
			is: ErrNewer,
		}
	case n < state.Schema:
		return &complaint{at: at, why: fmt.Sprintf(
			"schema %d is unknown; this autobuild reads schema %d", n, state.Schema)}
	}
	return nil
}

// member is the value of a key of the object that a document is, and where it begins; nil where the
// key is not there.
func member(data []byte, key string) (at int, value jsontext.Value, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	t, err := d.ReadToken()
	if err == nil && t.Kind() != '{' {
		err = &complaint{why: "want an object, found " + kindName(t.Kind())}
	}
	if err != nil {
		return 0, nil, err
	}
	for d.PeekKind() == '"' {
		if t, err = d.ReadToken(); err != nil {
			return 0, nil, err
		}
		own := t.String() == key
		if value, err = d.ReadValue(); err != nil {
			return 0, nil, err
		}
		if own {
			return int(d.InputOffset()) - len(value), value, nil
		}
	}
	_, err = d.ReadToken()
	return 0, nil, err
}

// keyAt is the byte at which the value of a top-level key begins; 0 when it is not there.
func keyAt(data []byte, key string) int {
	at, _, _ := member(data, key) // decode has accepted the document
	return at
}

// position is the line and column, both from 1, columns in characters, of a byte of data.
func position(data []byte, at int) (line, col int) {
	head := string(data[:min(max(at, 0), len(data))])
	start := strings.LastIndexByte(head, '\n') + 1
	return strings.Count(head, "\n") + 1, utf8.RuneCountInString(head[start:]) + 1
}

// maxQuoted bounds a quotation within a message, in bytes.
const maxQuoted = 43
