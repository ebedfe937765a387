package gate

import (
	"path"
	"slices"
	"strings"
)

// call follows one command: its program and its words.
func (r *Reach) call(args []string, p place) {
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
		r.Checks[p.from] = true
	}
	if script != "" {
		r.Tools[prog] = true
		p.args = len(args) - 1
		r.script(script, p)
		r.operands(args[1:], p)
		if InVendor(script) || prog == "gradlew" || prog == "mvnw" {
			r.program(prog, args[1:], p)
		}
		return
	}
	r.Tools[prog] = true
	r.program(prog, args[1:], p)
}

// judges reports whether a command checks something: by its words, or because it compares files.
// Conditions are in every script.
func judges(prog string, args []string) bool {
	return slices.Contains(comparers, prog) ||
		!slices.Contains(conditions, prog) && SaysCheck(strings.Join(args, " "))
}

func (r *Reach) program(prog string, args []string, p place) {
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
func (r *Reach) subWrapper(prog string, args []string, p place) bool {
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
func (r *Reach) follower(name string) func(args []string, p place) {
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
	case slices.Contains([]string{"npm-run-all", "npm-run-all2", "run-s", "run-p", "concurrently"},
		name):
		return r.runAll
	case slices.Contains([]string{"node", "nodejs", "tsx", "ts-node", "deno", "esno"}, name):
		return r.node
	case strings.HasPrefix(name, "python"), strings.HasPrefix(name, "pypy"), name == "py":
		return r.python
	case name == "go":
		return r.goTool
	case name == "composer":
		return r.composer
	case slices.Contains([]string{"pre-commit", "prek", "lefthook"}, name):
		return func(args []string, p place) { r.operands(append(args, hookSettings...), p) }
	case name == "tox":
		return func(_ []string, p place) { r.tox(p) }
	case slices.Contains(interpreters, name):
		return r.interpreter
	}
	return nil
}

// hookSettings are what runners of git's hooks read unasked. Where no gate calls one, these files
// decide about the user's commits and about no phase.
var hookSettings = []string{
	"--config=.pre-commit-config.yaml", "--config=lefthook.yml", "--config=.lefthook.yml",
}

// interpreters run their first operand.
var interpreters = []string{
	"ruby", "perl", "php", "bats", "lua", "Rscript", "prove", "shellspec", "expect", "pwsh",
	"elixir", "roundup",
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
		"-n", "-u", "-C", "-I", "-P", "-L", "-d", "-s", "-k", "-p", "--package", "--with",
		"--extra", "--group", "--python",
		"--directory", "--project", "--signal", "--kill-after", "-E", "-a", "-c", "-S",
		"--env-file",
	}, option)
}

// operands takes what options name: settings, setup files and plug-ins. Other operands are what a
// tool looks at.
func (r *Reach) operands(args []string, p place) {
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
		"config", "conf", "rc", "require", "import", "loader", "setup", "reporter", "project",
		"settings", "preset",
		"ignore-path", "rootdir", "baseline", "file", "rules", "plugin", "env-file", "bootstrap",
		"init", "tsconfig",
	} {
		if strings.Contains(name, s) {
			return true
		}
	}
	return slices.Contains([]string{"c", "r", "p", "f", "experimental-loader", "W"}, name)
}

func (r *Reach) setting(word string, p place) {
	if f := r.file(word, p); f != "" && !InVendor(f) {
		r.add(f, Caller{File: p.from, Option: true}, p.why)
		r.script(f, p)
	}
}

// words follows words that are files to be run.
func (r *Reach) words(args []string, p place) {
	for _, a := range args {
		if f := r.file(a, p); f != "" {
			r.script(f, p)
		}
	}
}

// interpreter follows the first operand, a script, and the files that options name.
func (r *Reach) interpreter(args []string, p place) {
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
