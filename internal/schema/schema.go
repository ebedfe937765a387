// Package schema writes JSON Schemas (draft 2020-12) from Go types, with what their comments say as
// descriptions. Tests compare what it writes with the files that the program carries, so that these
// cannot drift from the types; nothing else needs it. It does not know what any type is for.
package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Draft is the dialect of the schemas.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Object is a JSON object whose members keep their order.
type Object []Member

// Member is one member of an Object.
type Member struct {
	Key   string
	Value any
}

// MarshalJSON writes the members in order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.Key)
		if err != nil {
			return nil, err
		}
		value, err := plain(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plain is JSON in which <, > and & stand for themselves.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// Maker makes schemas. Its zero value knows no comments and closes every object and list of words.
type Maker struct {
	Source Source
	// keys and words that are not known may come: readers of events skip them
	Open bool
	// of the fields: "json" where it is empty, "yaml": every key may be missing
	Tag     string
	Special map[reflect.Type]func(*Maker) any // types that encode themselves, and how

	defs map[string]any
}

// Document is the schema of a type as a file: indented, with a line end.
func Document(root Object) ([]byte, error) {
	raw, err := plain(root)
	if err != nil {
		return nil, fmt.Errorf("encoding the schema: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("encoding the schema: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// Make is the schema of values of a type, or of any of several; the extra members follow theirs.
func (m *Maker) Make(id, title, description string, extra Object, types ...reflect.Type) Object {
	m.defs = make(map[string]any)
	root := Object{{"$schema", Draft}, {"$id", id}, {"title", title}, {"description", description}}
	switch len(types) {
	case 0:
	case 1:
		root = append(root,
			slices.DeleteFunc(m.object(types[0]),
				func(of Member) bool { return of.Key == "description" })...)
	default:
		var either []any
		for _, t := range types {
			either = append(either, m.Type(t))
		}
		root = append(root, Member{"anyOf", either})
	}
	root = append(root, extra...)
	return append(root, Member{"$defs", m.Defs()})
}

// Defs are the definitions that the types so far have needed, by name.
func (m *Maker) Defs() Object {
	defs := Object{}
	for _, name := range slices.Sorted(maps.Keys(m.defs)) {
		defs = append(defs, Member{name, m.defs[name]})
	}
	return defs
}

// Type is the schema of one value. Named structs and words become definitions, which are referred
// to.
func (m *Maker) Type(t reflect.Type) any {
	if special, ok := m.Special[t]; ok {
		return special(m)
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return Object{{"type", "string"}, {"format", "date-time"}}
	case t == reflect.TypeFor[time.Duration]():
		return Object{{"type", "integer"}, {"description", "nanoseconds"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.Type(t.Elem())
	case reflect.Struct:
		return m.define(t, func() any { return m.object(t) })
	case reflect.String:
		if words := m.Source.Words[key(t)]; len(words) > 0 {
			return m.define(t, func() any { return m.words(t, words) })
		}
		return Object{{"type", "string"}}
	case reflect.Bool:
		return Object{{"type", "boolean"}}
	case reflect.Float32, reflect.Float64:
		return Object{{"type", "number"}}
	case reflect.Slice, reflect.Array:
		return Object{{"type", "array"}, {"items", m.Type(t.Elem())}}
	case reflect.Map:
		return Object{{"type", "object"}, {"additionalProperties", m.Type(t.Elem())}}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Object{{"type", "integer"}}
	}
	return Object{} // anything
}

// define makes a definition once, and refers to it.
func (m *Maker) define(t reflect.Type, write func() any) any {
	name := short(t)
	if m.defs == nil {
		m.defs = make(map[string]any)
	}
	if _, known := m.defs[name]; !known {
		m.defs[name] = nil // a type may hold itself
		m.defs[name] = write()
	}
	return Object{{"$ref", "#/$defs/" + name}}
}

// words is a named string with its constants.
func (m *Maker) words(t reflect.Type, words []Word) any {
	o := Object{{"type", "string"}}
	var values, said []string
	for _, w := range words {
		if w.Value == "" {
			continue
		}
		values = append(values, w.Value)
		if w.Comment != "" {
			said = append(said, w.Value+": "+w.Comment)
		}
	}
	text := strings.TrimSpace(m.Source.Comments[key(t)] + " " + strings.Join(said, ". "))
	if text != "" {
		o = append(o, Member{"description", text})
	}
	if m.Open {
		return append(o, Member{"examples", values})
	}
	return append(o, Member{"enum", values})
}

// object is a struct with its fields, those of embedded ones among them.
func (m *Maker) object(t reflect.Type) Object {
	o := Object{{"type", "object"}}
	if text := m.Source.Comments[key(t)]; text != "" {
		o = append(o, Member{"description", text})
	}
	properties, required := m.fields(t)
	o = append(o, Member{"properties", properties})
	if len(required) > 0 {
		o = append(o, Member{"required", required})
	}
	if !m.Open {
		o = append(o, Member{"additionalProperties", false})
	}
	return o
}

func (m *Maker) fields(t reflect.Type) (properties Object, required []string) {
	properties = Object{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get(cmp.Or(m.Tag, "json")), ",")
		switch {
		case f.Anonymous && name == "":
			inner, needs := m.fields(f.Type)
			properties, required = append(properties, inner...), append(required, needs...)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		optional := strings.Contains(options, "omit") || m.Tag == "yaml"
		value := m.Type(f.Type)
		if kind := f.Type.Kind(); !optional && (kind == reflect.Pointer || kind == reflect.Slice ||
			kind == reflect.Map) {
			value = Object{{"anyOf", []any{value, Object{{"type", "null"}}}}}
		}
		if text := m.Source.Comments[key(t)+"."+f.Name]; text != "" {
			value = described(value, text)
		}
		properties = append(properties, Member{name, value})
		if !optional {
			required = append(required, name)
		}
	}
	return properties, required
}

// described adds what a field's comment says to what its type says.
func described(value any, text string) any {
	o, ok := value.(Object)
	if !ok {
		return value
	}
	o = slices.Clone(o)
	for i := range o {
		if o[i].Key == "description" {
			if was, ok := o[i].Value.(string); ok && !strings.Contains(text, was) {
				text += "; " + was
			}
			o[i].Value = text
			return o
		}
	}
	return append(o, Member{"description", text})
}

// key is a type's name with its package's path, short with its package's name alone.
func key(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

func short(t reflect.Type) string {
	path := t.PkgPath()
	return path[strings.LastIndexByte(path, '/')+1:] + "." + t.Name()
}
