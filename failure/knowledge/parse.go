package knowledge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"autobuild/internal/text"
)

// Problem is a mistake in a file, with its line.
type Problem struct {
	Line int // from 1
	What string
}

// Error is line N: what.
func (p *Problem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.What) }

// Parse reads a book. It is strict: a member that is unknown, repeated or beyond a bound is a
// *Problem with its line, so that nothing that a person wrote is lost when the book is written
// again. No text at all is an empty book.
func Parse(raw []byte) (*Book, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return &Book{}, nil
	}
	r := &reader{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw))}
	r.dec.UseNumber()
	entries, err := r.book()
	if err != nil {
		return nil, r.problem(err)
	}
	return newBook(entries), nil
}

// JSON is the file: entries by name, one field a line, a newline at the end.
func (b *Book) JSON() []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	entries := b.entries
	if entries == nil {
		entries = []Entry{}
	}
	_ = enc.Encode(struct {
		Schema  int     `json:"schema"`
		Entries []Entry `json:"entries"`
	}{Schema, entries}) // strings and numbers: nothing that can fail
	return out.Bytes()
}

// reader walks over the tokens, so that every mistake has its place. encoding/json alone would take
// a field in another case, or the later of two, without a word.
type reader struct {
	raw []byte
	dec *json.Decoder
	at  int64 // where the value at hand begins, when that is not where the decoder is
}

func (r *reader) book() ([]Entry, error) {
	switch {
	case len(r.raw) > MaxBytes:
		return nil, fmt.Errorf("the file has %d bytes; keep it below %d", len(r.raw), MaxBytes)
	case !utf8.Valid(r.raw):
		return nil, errors.New("the file is not UTF-8; save it as that")
	}
	schema, seen := 0, false
	var entries []Entry
	err := r.object("the file", []string{"schema", "entries"}, func(key string) error {
		if key == "schema" {
			return r.value(key, &schema)
		}
		seen = true
		return r.list(&entries)
	})
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the end; keep one object")
	}
	r.at = 1
	switch {
	case schema != Schema:
		return nil, fmt.Errorf("schema %d is not known; this autobuild reads schema %d", schema,
			Schema)
	case !seen:
		return nil, errors.New("there are no entries; write \"entries\": []")
	}
	return entries, nil
}

// list reads the entries.
func (r *reader) list(into *[]Entry) error {
	if err := r.open('[', "entries"); err != nil {
		return err
	}
	names := make(map[string]bool)
	for r.dec.More() {
		begin := r.next()
		e, err := r.entry()
		if err != nil {
			return err
		}
		r.at = begin
		if err := e.check(); err != nil {
			return err
		}
		if names[e.Name] {
			return fmt.Errorf("there are two entries %q; rename or remove one", e.Name)
		}
		if len(*into) == MaxEntries {
			return fmt.Errorf("there are more than %d entries; remove some", MaxEntries)
		}
		r.at = 0
		names[e.Name] = true
		*into = append(*into, e)
	}
	_, err := r.dec.Token()
	return err
}

// entry reads one entry. An entry without a status is one that a person wrote: it is accepted.
func (r *reader) entry() (Entry, error) {
	e := Entry{Status: Accepted}
	fields := map[string]any{
		"name": &e.Name, "status": &e.Status, "trigger": &e.Trigger, "match": &e.Match,
		"fix": &e.Fix, "prevent": &e.Prevent, "tags": &e.Tags, "about": &e.About,
		"type": &e.Type, "gate": &e.Gate, "code": &e.Code, "fingerprint": &e.Fingerprint,
		"cost": &e.Cost, "source": &e.Source,
		"times_helped": &e.Helped, "times_failed": &e.Failed, "learned": &e.Learned,
		"last_seen": &e.LastSeen,
	}
	var known []string
	for k := range fields {
		known = append(known, k)
	}
	slices.Sort(known)
	err := r.object("an entry", known, func(key string) error { return r.value(key, fields[key]) })
	return e, err
}

// object reads the fields of an object, each once.
func (r *reader) object(what string, known []string, field func(key string) error) error {
	if err := r.open('{', what); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for r.dec.More() {
		begin := r.next()
		token, err := r.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		switch {
		case !slices.Contains(known, key):
			r.at = begin
			return fmt.Errorf("%q is no field of %s; its fields are %s", text.Clip(key, maxSmall),
				what, strings.Join(known, ", "))
		case seen[key]:
			r.at = begin
			return fmt.Errorf("%q stands twice in %s; keep one of them", key, what)
		}
		seen[key] = true
		if err := field(key); err != nil {
			return err
		}
	}
	_, err := r.dec.Token()
	return err
}

func (r *reader) open(want json.Delim, what string) error {
	begin := r.next()
	token, err := r.dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		r.at = begin
		return fmt.Errorf("%s must begin with %c", what, want)
	}
	return nil
}

// value reads one value into a pointer to what it must be.
func (r *reader) value(key string, into any) error {
	begin := r.next()
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil || string(raw) == "null" {
		r.at = begin
		kind := "a text in quotes"
		switch into.(type) {
		case *int:
			kind = "a whole number"
		case *[]string:
			kind = "a list of texts: [\"one\", \"two\"]"
		}
		return fmt.Errorf("%s must be %s", key, kind)
	}
	return nil
}

// next is where the next token begins, from 1; commas, colons and blanks are passed over.
func (r *reader) next() int64 {
	at := r.dec.InputOffset()
	for at < int64(len(r.raw)) && strings.ContainsRune(" \t\r\n,:", rune(r.raw[at])) {
		at++
	}
	return at + 1
}

// problem gives an error its line.
func (r *reader) problem(err error) error {
	at := r.dec.InputOffset()
	what := err.Error()
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at, what = syntax.Offset, strings.TrimPrefix(what, "json: ")+"; the file is not valid JSON"
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at, what = int64(len(r.raw)), "the file ends too early; a bracket is missing"
	}
	if r.at > 0 {
		at = r.at - 1
	}
	at = min(max(at, 0), int64(len(r.raw)))
	return &Problem{Line: 1 + bytes.Count(r.raw[:at], []byte{'\n'}), What: what}
}
