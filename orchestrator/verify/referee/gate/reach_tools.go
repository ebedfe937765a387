package gate

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Manifest holds the parts of a package.json or composer.json that decide the reach.
type manifest struct {
	Scripts map[string]any `json:"scripts"`
	Main    any            `json:"main"`
	Module  any            `json:"module"`
	Types   any            `json:"types"`
	Bin     any            `json:"bin"`
	Exports any            `json:"exports"`
	Browser any            `json:"browser"`
}

func (r *Reach) manifest(file string) manifest {
	var m manifest
	if text, ok := r.src.Read(file); ok {
		_ = json.Unmarshal([]byte(text), &m) // one that cannot be read has no scripts
	}
	return m
}

// Entries are the files that a manifest names as a program's or a package's own.
func (r *Reach) Entries(manifest string) []string {
	m := r.manifest(manifest)
	var out []string
	for _, v := range []any{m.Main, m.Module, m.Types, m.Bin, m.Exports, m.Browser} {
		out = append(out, StringsOf(v)...)
	}
	return out
}

// StringsOf are the strings in a JSON value.
func StringsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, StringsOf(x)...)
		}
		return out
	case map[string]any:
		var out []string
		for _, x := range v {
			out = append(out, StringsOf(x)...)
		}
		slices.Sort(out)
		return out
	}
	return nil
}

// nearest is the file of a name in a directory or the next one above it.
func (r *Reach) nearest(name, dir string) string {
	for {
		if f := path.Join(dir, name); r.Paths[f] {
			return f
		}
		if dir == "" {
			return ""
		}
		dir = DirOf(dir)
	}
}

// npm follows the scripts that a package manager runs.
func (r *Reach) npm(tool string, args []string, p place) {
	words, everywhere, p := r.npmArgs(tool, args, p)
	if len(words) == 0 {
		return
	}
	script := words[0]
	switch {
	case script == "run" || script == "run-script" || script == "rum" || script == "urn":
		if len(words) < 2 {
			return
		}
		script = words[1]
	case script == "t" || script == "tst":
		script = "test"
	case script == "exec" || script == "dlx" || script == "x":
		r.call(afterOptions(words[1:], 0), p)
		return
	case script == "test" && tool == "bun": // a runner of its own
		r.operands(args, p)
		return
	case tool == "npm" && script != "test" && script != "start" && script != "stop" &&
		script != "restart":
		return // install, ci, audit: no gate of the project's own
	}
	if everywhere {
		for _, f := range r.src.Paths() {
			if path.Base(f) == "package.json" && !InVendor(f) {
				r.runScript(f, script, p)
			}
		}
		return
	}
	if f := r.nearest("package.json", p.dirs[0]); f != "" && !r.runScript(f, script, p) &&
		tool != "npm" {
		r.call(words, p) // yarn jest
	}
}

// npmArgs are the words of a call without options, whether it is for all workspaces, and the place
// that --prefix leads to.
func (r *Reach) npmArgs(
	tool string, args []string, p place,
) (words []string, everywhere bool, at place) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, value, joined := strings.Cut(a, "=")
		switch {
		case a == "--":
			return words, everywhere, p
		case name == "--prefix" || name == "-C" || name == "--cwd" || name == "--dir":
			if !joined && i+1 < len(args) {
				i++
				value = args[i]
			}
			p = p.in(r.dir(value, p))
		case slices.Contains([]string{"-w", "--workspace", "--filter", "-F"}, name),
			a == "workspace" && tool == "yarn":
			everywhere = true
			if !joined {
				i++
			}
		case slices.Contains([]string{
			"-r", "--recursive", "--workspaces", "-ws", "workspaces",
			"--parallel",
		}, a):
			everywhere = true
		case !strings.HasPrefix(a, "-"):
			words = append(words, a)
		}
	}
	return words, everywhere, p
}

// runScript follows a script of a manifest with what runs before and after it; a name may hold *.
func (r *Reach) runScript(file, name string, p place) bool {
	m := r.manifest(file)
	r.add(file, Caller{File: p.from, Option: true}, p.why)
	if r.scripts[file] == nil {
		r.scripts[file] = map[string]bool{}
	}
	found := false
	for key := range m.Scripts {
		ok, _ := path.Match(strings.ReplaceAll(name, ":", "/"), strings.ReplaceAll(key, ":", "/"))
		if key != name && (!strings.Contains(name, "*") || !ok) {
			continue
		}
		found = true
		for _, k := range []string{"pre" + key, key, "post" + key} {
			if r.scripts[file][k] {
				continue
			}
			r.scripts[file][k] = true
			for _, text := range StringsOf(m.Scripts[k]) {
				here := p.in(DirOf(file))
				here.why = lead(p.why, []string{path.Base(file) + ":" + k})
				here.from = ""
				r.nested(text, here)
			}
		}
	}
	return found
}

// runAll follows npm-run-all and concurrently: names of scripts, patterns of them, or commands.
func (r *Reach) runAll(args []string, p place) {
	file := r.nearest("package.json", p.dirs[0])
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		name := strings.TrimPrefix(a, "npm:")
		if file == "" || !r.runScript(file, name, p) {
			if strings.Contains(a, " ") {
				r.nested(a, p)
			}
		}
	}
}

func (r *Reach) composer(args []string, p place) {
	words := slices.DeleteFunc(slices.Clone(args),
		func(a string) bool { return strings.HasPrefix(a, "-") })
	if len(words) > 0 && (words[0] == "run" || words[0] == "run-script" || words[0] == "exec") {
		words = words[1:]
	}
	file := r.nearest("composer.json", p.dirs[0])
	if file == "" || len(words) == 0 || r.seen["composer "+words[0]] {
		return
	}
	r.seen["composer "+words[0]] = true
	r.add(file, Caller{Option: true}, p.why)
	if r.scripts[file] == nil {
		r.scripts[file] = map[string]bool{}
	}
	for _, key := range []string{
		"pre-" + words[0] + "-cmd", words[0],
		"post-" + words[0] + "-cmd",
	} {
		r.scripts[file][key] = true
		for _, text := range StringsOf(r.manifest(file).Scripts[key]) {
			if other, ok := strings.CutPrefix(text, "@"); ok && !strings.HasPrefix(other, "php ") {
				r.composer(strings.Fields(other), p)
				continue
			}
			r.nested(strings.TrimPrefix(text, "@"), p.in(DirOf(file)))
		}
	}
}

// node follows a script, the modules that are loaded before it, and program text in the command.
func (r *Reach) node(args []string, p place) {
	tests := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch name, value, joined := strings.Cut(a, "="); {
		case slices.Contains([]string{"-e", "-p", "--eval", "--print", "-pe"}, name):
			if !joined && i+1 < len(args) {
				value = args[i+1]
			}
			r.inline = append(r.inline, inlineCode{p.dirs[0], ".mjs", value})
			return
		case a == "--test" || a == "test":
			tests = true
		case strings.HasPrefix(a, "-"):
			r.operands(args[i:min(i+2, len(args))], p)
			if !joined && settingOption(a) {
				i++
			}
		default:
			p.args = len(args) - i - 1
			if f := r.run(a, p); f != "" {
				r.script(f, p)
			}
			if f := r.withSuffix(a, p, ".js", ".mjs", ".cjs", ".ts", "/index.js",
				"/index.mjs"); f != "" {
				r.script(f, p)
			}
			if !tests && a != "run" {
				return
			}
		}
	}
}

// withSuffix is a module that a word names without its suffix.
func (r *Reach) withSuffix(word string, p place, suffixes ...string) string {
	for _, s := range suffixes {
		if f := r.file(strings.TrimSuffix(word, "/")+s, p); f != "" {
			return f
		}
	}
	return ""
}

func (r *Reach) python(args []string, p place) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-m" && i+1 < len(args):
			p.args = len(args) - i - 2
			module := args[i+1]
			if f := r.withSuffix(strings.ReplaceAll(module, ".", "/"), p, "/__main__.py",
				".py"); f != "" {
				r.script(f, p)
				return
			}
			r.Tools[module] = true
			if module == "unittest" {
				r.modules(args[i+2:], p)
			} else if module != "python" && !strings.HasPrefix(module, "python") {
				r.program(module, args[i+2:], p)
			}
			return
		case a == "-c" && i+1 < len(args):
			r.inline = append(r.inline, inlineCode{p.dirs[0], ".py", args[i+1]})
			return
		case a == "-W" || a == "-X":
			i++
		case strings.HasPrefix(a, "-"):
		default:
			p.args = len(args) - i - 1
			if f := r.run(a, p); f != "" {
				r.script(f, p)
			}
			return
		}
	}
}

// modules are the tests that a call of unittest names.
func (r *Reach) modules(args []string, p place) {
	for _, a := range args {
		if f := r.withSuffix(strings.ReplaceAll(a, ".", "/"), p, ".py", "/__init__.py"); f != "" &&
			!strings.HasPrefix(a, "-") {
			r.add(f, Caller{File: p.from}, p.why)
		}
		r.words([]string{a}, p)
	}
}

// toolDirs are directories whose Go programs serve the gates.
var toolDirs = []string{
	"tools", "tool", "scripts", "script", "hack", "ci", "build", "test",
	"tests", "internal/tools", "_tools", "lint",
}

// ToolPath reports whether a file lies where the tools of a project lie.
func ToolPath(file string) bool {
	return slices.ContainsFunc(toolDirs,
		func(d string) bool { return strings.HasPrefix(file, d+"/") })
}

func (r *Reach) goTool(args []string, p place) {
	if len(args) > 1 && args[0] == "-C" {
		p, args = p.in(r.dir(args[1], p)), args[2:]
	}
	if len(args) == 0 {
		return
	}
	for i, a := range args {
		name, value, joined := strings.Cut(strings.TrimPrefix(a, "-"), "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if slices.Contains([]string{
			"-exec", "-overlay", "-modfile", "-toolexec", "-vettool",
			"-pgo",
		}, "-"+strings.TrimPrefix(name, "-")) {
			for w := range strings.FieldsSeq(value) {
				r.setting(w, p)
			}
		}
	}
	if args[0] != "run" {
		return
	}
	for i, a := range args[1:] {
		if strings.HasPrefix(a, "-") {
			continue
		}
		p.args = len(args) - i - 2
		if strings.HasSuffix(a, ".go") {
			r.words([]string{a}, p)
			continue
		}
		dir := r.resolve(a, p, r.Dirs)
		if dir == "" || !ToolPath(dir+"/") && !SaysCheck(dir) {
			return
		}
		for f := range r.Paths {
			if DirOf(f) == dir && path.Ext(f) == ".go" {
				r.add(f, Caller{Option: true}, p.why)
			}
		}
		return
	}
}

// task follows the tasks of a Taskfile.
func (r *Reach) task(p place) {
	for _, name := range []string{
		"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml",
		"Taskfile.dist.yml",
	} {
		file := r.nearest(name, p.dirs[0])
		if file == "" {
			continue
		}
		r.add(file, Caller{Option: true}, p.why)
		text, _ := r.src.Read(file)
		var doc struct {
			Tasks map[string]any `yaml:"tasks"`
		}
		if yaml.Unmarshal([]byte(text), &doc) != nil {
			return
		}
		for _, t := range doc.Tasks { // every task: names of others stand in many forms
			for _, line := range StringsOf(t) {
				r.nested(line, p.in(DirOf(file)))
			}
		}
		return
	}
}

func (r *Reach) tox(p place) {
	for _, name := range []string{"tox.ini", "setup.cfg"} {
		file := r.nearest(name, p.dirs[0])
		text, ok := r.src.Read(file)
		if file == "" || !ok {
			continue
		}
		for _, s := range parseINI(text) {
			if strings.HasPrefix(s.name, "testenv") || strings.HasPrefix(s.name, "tox:testenv") {
				for _, key := range []string{"commands", "commands_pre", "commands_post"} {
					r.lines(s.values[key], p)
				}
			}
		}
	}
}
