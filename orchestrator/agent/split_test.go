package agent

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"agent", []string{"agent"}},
		{"  agent\t--headless  ", []string{"agent", "--headless"}},
		{`agent 'a b' "c d" e\ f`, []string{"agent", "a b", "c d", "e f"}},
		{`agent --x='a'"b"c ''`, []string{"agent", "--x=abc", ""}},
		{`agent "say \"hi\" \\ \n" '\n'`, []string{"agent", `say "hi" \ \n`, `\n`}},
		{`sh -c 'a | b > $c; d'`, []string{"sh", "-c", "a | b > $c; d"}},
		{`agent \$HOME "\$HOME" sonnet[1m] *.go ~ a#b`, []string{"agent", "$HOME", "$HOME", "sonnet[1m]", "*.go", "~", "a#b"}},
		{"agent \\\n --x", []string{"agent", "--x"}},
	} {
		got, err := Split(c.in)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("Split(%q) = %q, %v, not %q", c.in, got, err, c.want)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":              "empty",
		" \n":           "empty",
		"a 'b":          "column 3 is not closed",
		`a "b`:          "column 3 is not closed",
		`a \`:           "backslash",
		"a | b":         `no shell, and "|" at column 3`,
		"a && b":        `"&"`,
		"a; b":          `";"`,
		"a <b":          `"<"`,
		"a >b":          `">"`,
		"(a)":           `"("`,
		"a $HOME":       `"$"`,
		"a `b`":         "\"`\"",
		`a "$HOME"`:     `"$"`,
		"a # a comment": `"#"`,
	} {
		if words, err := Split(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Split(%q) = %q, %v; the error should say %s", in, words, err, want)
		}
	}
}

// The law: every command line that can be split can be quoted and split again.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a b", `a 'b c' "d\"e" f\ g`, "a | b", `"`, `\`, "''"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words, err := Split(s)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		again, err := Split(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(again, words) {
			t.Fatalf("%q: %q became %q, %v", s, words, again, err)
		}
	})
}
