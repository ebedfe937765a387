package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"autobuild/internal/lazyregexp"
)

// maxDocuments bounds how often JSON is looked for in one text.
const maxDocuments = 20

// errorText is the text of an error, with the JSON in it read.
type errorText struct {
	words strings.Builder // its sentences, those of the JSON one a line
	// fields of the JSON about the next try, "retry-after: 600", one a line
	fields strings.Builder
	// the same of the headers that came with it
	headers    strings.Builder
	structured bool    // it has JSON
	status     int     // the HTTP status in the JSON; 0 where there is none
	code       reading // what the JSON's own name of the error means, where it has one meaning only
}

// errorTextOf reads the text of an error, its first 64 KiB.
func errorTextOf(text string) *errorText {
	e := new(errorText)
	text = text[:min(len(text), maxClassified)]
	e.read(text, 0)
	for _, pair := range pythonic.FindAllStringSubmatch(text, maxDocuments) {
		e.name(pair[1], pair[2])
	}
	return e
}

// read adds the words and fields of a text.
func (e *errorText) read(text string, depth int) {
	for range maxDocuments {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		var doc any
		dec := json.NewDecoder(strings.NewReader(text[i:]))
		if dec.Decode(&doc) != nil {
			e.words.WriteString(text[:i+1])
			text = text[i+1:]
			continue
		}
		e.words.WriteString(text[:i])
		e.structured = true
		e.spell(doc, "", depth)
		text = text[i+int(dec.InputOffset()):]
	}
	e.words.WriteString(text)
}

// hump is where the next word of a name such as retryDelay begins.
var hump = lazyregexp.New(`([a-z])([A-Z])`)

// pacing matches names of fields about the next try, and of the headers that go with them.
var pacing = lazyregexp.New(`retry|reset|rate-?limit`)

// spell adds the words in a document. Strings may hold documents themselves.
func (e *errorText) spell(doc any, key string, depth int) {
	if depth > 8 {
		return
	}
	name := strings.ReplaceAll(strings.ToLower(hump.ReplaceAllString(key, "$1-$2")), "_", "-")
	switch v := doc.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			e.spell(v[name], name, depth+1)
		}
	case []any:
		for _, element := range v {
			e.spell(element, key, depth+1)
		}
	case float64:
		if pacing.MatchString(name) {
			e.field(name, strconv.FormatFloat(v, 'f', -1, 64))
		}
		e.number(name, int(v))
	case string:
		switch {
		case pacing.MatchString(name) && strings.ContainsAny(v, "0123456789"):
			e.field(name, v)
			return
		case strings.HasSuffix(name, "reason"):
			v = "reason: " + v
		}
		if n, err := strconv.Atoi(v); err == nil {
			e.number(name, n)
		}
		e.name(name, v)
		e.words.WriteByte('\n')
		if strings.HasPrefix(strings.TrimSpace(v), "{") {
			e.read(v, depth+1)
		} else {
			e.words.WriteString(v)
		}
		e.words.WriteByte('\n')
	}
}

// field adds a field about the next try.
func (e *errorText) field(name, value string) {
	to := &e.fields
	if strings.HasPrefix(name, "retry-after") || strings.Contains(name, "limit") {
		to = &e.headers
	}
	to.WriteString(name + ": " + value + "\n")
}

// number takes the HTTP status from a field.
func (e *errorText) number(name string, n int) {
	if e.status == 0 && n >= 400 && n < 600 &&
		(strings.HasSuffix(name, "code") || strings.HasSuffix(name, "status")) {
		e.status = n
	}
}
