package verify

import (
	"slices"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

// targets are the names of Make and just targets that mean a gate, and those that repair what it
// finds.
var targets = []struct {
	kind         string
	names, fixes []string
}{
	{state.KindLint, []string{"lint"}, []string{"lint-fix", "fix"}},
	{
		state.KindFormat,
		[]string{"format-check", "fmt-check", "check-format", "check-fmt"},
		[]string{"format", "fmt"},
	},
	{state.KindTypecheck, []string{"typecheck", "type-check"}, nil},
	{state.KindTest, []string{"test"}, nil},
}

var (
	makeTarget = lazyregexp.New(`(?m)^([\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?:[^=:]|$)`)
	justTarget = lazyregexp.New(`(?m)^@?([\w-]+)(?:[ \t]+[^:\n]*)?:(?:[^=]|$)`)
	words      = lazyregexp.New(`\S+`)
)

func detectMake(f folder) (string, []state.GateSpec) {
	file := f.has("GNUmakefile", "makefile", "Makefile")
	return fromTargets("make", file, makeTarget, f)
}

func detectJust(f folder) (string, []state.GateSpec) {
	file := f.has("justfile", "Justfile", ".justfile")
	return fromTargets("just", file, justTarget, f)
}

func fromTargets(tool, file string, re *lazyregexp.Regexp, f folder) (string, []state.GateSpec) {
	if file == "" {
		return "", nil
	}
	var found []string
	for _, m := range re.FindAllStringSubmatch(f.text(file), -1) {
		found = append(found, words.FindAllString(m[1], -1)...)
	}
	pick := func(names []string) string {
		i := slices.IndexFunc(names, func(n string) bool { return slices.Contains(found, n) })
		if i < 0 {
			return ""
		}
		return tool + " " + names[i]
	}
	var gates []state.GateSpec
	for _, t := range targets {
		if command := pick(t.names); command != "" {
			gates = append(gates, gate(t.kind, command, pick(t.fixes), tool, file))
		}
	}
	if len(gates) == 0 {
		return "", nil
	}
	return tool, gates
}
