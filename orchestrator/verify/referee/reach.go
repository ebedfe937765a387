package referee

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxDepth bounds how far a command is followed: scripts that call scripts.
const maxDepth = 12

// reach is what the gates' commands reach in a tree, followed statically.
type reach struct {
	src     Source
	paths   map[string]bool
	dirs    map[string]bool
	files   map[string]string          // path → the gate and the words that lead there
	callers map[string][]caller        // path → what runs or reads it
	tools   map[string]bool            // programs that are called, by base name
	opaque  bool                       // a program is called of which nothing is known
	scripts map[string]map[string]bool // manifest → names of its scripts that run
	targets map[string]map[string]bool // makefile → its targets that run
	search  map[string]bool            // directories of the tree that a command puts on PATH
	inline  []inlineCode               // program text in a command: node -e, python -c
	globs   map[string]string          // patterns that a gate's loops run over → the way there
	seen    map[string]bool            // commands already followed, with their directory
	judging map[string]bool            // scripts in which a command checks or compares
	awaited map[string]bool            // paths that are not in the tree, of programs that commands run
	loaded  map[string]bool            // paths that are not in the tree, of files that scripts include
	// a command may run any new script within its own shell
	loadsAny bool
}

// inlineCode is program text that stands in a gate's command.
type inlineCode struct{ dir, suffix, text string }

// caller is a file or a gate's own command (no file) that leads to a file, and how.
type caller struct {
	file   string
	args   int  // words behind the file
	data   bool // it is read, not run
	option bool // an option names it
}

// place is where a command stands: the directories that its words may be relative to, the likeliest
// first.
type place struct {
	dirs  []string
	why   string
	from  string // the script that the command stands in; empty: the gate itself, or a target of it
	args  int
	depth int
}

func (p place) in(dir string) place {
	p.dirs = slices.Compact(append([]string{dir}, p.dirs...))
	return p
}

func newReach(src Source, paths map[string]bool) *reach {
	r := &reach{
		src: src, paths: paths, dirs: map[string]bool{"": true}, files: map[string]string{},
		callers: map[string][]caller{},
		tools:   map[string]bool{}, scripts: map[string]map[string]bool{}, targets: map[string]map[string]bool{},
		search: map[string]bool{}, globs: map[string]string{}, seen: map[string]bool{},
		judging: map[string]bool{}, awaited: map[string]bool{}, loaded: map[string]bool{},
	}
	for p := range paths {
		for d := dirOf(p); d != "" && !r.dirs[d]; d = dirOf(d) {
			r.dirs[d] = true
		}
	}
	return r
}

// resolve is the path of the tree that a word of a command names; empty: none. An unresolved
// beginning ($dir/x.sh) matches any directory that the command may be in.
func (r *reach) resolve(word string, p place, known map[string]bool) string {
	if i := strings.LastIndexByte(word, unresolved); i >= 0 {
		word = strings.TrimPrefix(word[i+1:], "/")
		if word == "" || !strings.Contains(word, ".") && !strings.Contains(word, "/") {
			return ""
		}
	}
	if word == "" || strings.HasPrefix(word, "/") || strings.ContainsAny(word, "*?\n") {
		return ""
	}
	for _, d := range p.dirs {
		full := path.Join(d, word)
		if full == "." {
			full = ""
		}
		if known[full] && !strings.HasPrefix(full, "../") {
			return full
		}
	}
	return ""
}

func (r *reach) file(word string, p place) string { return r.resolve(word, p, r.paths) }

// dir is the directory that a word names; the first of the place where it names none.
func (r *reach) dir(word string, p place) string {
	if strings.Trim(word, "./") == "" && !strings.Contains(word, "..") {
		return p.dirs[0]
	}
	if d := r.resolve(word, p, r.dirs); d != "" {
		return d
	}
	if strings.Contains(word, "..") || strings.IndexByte(word, unresolved) >= 0 {
		return ""
	}
	return p.dirs[0]
}

func (r *reach) add(file string, c caller, why string) {
	if _, ok := r.files[file]; !ok {
		r.files[file] = why
	}
	if c.file != file && !slices.Contains(r.callers[file], c) {
		r.callers[file] = append(r.callers[file], c)
	}
}

// call follows one command: its program and its words.
func (r *reach) call(args []string, p place) {
	if len(args) == 0 || p.depth > maxDepth {
		return
	}
	key := p.dirs[0] + "\x01" + strings.Join(args, "\x01")
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	p.depth++
	p.why = lead(p.why, args)
	prog := path.Base(args[0])
	script := ""
	switch {
	case strings.Contains(args[0], "/"):
		script = r.run(args[0], p)
	case p.from == "" && !knownTool(prog):
		r.loadsAny = true // a runner of which nothing is known
	}
	if judges(prog, args) {
		r.judging[p.from] = true
	}
	if script != "" {
		r.tools[prog] = true
		p.args = len(args) - 1
		r.script(script, p)
		r.operands(args[1:], p)
		if vendoredPath(script) || prog == "gradlew" || prog == "mvnw" {
			r.program(prog, args[1:], p)
		}
		return
	}
	r.tools[prog] = true
	r.program(prog, args[1:], p)
}

// judges reports whether a command checks something: by its words, or because it compares files.
// Conditions are in every script.
func judges(prog string, args []string) bool {
	return slices.Contains(comparers, prog) ||
		!slices.Contains(conditions, prog) && checking(strings.Join(args, " "))
}

// run is the file that a command runs as a program of its own; empty: it is not in the tree.
func (r *reach) run(word string, p place) string {
	f := r.file(word, p)
	if f == "" && plainPath(word) {
		r.awaited[path.Join(p.dirs[0], word)] = true
	}
	return f
}

// include follows a script that another one includes.
func (r *reach) include(word string, p place) {
	switch f := r.file(word, p); {
	case f != "":
		r.script(f, p)
	case plainPath(word):
		for _, d := range p.dirs {
			r.loaded[path.Join(d, word)] = true
		}
	default:
		r.loadsAny = true
	}
}

// plainPath reports whether a word is a path within the tree without a part that only the shell
// knows.
func plainPath(word string) bool {
	return word != "" && !strings.HasPrefix(word, "-") && path.Clean(word) == strings.TrimPrefix(word, "./") &&
		!strings.HasPrefix(word, "/") && !strings.ContainsAny(word, "*?[\n"+string(unresolved))
}

// ownProcess reports whether gates run a new script of tests in a process of its own, so that the
// script's end is its result and stops nothing else.
func (r *reach) ownProcess(file string) bool {
	if r.loaded[file] {
		return false
	}
	if isShell(file) {
		return !r.loadsAny && !r.tools["bats"]
	}
	return r.awaited[file] && !slices.ContainsFunc(testFrameworks, func(name string) bool { return r.tools[name] })
}

// lead is the way to a file in words: "test: npm test → node run.js".
func lead(why string, args []string) string {
	text := strings.ReplaceAll(strings.Join(args, " "), string(unresolved), "…")
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "…"
	}
	if why == "" || strings.HasSuffix(why, ": "+text) {
		return why + text
	}
	if strings.HasSuffix(why, ": ") {
		return why + text
	}
	return why + " → " + text
}

func (r *reach) program(prog string, args []string, p place) {
	prog = strings.TrimSuffix(prog, ".exe")
	if n, ok := wrappers[prog]; ok {
		r.call(afterOptions(args, n), p)
		return
	}
	if r.subWrapper(prog, args, p) {
		return
	}
	if follow := r.follower(prog); follow != nil {
		follow(args, p)
		return
	}
	switch {
	case slices.Contains(comparers, prog):
		r.compare(args, p)
	case slices.Contains(conditions, prog): // they look at the files that they name
	default:
		r.opaque = r.opaque || !knownTool(prog)
		r.operands(args, p)
	}
}

// subWrapper follows a program of which a subcommand runs what follows; false: it was none.
func (r *reach) subWrapper(prog string, args []string, p place) bool {
	rest := afterOptions(args, 0)
	if len(rest) == 0 || !slices.Contains(subWrappers[prog], rest[0]) {
		return false
	}
	if prog == "coverage" {
		r.python(rest[1:], p)
		return true
	}
	r.call(afterOptions(rest[1:], 0), p)
	return true
}

// follower is how the words of a program lead on; nil: they do not.
func (r *reach) follower(name string) func(args []string, p place) {
	switch {
	case isShellName(name):
		return r.shellProgram
	case slices.Contains([]string{"source", "."}, name):
		return func(args []string, p place) {
			for _, a := range args[:min(1, len(args))] {
				r.include(a, p)
			}
		}
	case slices.Contains([]string{"make", "gmake", "just", "remake"}, name):
		return func(args []string, p place) { r.make(name, args, p) }
	case slices.Contains([]string{"task", "go-task"}, name):
		return func(_ []string, p place) { r.task(p) }
	case slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name):
		return func(args []string, p place) { r.npm(name, args, p) }
	case name == "turbo" || name == "lerna": // a script of every package
		return func(args []string, p place) { r.npm("pnpm", append([]string{"-r"}, args...), p) }
	case slices.Contains([]string{"npm-run-all", "npm-run-all2", "run-s", "run-p", "concurrently"}, name):
		return r.runAll
	case slices.Contains([]string{"node", "nodejs", "tsx", "ts-node", "deno", "esno"}, name):
		return r.node
	case strings.HasPrefix(name, "python"), strings.HasPrefix(name, "pypy"), name == "py":
		return r.python
	case name == "go":
		return r.goTool
	case name == "composer":
		return r.composer
	case name == "tox":
		return func(_ []string, p place) { r.tox(p) }
	case slices.Contains(interpreters, name):
		return r.interpreter
	}
	return nil
}

// interpreters run their first operand.
var interpreters = []string{
	"ruby", "perl", "php", "bats", "lua", "Rscript", "prove", "shellspec", "expect", "pwsh", "elixir", "roundup",
}

func isShellName(name string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh", "ash"}, name)
}

// afterOptions are the words behind a wrapper's options, assignments and n operands of its own.
func afterOptions(args []string, n int) []string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return args[i+1:]
		case strings.HasPrefix(a, "-"):
			if takesValue(a) && i+1 < len(args) {
				i++
			}
		case assignment.MatchString(a):
		case n > 0:
			n--
		default:
			return args[i:]
		}
	}
	return nil
}

// takesValue reports whether a wrapper's option has its value in the next word.
func takesValue(option string) bool {
	return slices.Contains([]string{
		"-n", "-u", "-C", "-I", "-P", "-L", "-d", "-s", "-k", "-p", "--package", "--with", "--extra", "--group", "--python",
		"--directory", "--project", "--signal", "--kill-after", "-E", "-a", "-c", "-S", "--env-file",
	}, option)
}

// operands takes what options name: settings, setup files and plug-ins. Other operands are what a
// tool looks at.
func (r *reach) operands(args []string, p place) {
	for i, a := range args {
		name, value, joined := strings.Cut(a, "=")
		switch {
		case strings.HasPrefix(a, "-") && joined && settingOption(name):
			r.setting(value, p)
		case strings.HasPrefix(a, "-") && !joined && settingOption(a) && i+1 < len(args):
			r.setting(args[i+1], p)
		}
	}
}

// settingOption reports whether an option names a file that steers the tool.
func settingOption(name string) bool {
	name = strings.TrimLeft(name, "-")
	for _, s := range []string{
		"config", "conf", "rc", "require", "import", "loader", "setup", "reporter", "project", "settings", "preset",
		"ignore-path", "rootdir", "baseline", "file", "rules", "plugin", "env-file", "bootstrap", "init", "tsconfig",
	} {
		if strings.Contains(name, s) {
			return true
		}
	}
	return slices.Contains([]string{"c", "r", "p", "f", "experimental-loader", "W"}, name)
}

func (r *reach) setting(word string, p place) {
	if f := r.file(word, p); f != "" && !vendoredPath(f) {
		r.add(f, caller{file: p.from, option: true}, p.why)
		r.script(f, p)
	}
}

// words follows words that are files to be run.
func (r *reach) words(args []string, p place) {
	for _, a := range args {
		if f := r.file(a, p); f != "" {
			r.script(f, p)
		}
	}
}

// interpreter follows the first operand, a script, and what options name.
func (r *reach) interpreter(args []string, p place) {
	r.operands(args, p)
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		if f := r.run(a, p); f != "" {
			r.script(f, p)
			return
		}
	}
}

// expectation is the name of a file that holds what is expected.
var expectation = []string{"expect", "golden", "snapshot", "reference", "want", "fixture", "correct", "oracle", "approved", "baseline"}

// compare takes the files with what is expected: those of that name, else the only one that is
// there.
func (r *reach) compare(args []string, p place) {
	var there []string
	for _, a := range args {
		if f := r.file(a, p); f != "" {
			there = append(there, f)
		}
	}
	for _, f := range there {
		named := slices.ContainsFunc(expectation, func(w string) bool { return strings.Contains(strings.ToLower(f), w) })
		if named || len(there) == 1 && !isSource(f) {
			r.add(f, caller{file: p.from, data: true}, p.why)
		}
	}
}

func vendoredPath(file string) bool { c := byName(file); return c != nil && c.class == Vendored }

// script follows a file that a command runs or reads.
func (r *reach) script(file string, p place) {
	if vendoredPath(file) {
		return
	}
	_, known := r.files[file]
	r.add(file, caller{file: p.from, args: p.args}, p.why)
	if known && r.seen["script "+file] {
		return
	}
	r.seen["script "+file] = true
	text, ok := r.src.Read(file)
	if !ok {
		return
	}
	p = inScript(file, p)
	if shellText(file, text) {
		r.shell(text, p)
		return
	}
	for _, m := range hiddenName.FindAllStringSubmatch(text[:min(len(text), maxScanned)], maxHidden) {
		r.data(m[1], p)
	}
}

// hiddenName is a hidden file that a program names in quotes: by convention it steers the program.
var hiddenName = regexp.MustCompile("[\"'`]((?:[\\w-]+/)*\\.[\\w-][\\w.-]*)[\"'`]")

// Bounds of the search for such names, in bytes and names of one program.
const (
	maxScanned = 256 << 10
	maxHidden  = 50
)

// inScript is the place of the commands of a script: where it is called from, or where it lies.
func inScript(file string, p place) place {
	dirs := slices.Compact([]string{p.dirs[0], "", dirOf(file), dirOf(dirOf(file))})
	return place{dirs: dirs, why: p.why, from: file, depth: p.depth}
}

// shellText reports whether a file is a shell script: by its name, or its first line.
func shellText(file, text string) bool {
	if isShell(file) {
		return true
	}
	first, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(first, "#!") {
		return false
	}
	words := strings.Fields(strings.TrimPrefix(first, "#!"))
	return slices.ContainsFunc(words, func(w string) bool { return isShellName(path.Base(w)) || path.Base(w) == "bats" })
}
