package store

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"autobuild/state"
)

// maxDepth is more than any file of ours nests, and little enough to recurse into.
const maxDepth = 32

// complaint says what is wrong with a document and at which byte.
type complaint struct {
	at  int
	why string
}

func (c *complaint) Error() string { return c.why }

// dynamic is a JSON object whose members a type names itself.
type dynamic interface {
	// member is the type of the member with this key; why says what is wrong with the key otherwise.
	member(key string) (t reflect.Type, why string)
}

// decode reads exactly one JSON document of the current schema into v, a pointer to a struct. encoding/json alone
// would take STATUS for status, the last of two equal keys, null for anything, and any trailing text of a second
// document; each of those can turn a failed phase into a complete one. The returned error is a *complaint.
func decode(data []byte, v any) error {
	if i := invalidUTF8(data); i >= 0 {
		return &complaint{i, "is not valid UTF-8"}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return &complaint{0, "is empty"}
	}
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		if s, ok := errors.AsType[*json.SyntaxError](err); ok {
			return &complaint{int(max(s.Offset-1, 0)), "is not JSON: " + s.Error()}
		}
		return &complaint{0, err.Error()}
	}
	if err := checkSchema(data); err != nil {
		return err
	}
	w := newWalker(data)
	if err := w.value(reflect.TypeOf(v).Elem(), "", 0); err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &complaint{0, err.Error()}
	}
	return nil
}

// checkSchema comes before everything else, so that a file of a newer autobuild is called that, and not damaged.
func checkSchema(data []byte) error {
	w := newWalker(data)
	tok, at := w.next()
	if tok != json.Delim('{') {
		return &complaint{at, "want an object, found " + describe(tok)}
	}
	for w.dec.More() {
		key, _ := w.next()
		if key != "schema" {
			if err := w.skip(0); err != nil {
				return err
			}
			continue
		}
		tok, at = w.next()
		n, err := strconv.Atoi(fmt.Sprint(tok))
		switch {
		case err != nil:
			return &complaint{at, "schema: want a number, found " + describe(tok)}
		case n > state.Schema:
			return &complaint{at, fmt.Sprintf("schema %d was written by a newer autobuild; this one reads schema %d", n, state.Schema)}
		case n < state.Schema:
			return &complaint{at, fmt.Sprintf("schema %d is unknown; this autobuild reads schema %d", n, state.Schema)}
		}
		return nil
	}
	return &complaint{at, "has no schema number"}
}

// walker goes through a syntactically valid document beside the Go type that it is meant for.
type walker struct {
	data []byte
	dec  *json.Decoder
}

func newWalker(data []byte) *walker {
	w := &walker{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	w.dec.UseNumber()
	return w
}

// next is the next token and the byte at which it begins.
func (w *walker) next() (tok json.Token, at int) {
	at = int(w.dec.InputOffset())
	for at < len(w.data) && strings.IndexByte(" \t\r\n,:", w.data[at]) >= 0 {
		at++
	}
	tok, err := w.dec.Token()
	if err != nil {
		return err, at // cannot be: the syntax was checked before
	}
	return tok, at
}

// skip passes over one value.
func (w *walker) skip(depth int) error {
	tok, at := w.next()
	if depth > maxDepth {
		return &complaint{at, "is nested too deeply"}
	}
	if d, ok := tok.(json.Delim); !ok || d == ']' || d == '}' {
		return nil
	}
	object := tok == json.Delim('{')
	for w.dec.More() {
		if object {
			w.next()
		}
		if err := w.skip(depth + 1); err != nil {
			return err
		}
	}
	w.next()
	return nil
}

// value checks that the next value fits t.
func (w *walker) value(t reflect.Type, path string, depth int) error {
	tok, at := w.next()
	if depth > maxDepth {
		return &complaint{at, "is nested too deeply"}
	}
	kind := t.Kind()
	nilable := kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map
	if tok == nil && nilable && depth > 0 {
		return nil
	}
	if kind == reflect.Pointer {
		t, kind = t.Elem(), t.Elem().Kind()
	}
	mismatch := func(want string) error {
		return &complaint{at, name(path) + "want " + want + ", found " + describe(tok)}
	}
	zero := reflect.New(t)
	if d, ok := zero.Interface().(dynamic); ok {
		if tok != json.Delim('{') {
			return mismatch("an object")
		}
		return w.object(d.member, path, depth)
	}
	switch u := zero.Interface().(type) {
	case encoding.TextUnmarshaler:
		s, ok := tok.(string)
		if !ok {
			return mismatch("a string")
		}
		if err := u.UnmarshalText([]byte(s)); err != nil {
			return mismatch("a time such as 2006-01-02T15:04:05Z")
		}
		return nil
	case json.Unmarshaler:
		n, ok := tok.(json.Number)
		if !ok || u.UnmarshalJSON([]byte(n)) != nil {
			return mismatch("a number of seconds")
		}
		return nil
	}
	switch kind {
	case reflect.Struct:
		if tok != json.Delim('{') {
			return mismatch("an object")
		}
		return w.object(structMember(t), path, depth)
	case reflect.Map:
		if tok != json.Delim('{') {
			return mismatch("an object")
		}
		return w.object(func(string) (reflect.Type, string) { return t.Elem(), "" }, path, depth)
	case reflect.Slice:
		if tok != json.Delim('[') {
			return mismatch("a list")
		}
		for i := 0; w.dec.More(); i++ {
			if err := w.value(t.Elem(), path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
				return err
			}
		}
		w.next()
		return nil
	}
	if want := scalar(tok, t); want != "" {
		return mismatch(want)
	}
	return nil
}

// object checks the members of an object whose brace was read.
func (w *walker) object(member func(string) (reflect.Type, string), path string, depth int) error {
	seen := map[string]bool{}
	for w.dec.More() {
		tok, at := w.next()
		key, _ := tok.(string)
		if seen[key] {
			return &complaint{at, name(path) + fmt.Sprintf("the key %q is there twice", key)}
		}
		seen[key] = true
		t, why := member(key)
		if why != "" {
			return &complaint{at, name(path) + why}
		}
		below := key
		if path != "" {
			below = path + "." + key
		}
		if err := w.value(t, below, depth+1); err != nil {
			return err
		}
	}
	w.next()
	return nil
}

// structMember finds fields by their exact JSON names.
func structMember(t reflect.Type) func(string) (reflect.Type, string) {
	return func(key string) (reflect.Type, string) {
		for _, f := range reflect.VisibleFields(t) {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if tag == "" {
				tag = f.Name
			}
			switch {
			case f.Anonymous:
			case tag == key:
				return f.Type, ""
			case strings.EqualFold(tag, key):
				return nil, fmt.Sprintf("the key %q should be %q", key, tag)
			}
		}
		return nil, fmt.Sprintf("unknown key %q", key)
	}
}

// scalar says what is wanted where tok does not fit the string, number or boolean type t.
func scalar(tok json.Token, t reflect.Type) (want string) {
	n, isNumber := tok.(json.Number)
	switch t.Kind() {
	case reflect.String:
		if _, ok := tok.(string); !ok {
			return "a string"
		}
	case reflect.Bool:
		if _, ok := tok.(bool); !ok {
			return "true or false"
		}
	case reflect.Int, reflect.Int64:
		if _, err := strconv.ParseInt(string(n), 10, t.Bits()); !isNumber || err != nil {
			return "a whole number"
		}
	case reflect.Float64:
		if _, err := strconv.ParseFloat(string(n), 64); !isNumber || err != nil {
			return "a number"
		}
	default:
		return "nothing" // a type that no format uses
	}
	return ""
}

// describe is a token for people.
func describe(tok json.Token) string {
	switch v := tok.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + strconv.QuoteToASCII(shorten(v))
	case json.Number:
		return "the number " + shorten(string(v))
	case bool:
		return strconv.FormatBool(v)
	case json.Delim:
		if v == '[' {
			return "a list"
		}
		return "an object"
	}
	return "something else"
}

func shorten(s string) string {
	if len(s) <= 40 {
		return s
	}
	return strings.ToValidUTF8(s[:40], "") + "…"
}

func name(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
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
	head := data[:min(max(at, 0), len(data))]
	start := bytes.LastIndexByte(head, '\n') + 1
	return bytes.Count(head, []byte{'\n'}) + 1, utf8.RuneCount(head[start:]) + 1
}

// keyAt is the byte at which the value of a top-level key begins; 0 when it is not there.
func keyAt(data []byte, key string) int {
	w := newWalker(data)
	if tok, _ := w.next(); tok != json.Delim('{') {
		return 0
	}
	for w.dec.More() {
		k, at := w.next()
		if k == key {
			_, at = w.next()
			return at
		}
		if w.skip(0) != nil {
			return at
		}
	}
	return 0
}
