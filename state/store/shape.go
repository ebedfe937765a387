package store

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// dynamic is a type that names the members of its JSON object itself.
type dynamic interface {
	// member is the type of the member with this key; why says what is wrong with the key otherwise.
	member(key string) (t reflect.Type, why string)
}

// shapes are the shapes of Go types, found once and shared while one directory is read.
type shapes map[reflect.Type]*shape

// shape is what a JSON value must look like for a Go type.
type shape struct {
	of       reflect.Type
	kind     reflect.Kind
	nullable bool              // null says the same as leaving it out
	fields   map[string]*field // struct: by exact name
	elem     reflect.Type      // slice, map
	dynamic  dynamic
	check    func(word string) bool // scalar with a form of its own
	want     string                 // scalar: what it must be
	all      shapes
}

type field struct {
	index int
	of    reflect.Type
}

func (s shapes) pointedAt(v any) *shape { return s.get(reflect.TypeOf(v).Elem()) }

// get finds the shape of a type.
func (s shapes) get(t reflect.Type) *shape {
	if known, ok := s[t]; ok {
		return known
	}
	sh := &shape{of: t, kind: t.Kind(), all: s}
	s[t] = sh
	if sh.kind == reflect.Pointer {
		*sh = *s.get(t.Elem())
		sh.nullable = true
		return sh
	}
	zero := reflect.New(t).Interface()
	if d, ok := zero.(dynamic); ok {
		sh.kind, sh.dynamic = reflect.Interface, d
		return sh
	}
	switch zero.(type) {
	case encoding.TextUnmarshaler:
		sh.kind, sh.want = reflect.String, "a time such as 2006-01-02T15:04:05Z"
		sh.check = func(word string) bool {
			u, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler)
			return ok && u.UnmarshalText([]byte(word)) == nil
		}
		return sh
	case json.Unmarshaler:
		sh.kind, sh.want = reflect.Float64, "a number of seconds"
		sh.check = func(word string) bool {
			u, ok := reflect.New(t).Interface().(json.Unmarshaler)
			return ok && u.UnmarshalJSON([]byte(word)) == nil
		}
		return sh
	}
	sh.describe(t)
	return sh
}

// describe is get for types that encoding/json knows.
func (sh *shape) describe(t reflect.Type) {
	switch sh.kind {
	case reflect.Struct:
		sh.fields = map[string]*field{}
		for _, f := range reflect.VisibleFields(t) {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if tag == "" {
				tag = f.Name
			}
			if !f.Anonymous {
				sh.fields[tag] = &field{len(sh.fields), f.Type}
			}
		}
	case reflect.Slice, reflect.Map:
		sh.elem, sh.nullable = t.Elem(), true
	case reflect.String:
		sh.want = "a string"
	case reflect.Bool:
		sh.want = "true or false"
		sh.check = func(word string) bool { return word == "true" || word == "false" }
	case reflect.Float64:
		sh.want = "a number"
		sh.check = func(word string) bool { _, err := strconv.ParseFloat(word, 64); return err == nil }
	default:
		sh.want = "a whole number"
		sh.check = func(word string) bool { _, err := strconv.ParseInt(word, 10, t.Bits()); return err == nil }
	}
}

// trail is the way from the top of the document to a value; it is spelled out only for a complaint.
type trail struct {
	up   *trail
	step string
}

func (t *trail) String() string {
	if t == nil {
		return ""
	}
	up := t.up.String()
	if up == "" || strings.HasPrefix(t.step, "[") {
		return up + t.step
	}
	return up + "." + t.step
}

// at begins a complaint about the value at this place.
func (t *trail) at() string {
	if t == nil {
		return ""
	}
	return t.String() + ": "
}

// value checks that the next value has this shape.
func (w *walker) value(sh *shape, way *trail, depth int) error {
	at := w.space()
	if depth > maxDepth {
		return &complaint{at: at, why: "is nested too deeply"}
	}
	c := w.peek()
	if c == 'n' && sh.nullable {
		_, err := w.word()
		return err
	}
	mismatch := func(want string) error {
		return &complaint{at: at, why: way.at() + "want " + want + ", found " + (&walker{w.data, at}).describe()}
	}
	switch sh.kind {
	case reflect.Struct, reflect.Map, reflect.Interface:
		if c != '{' {
			return mismatch("an object")
		}
		return w.membersOf(sh, way, depth)
	case reflect.Slice:
		if c != '[' {
			return mismatch("a list")
		}
		elem, n := sh.all.get(sh.elem), 0
		return w.sequence('[', ']', func() error {
			n++
			return w.value(elem, &trail{way, "[" + strconv.Itoa(n-1) + "]"}, depth+1)
		})
	case reflect.String:
		if c != '"' {
			return mismatch(sh.want)
		}
		s, err := w.text()
		if err == nil && sh.check != nil && !sh.check(s) {
			return mismatch(sh.want)
		}
		return err
	}
	if c == '{' || c == '[' || c == '"' {
		return mismatch(sh.want)
	}
	word, err := w.word()
	if err == nil && !sh.check(word) {
		return mismatch(sh.want)
	}
	return err
}

// membersOf checks the members of an object: no key twice, none in other letters, none unknown.
func (w *walker) membersOf(sh *shape, way *trail, depth int) error {
	var known uint64 // one bit a field; no struct of ours has as many
	var seen map[string]bool
	return w.object(func(key string, at int) error {
		var t reflect.Type
		twice, why := false, ""
		if f, ok := sh.fields[key]; ok {
			t, twice = f.of, known&(1<<f.index) != 0
			known |= 1 << f.index
		} else if sh.kind == reflect.Struct {
			why = sh.unknown(key)
		} else {
			if seen == nil {
				seen = map[string]bool{}
			}
			twice, seen[key] = seen[key], true
			t = sh.elem
			if sh.dynamic != nil {
				t, why = sh.dynamic.member(key)
			}
		}
		if twice {
			why = fmt.Sprintf("the key %q is there twice", key)
		}
		if why != "" {
			return &complaint{at: at, why: way.at() + why}
		}
		return w.value(sh.all.get(t), &trail{way, key}, depth+1)
	})
}

// unknown says what is wrong with a key that no field has.
func (sh *shape) unknown(key string) string {
	for name := range sh.fields {
		if strings.EqualFold(name, key) {
			return fmt.Sprintf("the key %q should be %q", key, name)
		}
	}
	return fmt.Sprintf("unknown key %q", key)
}
