package diagnose

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"autobuild/failure"
)

// dependency is something that is not installed, and the command that installs it.
type dependency struct {
	name    string
	install string
}

// A hint recognises one tool's way of saying that something is not installed. Its first group
// is the name; install makes the command. A hint that fits code the phase itself should
// have written would turn a retry into a halt, so each one is narrow.
type hint struct {
	re      *regexp.Regexp
	install func(name string, g failure.GateRun) string
}

var hints = []hint{
	{regexp.MustCompile(`(?m)^npm (?:ERR!|error) missing:? ((?:@[\w.-]+/)?[\w.-]+)`), npmInstall},
	{regexp.MustCompile(`(?:Cannot find (?:module|package)|Could not resolve|Can't resolve|Failed to resolve import) ['"]((?:@[\w.-]+/)?[\w.-]+)['"]`), npmInstall},
	{regexp.MustCompile(`Error: Cannot find module ['"]((?:@[\w.-]+/)?\w[\w.-]*)/[\w./-]+['"]\nRequire stack:`), npmInstall}, // a part of a package, as node itself says it
	{regexp.MustCompile(`Cannot find type definition file for ['"]([\w./@-]+)['"]`), typesInstall},
	{regexp.MustCompile(`Could not find a declaration file for module ['"]((?:@[\w.-]+/)?[\w.-]+)['"]`), typesInstall},
	{regexp.MustCompile(`Do you need to install type definitions for (?:node|a test runner|jQuery)\?.*?npm i --save-dev (@types/[\w.-]+)`), npmInstall},
	{regexp.MustCompile(`no required module provides package ([\w.-]+\.[\w./~-]+)`), goGet},
	{regexp.MustCompile(`cannot find module providing package ([\w.-]+\.[\w./~-]+)`), goGet},
	{regexp.MustCompile(`missing go\.sum entry for module providing package ([\w./~-]+)`), goGet},
	{regexp.MustCompile(`ModuleNotFoundError: No module named ['"](\w+)['"]`), pipInstall},
	{regexp.MustCompile(`No module named (pytest|ruff|black|mypy|flake8|pylint|unittest2|nose)\b`), pipInstall},
	{regexp.MustCompile(`Cannot find implementation or library stub for module named ['"](\w+)['"]`), pipInstall},
	{regexp.MustCompile(`use of (?:unresolved module or unlinked|undeclared) crate .(\w+).`), cargoAdd},
	{regexp.MustCompile(`if you wanted to use a crate named .(\w+)., use .cargo add`), cargoAdd},
	{regexp.MustCompile(`can't find crate for .(\w+).`), cargoAdd},
	{regexp.MustCompile(`no matching package named .([\w-]+). found`), cargoAdd},
	{regexp.MustCompile(`no such command: .(clippy|fmt|nextest|audit|deny).`), cargoTool},
	{regexp.MustCompile(`'cargo-(clippy|fmt)(?:\.exe)?' is not installed`), cargoTool},
	{regexp.MustCompile(`Could not find (?:gem )?'?([\w-]+)[' -][^\n]* in (?:locally installed gems|any of the sources)`), always("bundle install")},
	{regexp.MustCompile(`cannot load such file -- ([\w-]+)(?:/\w+)* \(LoadError\)`), func(n string, _ failure.GateRun) string { return "bundle add " + n }},
	{regexp.MustCompile(`you may need to install the ([\w:]+) module\) \(@INC`), func(n string, _ failure.GateRun) string { return "cpanm " + n }},
	{regexp.MustCompile(`vendor/autoload\.php\)?: [Ff]ailed to open (stream)`), always("composer install")},
	{regexp.MustCompile(`NU1101: Unable to find package ([\w.-]+)`), func(n string, _ failure.GateRun) string { return "dotnet add package " + n }},
	{regexp.MustCompile(`Could not find artifact ([\w.:-]+)`), nil},
	{regexp.MustCompile(`the artifact ([\w.:-]+) has not been downloaded`), nil},
	{regexp.MustCompile(`error: package ((?:org|com|io|net|jakarta|javax)\.[\w.]+) does not exist`), nil},
	{regexp.MustCompile(`Could not find ([\w.-]+:[\w.-]+:[\w.-]+)\.`), nil},
}

// noTool recognises a shell, or make, that did not find a program. Programs say "x: not found" of
// users and pages too, so the shell has to have signed.
var noTool = regexp.MustCompile(`(?m)^(?:\S*sh|\S+: line \d+): (?:(?:line )?\d+: )?(?:\S+/\S+: )?([\w@./+-]+): (?:command )?not found$` +
	`|^zsh: command not found: ([\w@./+-]+)$` +
	`|^'([\w@./+-]+)' is not recognized as an internal or external command` +
	`|exec: "([\w@./+-]+)": executable file not found` +
	`|\bspawn ([\w@./+-]+) ENOENT` +
	`|^(?:\S*/)?env: ['"‘]?([\w@./+-]+)['"’]?: No such file or directory$` +
	`|^(?:make|just)[^:]*: ([\w@./+-]+): No such file or directory$`)

// shell are programs that run others: one that has something to say was found.
var shell = regexp.MustCompile(`^(?:ba|da|z|k)?sh$`)

// missing says what a failed gate found not to be installed.
func missing(g failure.GateRun) (dependency, bool) {
	if g.NotAvailable {
		return tool(toolOf(g), g), true
	}
	if timedOut(g) {
		return dependency{}, false
	}
	text := failure.Tail(g.Tail, failure.MaxDetails)
	if m := noTool.FindStringSubmatch(text); m != nil {
		called := strings.Join(m[1:], "")
		if strings.Contains(called, "/") {
			return dependency{}, false // a file of the project: nobody can install it
		}
		name := path.Base(called)
		if g.Exit == 127 || strings.Contains(g.Command, name) || runsScripts(g.Command) {
			return tool(name, g), true
		}
	}
	ran := shell.MatchString(toolOf(g)) && strings.TrimSpace(text) != ""
	if g.Exit == 127 && !strings.HasPrefix(first(g.Command), ".") && !ran {
		return tool(toolOf(g), g), true
	}
	for _, p := range g.Places {
		text += "\n" + failure.Line(p.Message, failure.MaxField)
	}
	for _, t := range g.Tests {
		text += "\n" + failure.Line(t.Message, failure.MaxField)
	}
	for _, h := range hints {
		for _, m := range h.re.FindAllStringSubmatch(text, failure.MaxList) {
			// its own complaint is no sign of a file
			if own(m[1], strings.ReplaceAll(text, m[0], ""), g) {
				continue
			}
			d := dependency{name: m[1]}
			if h.install != nil {
				d.install = h.install(m[1], g)
				d.name = renamed(m[1], d.install)
			}
			if m[1] == "stream" {
				d.name = "vendor/autoload.php"
			}
			return d, true
		}
	}
	return dependency{}, false
}

// own reports whether a module is more likely the plan's own code than a package: some file or
// directory that the output speaks of bears its name. The phase can write it, so it may try again.
func own(name, text string, g failure.GateRun) bool {
	for _, o := range g.Own {
		if name == o || strings.HasPrefix(name, o+"/") {
			return true
		}
	}
	if strings.Contains(name+"/", "/internal/") { // Go lets no other module import it
		return true
	}
	if strings.ContainsAny(name, "/") && !strings.HasPrefix(name, "@") {
		// a Go import path begins with a host
		return !strings.Contains(strings.Split(name, "/")[0], ".")
	}
	if slices.Contains([]string{"src", "lib", "app", "test", "tests"}, name) {
		return true
	}
	for _, p := range g.Places {
		text += "\n" + p.File
	}
	for _, t := range g.Tests {
		text += "\n" + t.File
	}
	re, err := regexp.Compile(`(?:^|[\s/"'(])(?:test_)?` + regexp.QuoteMeta(name) + `(?:_test)?(?:\.(?:py|js|jsx|ts|tsx|mjs|cjs|rs):?|/\w)`)
	if err != nil {
		return false
	}
	for l := range strings.Lines(text) {
		if !installed.MatchString(l) && re.MatchString(l) {
			return true
		}
	}
	return false
}

// installed are the folders in which a file's name says nothing about the plan's own code.
var installed = regexp.MustCompile(`node_modules/|site-packages/|/\.?venv/|dist-packages/`)

func tool(name string, g failure.GateRun) dependency {
	return dependency{name, toolInstall(name, g)}
}

// toolInstall is the command that installs a well-known tool; empty where guessing would mislead.
func toolInstall(name string, g failure.GateRun) string {
	switch name {
	case "eslint", "prettier", "tsc", "jest", "vitest", "mocha", "biome", "ava", "tap", "c8", "nyc", "tsx", "ts-node", "stylelint", "oxlint":
		pkg := map[string]string{"tsc": "typescript", "biome": "@biomejs/biome"}[name]
		if pkg == "" {
			pkg = name
		}
		return npmInstall(pkg, g)
	case "ruff", "black", "mypy", "pytest", "flake8", "pylint", "isort", "pyright", "tox", "nox":
		return pipInstall(name, g)
	case "golangci-lint":
		return "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest"
	case "staticcheck":
		return "go install honnef.co/go/tools/cmd/staticcheck@latest"
	case "gofumpt":
		return "go install mvdan.cc/gofumpt@latest"
	case "cargo-clippy":
		return "rustup component add clippy"
	case "rustfmt", "cargo-fmt":
		return "rustup component add rustfmt"
	case "rubocop", "rspec", "standardrb":
		return "bundle add " + name + " --group development"
	case "phpunit":
		return "composer require --dev phpunit/phpunit"
	case "phpstan":
		return "composer require --dev phpstan/phpstan"
	case "pnpm", "yarn", "bun":
		return "npm install -g " + name
	case "poetry", "uv":
		return "pipx install " + name
	}
	if pkg, ok := programs[name]; ok {
		return "sudo apt-get install -y " + cmp.Or(pkg, name)
	}
	return ""
}

// programs are those that a distribution's package manager has, with the package's name where it
// differs from their own.
var programs = map[string]string{
	"jq": "", "yq": "", "curl": "", "wget": "", "git": "", "make": "", "cmake": "", "gcc": "", "g++": "", "clang": "", "shellcheck": "", "tree": "",
	"unzip": "", "zip": "", "rsync": "", "ffmpeg": "", "sqlite3": "", "pandoc": "", "bc": "", "parallel": "", "xmllint": "libxml2-utils", "rg": "ripgrep",
	"psql": "postgresql-client", "mysql": "default-mysql-client", "redis-cli": "redis-tools", "protoc": "protobuf-compiler", "dot": "graphviz",
	"convert": "imagemagick", "envsubst": "gettext-base", "docker": "docker.io", "mvn": "maven", "javac": "default-jdk", "java": "default-jre",
	"node": "nodejs", "npm": "npm", "python3": "", "pip": "python3-pip", "pip3": "python3-pip", "ruby": "", "bundle": "ruby-bundler", "php": "php-cli", "composer": "",
}

// toolOf is the program that a gate's command starts.
func toolOf(g failure.GateRun) string {
	for _, w := range strings.Fields(g.Command) {
		if !strings.Contains(w, "=") && !strings.ContainsAny(w, "()!$\"'`{}") {
			return path.Base(failure.Line(w, failure.MaxField))
		}
	}
	return failure.Line(g.Name, failure.MaxField)
}

// runsScripts reports whether a command runs others that are named elsewhere.
func runsScripts(command string) bool {
	return slices.Contains([]string{"npm", "pnpm", "yarn", "bun", "npx", "make", "just", "composer", "poetry", "uv"}, first(command))
}

// first is the first word of a command line.
func first(command string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return word
}

func npmInstall(name string, g failure.GateRun) string {
	flag := ""
	if strings.HasPrefix(name, "@types/") || toolNames[name] || g.Kind == "lint" || g.Kind == "format" {
		flag = "-D "
	}
	switch manager := first(g.Command); manager {
	case "pnpm", "yarn", "bun":
		return manager + " add " + flag + name
	}
	return "npm install " + flag + name
}

// toolNames are packages that nobody needs at run time.
var toolNames = map[string]bool{
	"jest": true, "vitest": true, "mocha": true, "eslint": true, "prettier": true, "typescript": true,
	"ts-jest": true, "ts-node": true, "tsx": true, "chai": true, "ava": true, "tap": true, "@biomejs/biome": true,
}

func typesInstall(name string, g failure.GateRun) string {
	if !strings.HasPrefix(name, "@types/") {
		name = "@types/" + strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "__")
	}
	return npmInstall(name, g)
}

func pipInstall(name string, g failure.GateRun) string {
	switch first(g.Command) {
	case "uv":
		return "uv add --dev " + name
	case "poetry":
		return "poetry add --group dev " + name
	}
	return "python -m pip install " + name
}

func goGet(name string, _ failure.GateRun) string    { return "go get " + name }
func cargoAdd(name string, _ failure.GateRun) string { return "cargo add " + name }

func cargoTool(name string, _ failure.GateRun) string {
	if name == "fmt" {
		name = "rustfmt"
	}
	if name == "clippy" || name == "rustfmt" {
		return "rustup component add " + name
	}
	return "cargo install cargo-" + name
}

func always(command string) func(string, failure.GateRun) string {
	return func(string, failure.GateRun) string { return command }
}

// renamed is the package's own name where the command installs another than the one that was asked
// for.
func renamed(name, install string) string {
	if last := install[strings.LastIndexByte(install, ' ')+1:]; strings.HasPrefix(last, "@types/") {
		return last
	}
	return name
}
