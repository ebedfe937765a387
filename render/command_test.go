package render_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/internal/text/texttest"
	"autobuild/render"
	"autobuild/render/rendertest"
)

func TestCommand(t *testing.T) {
	for want, argv := range map[string][]string{
		"autobuild docs/plan.md --commit=auto --resume": {"autobuild", "docs/plan.md", "--commit=auto", "--resume"},
		"autobuild 'my plan.md'":                        {"autobuild", "my plan.md"},
		`autobuild 'it'\''s.md'`:                        {"autobuild", "it's.md"},
		"autobuild '計画.md'":                             {"autobuild", "計画.md"},
		`autobuild $'a\012b' ''`:                        {"autobuild", "a\nb", ""},
		`autobuild $'\033\133m'`:                        {"autobuild", "\x1b[m"},
		"autobuild '~/x' '$HOME' '!'":                   {"autobuild", "~/x", "$HOME", "!"},
	} {
		if got := render.Command(argv); got != want {
			t.Errorf("Command(%q) = %s, want %s", argv, got, want)
		}
	}
	if got := (render.Style{ASCII: true}).Command([]string{"計"}); got != `$'\350\250\210'` {
		t.Errorf("in ASCII %s", got)
	}
}

// TestCommandCanBePasted: a shell takes every command apart into the words that it was made of.
func TestCommandCanBePasted(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: nothing to paste into")
	}
	word := rapid.Map(rapid.OneOf(texttest.Foreign(), rapid.String()), func(s string) string { return strings.ReplaceAll(s, "\x00", "") })
	var argv []string
	for seed := range 400 {
		argv = append(argv, word.Example(seed))
	}
	line := render.Command(argv)
	if strings.ContainsAny(line, "\n\x1b") {
		t.Fatalf("not one harmless line: %q", line)
	}
	out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", "printf '%s\\0' "+line).Output()
	rendertest.Check(t, err)
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if !slices.Equal(got, argv) {
		t.Errorf("pasting changes the words")
		for i := range argv {
			if i < len(got) && got[i] != argv[i] {
				t.Fatalf("%q became %q", argv[i], got[i])
			}
		}
	}
}
