package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"autobuild/internal/text"
	"autobuild/state"
)

// maxDepth is more than any file of ours nests, and little enough to recurse into.
const maxDepth = 32

// complaint says what is wrong with a document and at which byte.
type complaint struct {
	at  int
	why string
	is  error // a sentinel, or nil
}

func (c *complaint) Error() string { return c.why }

func (c *complaint) Unwrap() error { return c.is }

// errSyntax sends decode to encoding/json, which words syntax errors better than we could.
var errSyntax = errors.New("not JSON")

// decode reads exactly one JSON document of the current schema into v, a pointer to a zero struct.
// encoding/json would take STATUS for status, the last of two equal keys, null for anything, and
// unknown keys for nothing; each of those can turn a failed phase into a complete one. So the
// document is read along the shape of v; encoding/json only says whether it is JSON. Every error is
// a *complaint.
func (s shapes) decode(data []byte, v any) error {
	if i := invalidUTF8(data); i >= 0 {
		return &complaint{at: i, why: "is not valid UTF-8"}
	}
	if strings.TrimLeft(string(data[:min(len(data), 64)]), " \t\r\n") == "" &&
		strings.TrimSpace(string(data)) == "" {
		return &complaint{at: 0, why: "is empty"}
	}
	err := checkSchema(data)
	if err == nil {
		w := &walker{data: data}
		err = w.value(s.pointedAt(v), reflect.ValueOf(v).Elem())
	}
	switch {
	case err != nil && !errors.Is(err, errSyntax):
		return err
	case err == nil && json.Valid(data):
		return nil
	}
	return syntaxOf(data)
}

// syntaxOf is the syntax error of a document that is no JSON.
func syntaxOf(data []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &complaint{at: int(max(s.Offset-1, 0)), why: "is not JSON: " + s.Error()}
	}
	return &complaint{at: 0, why: "is not JSON"}
}

// checkSchema comes before everything else, so that a file of a newer autobuild is called that, and
// not damaged.
func checkSchema(data []byte) error {
	w := &walker{data: data}
	if at := w.space(); w.peek() != '{' {
		return &complaint{at: at, why: "want an object, found " + w.describe()}
	}
	found := false
	err := w.object(func(key string, _ int) error {
		at := w.space()
		if key != "schema" || found {
			return w.skip(1)
		}
		found = true
		what := w.describe()
		if err := w.skip(1); err != nil {
			return err
		}
		n, err := strconv.Atoi(string(data[at:w.i]))
		switch {
		case err != nil:
			return &complaint{at: at, why: "schema: want a number, found " + what}
		case n > state.Schema:
			return &complaint{
				at: at,
				why: fmt.Sprintf(
					"schema %d was written by a newer autobuild; this one reads schema %d", n,
					state.Schema), is: ErrNewer,
			}
		case n < state.Schema:
			return &complaint{
				at: at,
				why: fmt.Sprintf("schema %d is unknown; this autobuild reads schema %d", n,
					state.Schema),
			}
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		return nil
	}
	if err == nil && !found {
		err = &complaint{at: 0, why: "has no schema number"}
	}
	return err
}

// errFound ends a walk early.
var errFound = errors.New("found")

// keyAt is the byte at which the value of a top-level key begins; 0 when it is not there.
func keyAt(data []byte, key string) int {
	w, at := &walker{data: data}, 0
	w.space()
	_ = w.object(func(k string, _ int) error { // decode has accepted the document: it has no errors
		if k == key {
			at = w.space()
			return errFound
		}
		return w.skip(1)
	})
	return at
}

// walker goes through a document. It is no parser: a parser may still refuse text that it accepts.
type walker struct {
	data []byte
	i    int
	way  []step // to the value that is read, while a shape is followed
}

// space passes over white space and returns where the next token begins.
func (w *walker) space() int {
	for w.i < len(w.data) {
		switch w.data[w.i] {
		case ' ', '\t', '\r', '\n':
			w.i++
		default:
			return w.i
		}
	}
	return w.i
}

// peek is the next byte; 0 at the end.
func (w *walker) peek() byte {
	if w.i < len(w.data) {
		return w.data[w.i]
	}
	return 0
}

// take passes over c.
func (w *walker) take(c byte) error {
	if w.peek() != c {
		return errSyntax
	}
	w.i++
	return nil
}

// text passes over a string and returns what it says.
func (w *walker) text() (string, error) {
	start, plain := w.i, true
	if err := w.take('"'); err != nil {
		return "", err
	}
	for w.i < len(w.data) {
		switch w.data[w.i] {
		case '"':
			w.i++
			if plain {
				return string(w.data[start+1 : w.i-1]), nil
			}
			var s string
			if json.Unmarshal(w.data[start:w.i], &s) != nil {
				return "", errSyntax
			}
			return s, nil
		case '\\':
			plain = false
			w.i++
		}
		w.i++
	}
	return "", errSyntax
}

// word passes over a number, true, false or null.
func (w *walker) word() (string, error) {
	start := w.i
	for w.i < len(w.data) && strings.IndexByte(" \t\r\n,:[]{}\"", w.data[w.i]) < 0 {
		w.i++
	}
	if word := string(w.data[start:w.i]); word != "" &&
		strings.IndexByte("-0123456789tfn", word[0]) >= 0 {
		return word, nil
	}
	return "", errSyntax
}

// object passes over an object and calls member behind the colon of each; member passes over the
// value.
func (w *walker) object(member func(key string, at int) error) error {
	return w.sequence('{', '}', func() error {
		at := w.i
		key, err := w.text()
		if err != nil {
			return err
		}
		w.space()
		if err := w.take(':'); err != nil {
			return err
		}
		return member(key, at)
	})
}

// sequence passes over everything from open to shut and calls item before each one.
func (w *walker) sequence(open, shut byte, item func() error) error {
	if err := w.take(open); err != nil {
		return err
	}
	w.space()
	for w.peek() != shut {
		if err := item(); err != nil {
			return err
		}
		w.space()
		if w.peek() == shut {
			break
		}
		if err := w.take(','); err != nil {
			return err
		}
		w.space()
	}
	return w.take(shut)
}

// skip passes over one value.
func (w *walker) skip(depth int) error {
	at := w.space()
	if depth > maxDepth {
		return &complaint{at: at, why: "is nested too deeply"}
	}
	var err error
	switch w.peek() {
	case '{':
		return w.object(func(string, int) error { return w.skip(depth + 1) })
	case '[':
		return w.sequence('[', ']', func() error { return w.skip(depth + 1) })
	case '"':
		_, err = w.text()
	default:
		_, err = w.word()
	}
	return err
}

// describe is the next value for people.
func (w *walker) describe() string {
	c := *w
	switch c.peek() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		s, err := c.text()
		if err != nil {
			return "half a string"
		}
		return "the string " + strconv.QuoteToASCII(text.Clip(s, maxQuoted))
	}
	word, err := c.word()
	switch {
	case err != nil:
		return "no JSON"
	case word[0] == 't' || word[0] == 'f' || word[0] == 'n':
		return text.Clip(word, maxQuoted)
	}
	return "the number " + text.Clip(word, maxQuoted)
}

func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// position is the line and column, both from 1, columns in characters, of a byte of data.
func position(data []byte, at int) (line, col int) {
	head := string(data[:min(max(at, 0), len(data))])
	start := strings.LastIndexByte(head, '\n') + 1
	return strings.Count(head, "\n") + 1, utf8.RuneCountInString(head[start:]) + 1
}

// maxQuoted bounds a quotation within a message, in bytes.
const maxQuoted = 43
