package gate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"autobuild/orchestrator/verify/testunit"
)

// targetFile reports how a file with targets is read; nil: it is none.
func targetFile(file string) func(string, string) *rules {
	base := strings.ToLower(path.Base(file))
	switch {
	case slices.Contains([]string{"makefile", "gnumakefile"}, base), strings.HasSuffix(base, ".mk"):
		return parseMake
	case strings.Contains(base, "justfile"), strings.HasSuffix(base, ".just"):
		return parseJust
	}
	return nil
}

// environmentVars are variables of a makefile that steer make, the shell or a runner.
var environmentVars = []string{
	"SHELL", ".SHELLFLAGS", "MAKEFLAGS", "MAKEFILES", "MAKE", "PATH", ".DEFAULT_GOAL",
	".RECIPEPREFIX", "VPATH", "GNUMAKEFLAGS", "MFLAGS",
	"GOFLAGS", "PYTEST_ADDOPTS", "NODE_OPTIONS", "PYTHONPATH", "NODE_PATH", "BASH_ENV", "ENV",
	"GOWORK", "RUSTFLAGS",
}

// makeChanges compares two makefiles by their targets, variables and directives.
func (r *Reach) makeChanges(file, old, now string) []KeyChange {
	parse := targetFile(file)
	a, b := parse(file, old), parse(file, now)
	reached := r.targets[file]
	used := usedVars(a, reached)
	var out []KeyChange
	note := func(key, was, is string, harmless bool) {
		var x, y any
		if was != "" {
			x = was
		}
		if is != "" {
			y = is
		}
		out = append(out, KeyChange{Key: key, Old: x, New: y, Harmless: harmless})
	}
	for _, name := range union(a.targets, b.targets) {
		was, is := a.targets[name], b.targets[name]
		switch {
		case was != nil && is != nil && was.text == is.text && was.heads == is.heads:
		case name == ".PHONY":
			note(name, ruleText(was), ruleText(is), was == nil || is != nil &&
				contains(is.needs, was.needs))
		case was == nil:
			note(name, "", is.text, !specialTarget(name) && !reached[name])
		case is == nil:
			note(name, was.text, "", !reached[name] && len(reached) > 0)
		default:
			note(name, was.text, is.text, !reached[name] && len(reached) > 0 &&
				!specialTarget(name) || r.targetStronger(was, is, b, reached))
		}
	}
	for _, name := range union(a.vars, b.vars) {
		was, is := a.vars[name], b.vars[name]
		if was != is {
			steers := slices.Contains(environmentVars, name) ||
				slices.ContainsFunc(a.other,
					func(l string) bool { return strings.HasPrefix(l, "export") })
			note(name, was, is, !steers && (len(reached) > 0 && !used[name] || moreFiles(was, is)))
		}
	}
	if !slices.Equal(a.other, b.other) {
		note("directives", strings.Join(testunit.Missing(a.other, b.other), " ⏎ "),
			strings.Join(testunit.Missing(b.other, a.other), " ⏎ "), false)
	}
	if !slices.Equal(a.includes, b.includes) {
		note("include", strings.Join(a.includes, " "), strings.Join(b.includes, " "), false)
	}
	if x, y := defaultGoal([]*rules{a}), defaultGoal([]*rules{b}); !slices.Equal(x, y) &&
		len(x) > 0 && reached[x[0]] && len(y) > 0 && r.bareMake() {
		note("the first target", x[0], y[0], false)
	}
	return out
}

func ruleText(r *rule) string {
	if r == nil {
		return ""
	}
	return r.text
}

// bareMake reports whether a gate calls make without a target.
func (r *Reach) bareMake() bool {
	for key := range r.seen {
		_, words, _ := strings.Cut(key, "\x01")
		if !strings.Contains(words, "\x01") &&
			(words == "make" || words == "just" || words == "gmake") ||
			strings.HasPrefix(words, "make\x01-") {
			return true
		}
	}
	return false
}

func specialTarget(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, "%")
}

// targetStronger reports whether a target runs what it did, and more that only checks.
func (r *Reach) targetStronger(was, is *rule, all *rules, reached map[string]bool) bool {
	if !contains(is.needs, was.needs) || is.heads > was.heads {
		return false
	}
	for _, need := range testunit.Missing(is.needs, was.needs) {
		t := all.targets[need]
		if t == nil || reached[need] {
			if t == nil && !IsSource(need) && path.Ext(need) != ".o" {
				return false
			}
			continue
		}
		if len(t.needs) > 0 ||
			slices.ContainsFunc(t.recipe, func(l string) bool {
				return strings.HasPrefix(l, "-") || !r.checks(strings.TrimLeft(l, "@"))
			}) {
			return false
		}
	}
	i := 0
	for _, line := range is.recipe {
		if i < len(was.recipe) && OneSpace(line) == OneSpace(was.recipe[i]) {
			i++
			continue
		}
		if strings.HasPrefix(line, "-") ||
			!r.checks(strings.ReplaceAll(strings.TrimLeft(line, "@"), "$(", "${")) {
			return false
		}
	}
	return i == len(was.recipe)
}

// moreFiles reports whether a variable only gained files of the product.
func moreFiles(was, is string) bool {
	a, b := strings.Fields(was), strings.Fields(is)
	if was == "" || !contains(b, a) {
		return false
	}
	return !slices.ContainsFunc(testunit.Missing(b, a), func(w string) bool {
		return !IsSource(w) && path.Ext(w) != ".o" || strings.ContainsAny(w, "$`;|&-")
	})
}

// usedVars are the variables that reached targets and directives use, directly or through others.
func usedVars(m *rules, reached map[string]bool) map[string]bool {
	used := map[string]bool{}
	var take func(text string)
	take = func(text string) {
		for _, re := range [][][]string{
			mkRef.FindAllStringSubmatch(text, -1),
			justRef.FindAllStringSubmatch(text, -1),
		} {
			for _, ref := range re {
				if !used[ref[1]] {
					used[ref[1]] = true
					take(m.vars[ref[1]])
				}
			}
		}
		for name := range m.vars { // $(call name,…), $(NAME:.c=.o)
			if !used[name] && (strings.Contains(text, "call "+name) ||
				strings.Contains(text, "$("+name+":") || strings.Contains(text, "$$"+name)) {
				used[name] = true
				take(m.vars[name])
			}
		}
	}
	for name, t := range m.targets {
		if reached[name] {
			take(t.text)
			for v := range m.vars {
				if strings.HasPrefix(v, name+": ") {
					used[v] = true
				}
			}
		}
	}
	take(strings.Join(m.other, "\n") + strings.Join(m.includes, "\n"))
	return used
}

// union are the keys of two maps, sorted.
func union[V any](a, b map[string]V) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}
