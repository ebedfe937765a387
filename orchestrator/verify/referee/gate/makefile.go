package gate

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// rules is a makefile, a justfile or a Taskfile as far as gates need it.
type rules struct {
	file     string
	vars     map[string]string // by name; those of one target as "target: NAME"
	order    []string          // targets in order of appearance
	targets  map[string]*rule
	includes []string
	other    []string // directives: conditions, export, set
}

type rule struct {
	needs  []string
	recipe []string
	text   string // everything about it, spaces made one
	heads  int    // how often it stands in the file: of several recipes make takes the last
}

var (
	mkVar    = lazyregexp.New(`^(?:override\s+|export\s+)*([\w.-]+)\s*(\?|:{1,3}|\+|!)?=\s*(.*)$`)
	mkRule   = lazyregexp.New(`^([^:=\t#]+?)\s*(&?::?)\s*([^=]*)$`)
	mkOwnVar = lazyregexp.New(
		`^([^:=\t#]+?)\s*::?\s*((?:override\s+|export\s+)*[\w.-]+\s*[:?+]?=.*)$`)
	mkInclude = lazyregexp.New(`^[-s]?include\s+(.*)$`)
	mkRef     = lazyregexp.New(`\$[({]([\w.-]+)[)}]`)
	mkAny     = lazyregexp.New(`\$\([^()]*\)|\$\{[^{}]*\}|\$[^\s$]`)
	mkShell   = lazyregexp.New(`\$\(shell\s+([^()]*)\)`)
)

// parseMake reads a makefile. It never fails: an unknown line is kept as a directive.
func parseMake(file, text string) *rules {
	m := &rules{file: file, vars: map[string]string{}, targets: map[string]*rule{}}
	var current []*rule
	define := ""
	for _, line := range joined(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case define != "":
			if trimmed == "endef" {
				define = ""
			} else {
				m.vars[define] += line + "\n"
			}
		case strings.HasPrefix(line, "\t") && current != nil:
			for _, r := range current {
				if trimmed != "" {
					r.recipe = append(r.recipe, trimmed)
				}
			}
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case strings.HasPrefix(trimmed, "define "):
			define = strings.TrimRight(strings.Fields(trimmed + " x")[1], "=")
		default:
			current = m.makeLine(stripComment(trimmed), current)
		}
	}
	return m.finish()
}

func (m *rules) makeLine(line string, current []*rule) []*rule {
	if inc := mkInclude.FindStringSubmatch(line); inc != nil {
		m.includes = append(m.includes, strings.Fields(inc[1])...)
		return nil
	}
	if v := mkVar.FindStringSubmatch(line); v != nil {
		m.vars[v[1]] = strings.TrimSpace(m.vars[v[1]] + " " + v[2] + "= " + v[3])
		return nil
	}
	if v := mkOwnVar.FindStringSubmatch(line); v != nil {
		m.vars[v[1]+": "+strings.TrimSpace(strings.SplitN(v[2], "=", 2)[0])] = v[2]
		return nil
	}
	if v := mkRule.FindStringSubmatch(line); v != nil {
		needs, recipe, _ := strings.Cut(v[3], ";")
		current = nil
		for name := range strings.FieldsSeq(v[1]) {
			r := m.target(name)
			r.heads++
			r.needs = append(r.needs, strings.Fields(strings.ReplaceAll(needs, "|", " "))...)
			if recipe = strings.TrimSpace(recipe); recipe != "" {
				r.recipe = append(r.recipe, recipe)
			}
			current = append(current, r)
		}
		return current
	}
	m.other = append(m.other, line)
	if strings.HasPrefix(line, "if") || strings.HasPrefix(line, "e") {
		return current // a condition within a recipe
	}
	return nil
}

func (m *rules) target(name string) *rule {
	r := m.targets[name]
	if r == nil {
		r = &rule{}
		m.targets[name] = r
		m.order = append(m.order, name)
	}
	return r
}

func (m *rules) finish() *rules {
	for _, r := range m.targets {
		r.text = OneSpace(strings.Join(r.needs, " ")) + " ⏎ " +
			OneSpace(strings.Join(r.recipe, " ⏎ "))
	}
	return m
}

// OneSpace makes every run of white space one space.
func OneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// joined are the lines of a text, those that a backslash continues made one.
func joined(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var out []string
	open := false
	for line := range strings.SplitSeq(text, "\n") {
		more := strings.HasSuffix(line, `\`)
		line = strings.TrimSuffix(line, `\`)
		if open {
			out[len(out)-1] += " " + strings.TrimSpace(line)
		} else {
			out = append(out, line)
		}
		open = more
	}
	return out
}

func stripComment(line string) string {
	if i := strings.Index(line, " #"); i >= 0 {
		return strings.TrimSpace(line[:i])
	}
	return line
}

var (
	justRecipe = lazyregexp.New(`^@?([\w-]+)((?:\s+[^:=]*(?:=[^:]*)?)?)\s*:(?:[^=]|$)(.*)$`)
	justVar    = lazyregexp.New(`^(?:export\s+|alias\s+)?([\w-]+)\s*:=\s*(.*)$`)
	justImport = lazyregexp.New(`^(?:!include|import\??|mod\??)\s+(?:[\w-]+\s+)?['"]?([^'"]+)['"]?`)
	justRef    = lazyregexp.New(`\{\{\s*([\w-]+)?[^}]*\}\}`)
)

// parseJust reads a justfile.
func parseJust(file, text string) *rules {
	m := &rules{file: file, vars: map[string]string{}, targets: map[string]*rule{}}
	var current *rule
	for _, line := range joined(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#") && !strings.HasPrefix(trimmed, "#!"):
		case line != strings.TrimLeft(line, " \t") && current != nil:
			current.recipe = append(current.recipe, strings.TrimLeft(trimmed, "@-"))
		case justImport.MatchString(trimmed):
			m.includes = append(m.includes, justImport.FindStringSubmatch(trimmed)[1])
		case justVar.MatchString(trimmed):
			v := justVar.FindStringSubmatch(trimmed)
			m.vars[v[1]] = strings.Trim(v[2], `'"`)
			if strings.HasPrefix(trimmed, "alias") {
				m.target(v[1]).needs = []string{v[2]}
			}
		case justRecipe.MatchString(trimmed):
			v := justRecipe.FindStringSubmatch(trimmed)
			_, needs, _ := strings.Cut(trimmed, ":")
			current = m.target(v[1])
			current.recipe = nil
			current.needs = strings.FieldsFunc(needs,
				func(c rune) bool { return strings.ContainsRune(" \t&()", c) })
		default:
			m.other, current = append(m.other, trimmed), nil
		}
	}
	return m.finish()
}

func (m *rules) expand(text string, depth int) string {
	if depth > 8 {
		return text
	}
	text = strings.ReplaceAll(text, "$$", "\x02")
	text = mkRef.ReplaceAllStringFunc(text, func(ref string) string {
		name := mkRef.FindStringSubmatch(ref)[1]
		value, ok := m.vars[name]
		switch {
		case name == "MAKE":
			return "make"
		case name == "CURDIR":
			return "."
		case !ok:
			return string(unresolved)
		}
		_, value, _ = strings.Cut(value, "= ")
		return m.expand(value, depth+1)
	})
	text = mkAny.ReplaceAllString(text, string(unresolved))
	text = justRef.ReplaceAllStringFunc(text, func(ref string) string {
		if value, ok := m.vars[justRef.FindStringSubmatch(ref)[1]]; ok {
			return value
		}
		return string(unresolved)
	})
	return strings.ReplaceAll(text, "\x02", "$")
}

var (
	makeNames = []string{"GNUmakefile", "makefile", "Makefile"}
	justNames = []string{"justfile", ".justfile", "Justfile", "JUSTFILE"}
)

// make follows the targets that a call of make or just runs.
func (r *Reach) make(tool string, args []string, p place) {
	names, parse := makeNames, parseMake
	if tool == "just" {
		names, parse = justNames, parseJust
	}
	file, goals, p := r.makeArgs(tool, args, p)
	for _, dir := range []string{p.dirs[0], ""} {
		for _, name := range names {
			if f := path.Join(dir, name); file == "" && r.Paths[f] {
				file = f
			}
		}
	}
	if file == "" {
		return
	}
	all := r.load(file, parse, p, map[string]bool{})
	if len(goals) == 0 {
		goals = defaultGoal(all)
	}
	if tool == "just" && len(goals) > 1 && len(all) > 0 && all[0].targets[goals[1]] == nil {
		goals = goals[:1] // the rest are arguments
	}
	for _, goal := range goals {
		r.goal(all, goal, p.in(DirOf(file)))
	}
}

// makeArgs reads the words of a call: the file that -f names, the targets, and the place that -C
// leads to.
func (r *Reach) makeArgs(
	tool string, args []string, p place,
) (file string, goals []string, at place) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, value, joined := strings.Cut(a, "=")
		inDir := strings.HasPrefix(a, "-C") || name == "--directory" || tool == "just" &&
			(name == "-d" || name == "--working-directory")
		ofFile := strings.HasPrefix(a, "-f") || name == "--file" || name == "--makefile" ||
			name == "--justfile"
		switch {
		case inDir || ofFile:
			if short := !strings.HasPrefix(name, "--") && len(name) > 2; !joined && short {
				value = name[2:] // -Cdir
			} else if !joined && i+1 < len(args) {
				i++
				value = args[i]
			}
			if inDir {
				p = p.in(r.dir(value, p))
			} else {
				file = r.file(value, p)
			}
		case a == "-j" || a == "-l" || a == "-o" || a == "-I":
			if i+1 < len(args) && strings.Trim(args[i+1], "0123456789.") == "" {
				i++
			}
		case !strings.HasPrefix(a, "-") && !joined:
			goals = append(goals, a)
		}
	}
	return file, goals, p
}

func defaultGoal(all []*rules) []string {
	for _, m := range all {
		if goal := m.vars[".DEFAULT_GOAL"]; goal != "" {
			return strings.Fields(goal)[1:]
		}
		for _, name := range m.order {
			if name == "default" && strings.Contains(strings.ToLower(m.file), "just") {
				return []string{name}
			}
			if !strings.HasPrefix(name, ".") && !strings.Contains(name, "%") {
				return []string{name}
			}
		}
	}
	return nil
}

// load reads a file with targets and the files that it includes.
func (r *Reach) load(
	file string, parse func(string, string) *rules, p place, seen map[string]bool,
) []*rules {
	text, ok := r.src.Read(file)
	if !ok || seen[file] {
		return nil
	}
	seen[file] = true
	r.add(file, Caller{File: p.from, Option: true}, p.why)
	if r.targets[file] == nil {
		r.targets[file] = map[string]bool{}
	}
	m := parse(file, text)
	all := []*rules{m}
	for _, shell := range mkShell.FindAllStringSubmatch(text, -1) {
		r.nested(m.expand(shell[1], 0), p)
	}
	for _, inc := range m.includes {
		for _, f := range r.glob(m.expand(inc, 0), p.in(DirOf(file))) {
			all = append(all, r.load(f, parse, p, seen)...)
		}
	}
	return all
}

// glob are the files that a word with patterns names.
func (r *Reach) glob(word string, p place) []string {
	if f := r.file(word, p); f != "" {
		return []string{f}
	}
	var out []string
	if word = strings.TrimPrefix(word, "./"); !strings.ContainsAny(word, "*?[") {
		return nil
	}
	for _, dir := range p.dirs {
		for f := range r.Paths {
			if ok, _ := path.Match(path.Join(dir, word), f); ok {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// goal follows a target: its needs, then its recipe.
func (r *Reach) goal(all []*rules, name string, p place) {
	found := false
	for _, m := range all {
		if _, ok := m.targets[name]; ok {
			found = true
		}
	}
	for _, m := range all {
		for _, target := range m.order {
			if target != name && (found || !matchesPattern(target, name)) {
				continue
			}
			if r.targets[m.file][target] {
				continue
			}
			r.targets[m.file][target] = true
			here := p
			here.why = lead(p.why, []string{path.Base(m.file) + ":" + target})
			for _, need := range m.targets[target].needs {
				for n := range strings.FieldsSeq(m.expand(need, 0)) {
					r.goal(all, n, here)
				}
			}
			var lines []string
			for _, line := range m.targets[target].recipe {
				lines = append(lines, strings.TrimLeft(m.expand(line, 0), "@-+ "))
			}
			r.recipe(lines, here)
		}
	}
}

// recipe follows the lines of a target, each a command line of its own unless the first names an
// interpreter.
func (r *Reach) recipe(lines []string, p place) {
	if len(lines) > 0 && strings.HasPrefix(lines[0], "#!") {
		text := strings.Join(lines, "\n")
		if ShellText("", text) {
			r.nested(text, p)
		} else {
			r.inline = append(r.inline, inlineCode{p.dirs[0], interpreterSuffix(lines[0]), text})
		}
		return
	}
	for _, line := range lines {
		r.nested(line, p)
	}
}

func interpreterSuffix(first string) string {
	if strings.Contains(first, "python") {
		return ".py"
	}
	return ".js"
}

func matchesPattern(pattern, name string) bool {
	before, after, ok := strings.Cut(pattern, "%")
	return ok && len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) &&
		strings.HasSuffix(name, after)
}
