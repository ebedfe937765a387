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

// What holds no prefix of a match has none.
func FuzzMatch(f *testing.F) {
	for _, expression := range []string{
		`(?i)\b(depends? on|waits? (for|on)|blocked|no|aprés)|после|完成|n't\b`, `\b"?(Phase|Step) [0-9]+`, `a|b`,
		`(?i)(sk|ok)-[a-z]{3,}`, `(?i)été|ß|k`, `[.;] x`, `^\W*(if|see)`, `x?\by`, `(ab)*c+d`, `\b\(x`, `(?s)a.b`, `(|ab)cd`,
		`[^a]bc`, "\ufffdab", `(?i)ſtop`, `[Kk]elvin`, `(?-i:AB)c`, `\Bab`, `(ab|cd){2}`, `ab$|cd`,
	} {
		for _, s := range []string{
			"It depends on it.", "DOES NOT WAIT FOR", "don't", "после этого", "ПОСЛЕ", "Phase 2", "x\"Step 3", "o\u212a-abc",
			"ſk-abc", "ÉTÉ", "ẞ", "xy y", "cccd", "a(x", "a\nb", "cd", "\xffab", "STOP", "\u212aelvin", "ABc", "xab", "abcd",
		} {
			f.Add(expression, s)
		}
	}
	f.Fuzz(func(t *testing.T, expression, s string) {
		plain, err := regexp.Compile(expression)
		if err != nil {
			t.Skip()
		}
		got, want := New(expression).FindAllStringSubmatchIndex(s, -1), plain.FindAllStringSubmatchIndex(s, -1)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q in %q: %v, want %v", expression, s, got, want)
		}
	})
}

// A list of words is looked for before the expression is run.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	r := New(`(?i)\b(depends? on|blocked)|完成`)
	for s, want := range map[string]bool{
		"it Depends on this": true, "undepends on": false, "blocker": false, "BLOCKED": true,
		"已完成": true, "a line of code(1)": false, "o\u212a": true,
	} {
		if r.may(s) != want {
			t.Errorf("%q: %t, want %t", s, !want, want)
		}
	}
	if New(`.*x`).prefixes != nil {
		t.Error("an expression that may begin with anything has a list")
	}
}
