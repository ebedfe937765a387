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
	// member is the type of the member with this key; why says what is wrong with the key
	// otherwise.
	member(key string) (t reflect.Type, why string)
}

// taker is a pointer to a dynamic type: it takes its members one by one, in order, each as a
// pointer to the type that member named.
type taker interface{ take(key string, value any) }

// shapes are the shapes of Go types, found once and shared while one directory is read.
type shapes map[reflect.Type]*shape

// shape is the required form of a JSON value for a Go type.
type shape struct {
	of       reflect.Type
	kind     reflect.Kind
	nullable bool              // null says the same as leaving it out
	fields   map[string]*field // struct: by exact name
	elem     reflect.Type      // slice, map
	dynamic  dynamic
	// scalar: false where the word is no valid value
	set  func(v reflect.Value, word string) bool
	want string // scalar: the required kind
	all  shapes
}

type field struct {
	index int
	path  []int // through embedded structs
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
		sh.set = func(v reflect.Value, word string) bool {
			u, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
			return ok && u.UnmarshalText([]byte(word)) == nil
		}
		return sh
	case json.Unmarshaler:
		sh.kind, sh.want = reflect.Float64, "a number of seconds"
		sh.set = func(v reflect.Value, word string) bool {
			u, ok := v.Addr().Interface().(json.Unmarshaler)
			return ok && u.UnmarshalJSON([]byte(word)) == nil
		}
		return sh
	}
	sh.describe(t)
	return sh
}

// describe is get for types that encoding/json supports.
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
				sh.fields[tag] = &field{len(sh.fields), f.Index, f.Type}
			}
		}
	case reflect.Slice, reflect.Map:
		sh.elem, sh.nullable = t.Elem(), true
	case reflect.String:
		sh.want = "a string"
		sh.set = func(v reflect.Value, word string) bool {
			v.SetString(word)
			return true
		}
	case reflect.Bool:
		sh.want = "true or false"
		sh.set = func(v reflect.Value, word string) bool {
			v.SetBool(word == "true")
			return word == "true" || word == "false"
		}
	case reflect.Float64:
		sh.want = "a number"
		sh.set = func(v reflect.Value, word string) bool {
			f, err := strconv.ParseFloat(word, 64)
			v.SetFloat(f)
			return err == nil
		}
	default:
		sh.want = "a whole number"
		sh.set = func(v reflect.Value, word string) bool {
			n, err := strconv.ParseInt(word, 10, t.Bits())
			v.SetInt(n)
			return err == nil
		}
	}
}

// step is one step of the way from the top of the document to a value: a member, or an element of a
// list.
type step struct {
	key string
	n   int // where key is empty
}

// at begins a complaint about the value at the end of the way. It is spelled out for a complaint
// alone.
func (w *walker) at() string {
	var b strings.Builder
	for i, s := range w.way {
		switch {
		case s.key == "":
			b.WriteString("[" + strconv.Itoa(s.n) + "]")
		case i > 0:
			b.WriteString("." + s.key)
		default:
			b.WriteString(s.key)
		}
	}
	if len(w.way) == 0 {
		return ""
	}
	return b.String() + ": "
}

// value checks that the next value has this shape, and sets v to it. After an error v is undefined.
func (w *walker) value(sh *shape, v reflect.Value) error {
	at := w.space()
	if len(w.way) > maxDepth {
		return &complaint{at: at, why: "is nested too deeply"}
	}
	c := w.peek()
	if c == 'n' && sh.nullable {
		_, err := w.word()
		return err
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch sh.kind {
	case reflect.Struct, reflect.Map, reflect.Interface:
		if c != '{' {
			return w.mismatch(at, "an object")
		}
		return w.membersOf(sh, v)
	case reflect.Slice:
		if c != '[' {
			return w.mismatch(at, "a list")
		}
		return w.elementsOf(sh, v)
	case reflect.String:
		if c != '"' {
			return w.mismatch(at, sh.want)
		}
		s, err := w.text()
		if err == nil && !sh.set(v, s) {
			return w.mismatch(at, sh.want)
		}
		return err
	}
	if c == '{' || c == '[' || c == '"' {
		return w.mismatch(at, sh.want)
	}
	word, err := w.word()
	if err == nil && !sh.set(v, word) {
		return w.mismatch(at, sh.want)
	}
	return err
}

func (w *walker) mismatch(at int, want string) error {
	return &complaint{at: at, why: w.at() + "want " + want + ", found " +
		(&walker{data: w.data, i: at}).describe()}
}

// elementsOf appends the elements of a list.
func (w *walker) elementsOf(sh *shape, v reflect.Value) error {
	elem, n := sh.all.get(sh.elem), 0
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	return w.sequence('[', ']', func() error {
		v.Grow(1)
		v.SetLen(n + 1)
		w.way = append(w.way, step{n: n})
		err := w.value(elem, v.Index(n))
		w.up(err)
		n++
		return err
	})
}

// up leaves a member or an element, unless an error is about it.
func (w *walker) up(err error) {
	if err == nil {
		w.way = w.way[:len(w.way)-1]
	}
}

// membersOf checks the members of an object: no key twice, none in other letters, none unknown.
func (w *walker) membersOf(sh *shape, v reflect.Value) error {
	var known uint64 // one bit a field; no struct of ours has as many
	var seen map[string]bool
	if sh.kind == reflect.Map {
		v.Set(reflect.MakeMap(v.Type()))
	}
	return w.object(func(key string, at int) error {
		var t reflect.Type
		twice, why := false, ""
		f, ok := sh.fields[key]
		if ok {
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
			return &complaint{at: at, why: w.at() + why}
		}
		w.way = append(w.way, step{key: key})
		err := w.member(sh, f, key, t, v)
		w.up(err)
		return err
	})
}

// member reads one member of an object into its place.
func (w *walker) member(sh *shape, f *field, key string, t reflect.Type, v reflect.Value) error {
	if f != nil {
		return w.value(sh.all.get(t), v.FieldByIndex(f.path))
	}
	one := reflect.New(t)
	if err := w.value(sh.all.get(t), one.Elem()); err != nil {
		return err
	}
	if sh.kind == reflect.Map {
		v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), one.Elem())
	} else if all, ok := v.Addr().Interface().(taker); ok {
		all.take(key, one.Interface())
	}
	return nil
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
