// Package gate follows the commands of gates through a tree: which scripts, targets, settings and
// programs they reach, and whether a change of these demands as much as before. Everything is
// static: commands are read and never run. It does not know tests, agents or git.
package gate

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/state"
)

// maxDepth bounds how far a command is followed: scripts that call scripts.
const maxDepth = 12

// Tree is a tree of files; Read gives false for what is no regular file, or too large.
type Tree interface {
	Paths() []string // sorted, with slashes
	Read(path string) (string, bool)
}

// Reach holds the files and programs that the gates' commands reach in a tree, followed statically.
type Reach struct {
	src     Tree
	gates   []state.GateSpec
	isTest  func(file string) bool // by its name
	Stacks  map[string]bool        // that a gate could use
	Paths   map[string]bool
	Dirs    map[string]bool
	Files   map[string]string          // path → the gate and the words that lead there
	Callers map[string][]Caller        // path → what runs or reads it
	Tools   map[string]bool            // programs that are called, by base name
	opaque  bool                       // a program is called of which nothing is known
	scripts map[string]map[string]bool // manifest → names of its scripts that run
	targets map[string]map[string]bool // makefile → its targets that run
	search  map[string]bool            // directories of the tree that a command puts on PATH
	inline  []inlineCode               // program text in a command: node -e, python -c
	Globs   map[string]string          // patterns that a gate's loops run over → the way there
	seen    map[string]bool            // commands already followed, with their directory
	Checks  map[string]bool            // scripts in which a command checks or compares
	// paths that are not in the tree, of programs that commands run
	awaited map[string]bool
	// paths that are not in the tree, of files that scripts include
	loaded map[string]bool
	// a command may run any new script within its own shell
	loadsAny bool
}

// Caller is a file or a gate's own command (no file) that leads to a file, and how.
type Caller struct {
	File   string
	Args   int  // words behind the file
	Data   bool // it is read, not run
	Option bool // an option names it
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

// Follow follows the commands of gates in a tree. isTest reports whether a file is one of tests by
// its name.
func Follow(src Tree, gates []state.GateSpec, isTest func(file string) bool) *Reach {
	paths := map[string]bool{}
	for _, p := range src.Paths() {
		paths[p] = true
	}
	r := &Reach{
		src: src, gates: slices.Clone(gates), isTest: isTest, Stacks: map[string]bool{},
		Paths: paths, Dirs: map[string]bool{"": true}, Files: map[string]string{},
		Callers: map[string][]Caller{},
		Tools:   map[string]bool{}, scripts: map[string]map[string]bool{},
		targets: map[string]map[string]bool{},
		search:  map[string]bool{}, Globs: map[string]string{}, seen: map[string]bool{},
		Checks: map[string]bool{}, awaited: map[string]bool{}, loaded: map[string]bool{},
	}
	for p := range paths {
		for d := DirOf(p); d != "" && !r.Dirs[d]; d = DirOf(d) {
			r.Dirs[d] = true
		}
	}
	for _, g := range gates {
		r.shell(g.Command, place{dirs: []string{""}, why: g.Name + ": "})
	}
	r.followInline()
	r.findStacks()
	return r
}

// resolve is the path of the tree that a word of a command names; empty: none. An unresolved
// beginning ($dir/x.sh) matches any directory that the command may be in.
func (r *Reach) resolve(word string, p place, known map[string]bool) string {
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

func (r *Reach) file(word string, p place) string { return r.resolve(word, p, r.Paths) }

// dir is the directory that a word names; the first of the place where it names none.
func (r *Reach) dir(word string, p place) string {
	if strings.Trim(word, "./") == "" && !strings.Contains(word, "..") {
		return p.dirs[0]
	}
	if d := r.resolve(word, p, r.Dirs); d != "" {
		return d
	}
	if strings.Contains(word, "..") || strings.IndexByte(word, unresolved) >= 0 {
		return ""
	}
	return p.dirs[0]
}

func (r *Reach) add(file string, c Caller, why string) {
	if _, ok := r.Files[file]; !ok {
		r.Files[file] = why
	}
	if c.File != file && !slices.Contains(r.Callers[file], c) {
		r.Callers[file] = append(r.Callers[file], c)
	}
}

// run is the file that a command runs as a program of its own; empty: it is not in the tree.
func (r *Reach) run(word string, p place) string {
	f := r.file(word, p)
	if f == "" && plainPath(word) {
		r.awaited[path.Join(p.dirs[0], word)] = true
	}
	return f
}

// include follows a script that another one includes.
func (r *Reach) include(word string, p place) {
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

// plainPath reports whether a word is a path within the tree without a part that only the shell can
// expand.
func plainPath(word string) bool {
	return word != "" && !strings.HasPrefix(word, "-") &&
		path.Clean(word) == strings.TrimPrefix(word, "./") &&
		!strings.HasPrefix(word, "/") && !strings.ContainsAny(word, "*?[\n"+string(unresolved))
}

// OwnProcess reports whether gates run a new script of tests in a process of its own, so that the
// script's end is its result and stops nothing else.
func (r *Reach) OwnProcess(file string) bool {
	if r.loaded[file] {
		return false
	}
	if IsShell(file) {
		return !r.loadsAny && !r.Tools["bats"]
	}
	return r.awaited[file] &&
		!slices.ContainsFunc(collectors, func(name string) bool { return r.Tools[name] })
}

// collectors are runners that load all tests that they find into one process.
var collectors = []string{
	"pytest", "py.test", "unittest", "nose2", "jest", "vitest", "mocha",
	"ava", "jasmine", "tape", "tap",
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

// expectation is the name of a file that holds what is expected.
var expectation = []string{
	"expect", "golden", "snapshot", "reference", "want", "fixture",
	"correct", "oracle", "approved", "baseline",
}

// compare takes the files with what is expected: those of that name, else the only one that is
// there.
func (r *Reach) compare(args []string, p place) {
	var there []string
	for _, a := range args {
		if f := r.file(a, p); f != "" {
			there = append(there, f)
		}
	}
	for _, f := range there {
		named := slices.ContainsFunc(expectation,
			func(w string) bool { return strings.Contains(strings.ToLower(f), w) })
		if named || len(there) == 1 && !IsSource(f) {
			r.add(f, Caller{File: p.from, Data: true}, p.why)
		}
	}
}

// VendorFolder matches the folders of other people's code.
var VendorFolder = lazyregexp.New(
	`(?:^|/)(?:node_modules|vendor|third[_-]party|\.?venv|site-packages|` +
		`bower_components|Pods|\.yarn/(?:releases|plugins|cache|sdks)|\.tox|\.nox)/`)

// InVendor reports whether a file lies in a folder of other people's code.
func InVendor(file string) bool { return VendorFolder.MatchString(file) }

// script follows a file that a command runs or reads.
func (r *Reach) script(file string, p place) {
	if InVendor(file) {
		return
	}
	_, known := r.Files[file]
	r.add(file, Caller{File: p.from, Args: p.args}, p.why)
	if known && r.seen["script "+file] {
		return
	}
	r.seen["script "+file] = true
	text, ok := r.src.Read(file)
	if !ok {
		return
	}
	p = inScript(file, p)
	if ShellText(file, text) {
		r.shell(text, p)
		return
	}
	for _, m := range hiddenName.FindAllStringSubmatch(text[:min(len(text), maxScanned)],
		maxHidden) {
		r.data(m[1], p)
	}
}

// hiddenName is a hidden file that a program names in quotes: by convention it steers the program.
var hiddenName = lazyregexp.New("[\"'`]((?:[\\w-]+/)*\\.[\\w-][\\w.-]*)[\"'`]")

// Bounds of the search for such names, in bytes and names of one program.
const (
	maxScanned = 256 << 10
	maxHidden  = 50
)

// inScript is the place of the commands of a script: where it is called from, or where it lies.
func inScript(file string, p place) place {
	dirs := slices.Compact([]string{p.dirs[0], "", DirOf(file), DirOf(DirOf(file))})
	return place{dirs: dirs, why: p.why, from: file, depth: p.depth}
}

// ShellText reports whether a file is a shell script: by its name, or its first line.
func ShellText(file, text string) bool {
	if IsShell(file) {
		return true
	}
	first, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(first, "#!") {
		return false
	}
	words := strings.Fields(strings.TrimPrefix(first, "#!"))
	return slices.ContainsFunc(words, func(w string) bool {
		return isShellName(path.Base(w)) || path.Base(w) == "bats"
	})
}
