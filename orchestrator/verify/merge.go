package verify

import (
	"cmp"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

// The sources of gates that people named themselves. Every other source is the file that gave a
// gate away.
const (
	SourceConfig = "config"
	SourcePlan   = "plan"
)

// Merge says which gates apply: by name, those of the configuration win, then the plan's, then
// the stack's. One with an empty command is off. The result is in running order, with kind and
// source filled in; a named gate that leaves a fix command open gets that of a detected one with
// the same command, else the one that follows from its own: eslint --fix, gofmt -w.
func Merge(config, plan, detected []state.GateSpec) []state.GateSpec {
	var out []state.GateSpec
	for _, layer := range []struct {
		source string
		specs  []state.GateSpec
	}{{SourceConfig, config}, {SourcePlan, plan}, {"", detected}} {
		for _, s := range layer.specs {
			if slices.ContainsFunc(out, func(o state.GateSpec) bool { return o.Name == s.Name }) {
				continue
			}
			folder := layer.source == "" && strings.Contains(s.Name, folderMark)
			if folder && slices.ContainsFunc(out, func(o state.GateSpec) bool {
				return o.Kind == s.Kind && (o.Source == SourceConfig || o.Source == SourcePlan)
			}) {
				continue // a configured gate replaces those of folders
			}
			s.Source = cmp.Or(layer.source, s.Source)
			s.Kind = cmp.Or(s.Kind, Kind(s.Name))
			i := slices.IndexFunc(detected,
				func(d state.GateSpec) bool { return d.Command == s.Command })
			if i >= 0 {
				s.FixCommand = cmp.Or(s.FixCommand, detected[i].FixCommand)
				s.Tool = cmp.Or(s.Tool, detected[i].Tool)
			}
			if s.Kind != state.KindTest {
				s.FixCommand = cmp.Or(s.FixCommand, fixFor(s.Command))
			}
			out = append(out, s)
		}
	}
	out = slices.DeleteFunc(out, func(s state.GateSpec) bool { return s.Command == "" })
	return Order(out)
}

// Order sorts gates into running order: lint, format, typecheck, test, then the others as given.
func Order(specs []state.GateSpec) []state.GateSpec {
	out := slices.Clone(specs)
	slices.SortStableFunc(out,
		func(a, b state.GateSpec) int { return cmp.Compare(rank(a.Kind), rank(b.Kind)) })
	return out
}

func rank(kind string) int {
	order := []string{state.KindLint, state.KindFormat, state.KindTypecheck, state.KindTest}
	if i := slices.Index(order, kind); i >= 0 {
		return i
	}
	return len(order)
}

var numbered = lazyregexp.New(`-\d+$`)

// Kind is the kind of a gate that has only a name; the second of a name is of the same kind.
func Kind(name string) string {
	switch name = numbered.ReplaceAllString(name, ""); name {
	case state.KindLint, state.KindFormat, state.KindTypecheck, state.KindTest:
		return name
	case "fmt", "format-check", "format:check":
		return state.KindFormat
	case "type-check", "types":
		return state.KindTypecheck
	case "tests", "unit", "unit-test", "e2e":
		return state.KindTest
	}
	return state.KindCustom
}

// Unavailable returns the gates that the configuration or the plan names and whose tool is not
// installed: no phase could pass them, so a run should not begin. Missing gates that were only
// detected are shown instead.
func Unavailable(specs []state.GateSpec) []state.GateSpec {
	var out []state.GateSpec
	for _, s := range specs {
		if !s.Available && (s.Source == SourceConfig || s.Source == SourcePlan) {
			out = append(out, s)
		}
	}
	return out
}
