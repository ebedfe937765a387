package text_test

import (
	"fmt"
	"strings"
	"testing"

	"autobuild/internal/text"
)

func ExampleSuggest() {
	fmt.Println(text.Suggest("timout", []string{"timeout", "idle-timeout"}, "see --help"))
	fmt.Println(text.Suggest("x", []string{"b", "a"}, "see --help"))
	// Output:
	// did you mean "timeout"?
	// known: a, b
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"job", "jobs", 1},
		{"jbos", "jobs", 2},
		{"kitten", "sitting", 3},
		{"abcd", "bcda", 2},
	} {
		there, back := text.Distance(c.a, c.b, 99), text.Distance(c.b, c.a, 99)
		if there != c.want || back != c.want {
			t.Errorf("distance of %q and %q = %d (back %d), want %d", c.a, c.b, there, back, c.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	few := []string{"b", "a"}
	many := strings.Fields("aa bb cc dd ee ff gg hh ii jj kk ll mm")
	for _, c := range []struct {
		word  string
		known []string
		want  string
	}{
		{"zzz", few, "known: a, b"},
		{"zzz", many, "see autobuild run --help"},
		{"timout", []string{"timeout", "idle-timeout"}, `did you mean "timeout"?`},
		{"ab", []string{"xy"}, "known: xy"},
	} {
		if got := text.Suggest(c.word, c.known, "see autobuild run --help"); got != c.want {
			t.Errorf("%s: %q, want %q", c.word, got, c.want)
		}
	}
}
