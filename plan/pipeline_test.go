package plan_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/plan"
)

// A pipeline is one outside quotes and comments whose status nobody turns round.
func TestPipeline(t *testing.T) {
	for text, want := range map[string]bool{
		"go test ./...":                           false,
		"go test ./... | tee log":                 true,
		"false 2>&1 | tail -5":                    true,
		"a || b":                                  false,
		"a |& tee log":                            true,
		"a >| out":                                false,
		"grep 'a|b' file":                         false,
		`grep "a|b" file`:                         false,
		`grep a\|b file`:                          false,
		`grep "a\"|b" file`:                       false,
		"true # a | b":                            false,
		"echo a#b | cat":                          true,
		"sh -c 'false | tail'":                    false,
		"x=$(a | b) && test x":                    true,
		`test "$(a | wc -l)" -gt 3`:               true,
		`test "$(echo '|')" = x`:                  false,
		"test `a | wc -l` = 3":                    true,
		"! a | grep -q bad":                       false,
		"if a | grep -q bad; then exit 1; fi":     false,
		"a | grep -q bad && exit 1 || true":       false,
		"a | grep -q bad && { false; }":           false,
		"a | b && c":                              true,
		"a | b || exit 1":                         true,
		"set -e\ncd x\nnpm test | tail":           true,
		"cat <<EOF\na | b\nEOF\n":                 false,
		"cat <<EOF | tail\na\nEOF\n":              true,
		"cat <<'E' > f\nif | !\nE\ngo test | cat": true,
		"(a; b) | c":                              true,
		"{ a; } | c":                              true,
		"[ -f a ] && ! b | c":                     false,
		"case $x in a|b) c;; esac":                false,
		"":                                        false,
	} {
		if got := plan.Pipeline(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// No text makes it hang or panic, and a pipe at the end of plain words is always found.
func TestPipelineOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan.Pipeline(rapid.StringOf(rapid.SampledFrom([]rune("a |&;<>()'\"\\`$#!\nE{}"))).Draw(t, "text"))
		words := rapid.SliceOf(rapid.StringMatching(`[b-df-hj-su-z]{1,5}`)).Draw(t, "words")
		if text := strings.Join(append(words, "x"), " ") + " | tail"; !plan.Pipeline(text) {
			t.Fatalf("%q is a pipeline", text)
		}
	})
}
