package lazyregexp

import (
	"fmt"
	"reflect"
	"regexp"
	"testing"
)

func ExampleNew() {
	number := New(`[0-9]+`)
	fmt.Println(number, number.FindAllString("7 of 12", -1))
	// Output: [0-9]+ [7 12]
}

// Every method has the signature of regexp.Regexp's, so that a variable can change its type.
func TestMethods(t *testing.T) {
	t.Parallel()
	lazy, plain := reflect.TypeFor[*Regexp](), reflect.TypeFor[*regexp.Regexp]()
	if lazy.NumMethod() < 10 {
		t.Fatalf("%d methods", lazy.NumMethod())
	}
	for m := range lazy.Methods() {
		same, ok := plain.MethodByName(m.Name)
		if !ok || m.Type.NumIn() != same.Type.NumIn() || m.Type.NumOut() != same.Type.NumOut() {
			t.Errorf("%s is not a method of regexp.Regexp", m.Name)
			continue
		}
		for i := 1; i < m.Type.NumIn(); i++ {
			if m.Type.In(i) != same.Type.In(i) {
				t.Errorf("argument %d of %s is %s, want %s", i, m.Name, m.Type.In(i), same.Type.In(i))
			}
		}
	}
}

// A wrong expression panics where it is declared, because this is a test binary.
func TestWrong(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(`(`)
}

// Outside of tests nothing is compiled before the first use.
func TestLazy(t *testing.T) {
	t.Parallel()
	r := &Regexp{expression: `a+`}
	if r.String() != `a+` || r.compiled != nil {
		t.Errorf("%s is compiled: %t", r, r.compiled != nil)
	}
	if !r.MatchString("caat") || r.compiled == nil {
		t.Error("the first use does not compile")
	}
}
