package verify

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// A fixer is a program that fixes its findings when called with other arguments.
type fixer struct {
	program string
	sub     string   // its first argument; empty: any
	drop    []string // arguments that only look
	add     string   // that fixes; empty: leaving out is enough
}

// fixers are in the order in which they are looked for: a subcommand before the program alone.
var fixers = []fixer{
	{"eslint", "", nil, "--fix"},
	{"prettier", "", []string{"--check", "-c", "--list-different", "-l"}, "--write"},
	{"ruff", "format", []string{"--check", "--diff"}, ""},
	{"ruff", "check", nil, "--fix"},
	{"black", "", []string{"--check", "--diff"}, ""},
	{"isort", "", []string{"--check", "--check-only", "-c", "--diff"}, ""},
	{"gofmt", "", []string{"-l", "-d"}, "-w"},
	{"goimports", "", []string{"-l", "-d"}, "-w"},
	{"gofumpt", "", []string{"-l", "-d"}, "-w"},
	{"golangci-lint", "run", nil, "--fix"},
	{"cargo", "fmt", []string{"--check"}, ""},
	{"cargo", "clippy", nil, "--fix --allow-dirty --allow-staged"},
	{"rustfmt", "", []string{"--check"}, ""},
	{"stylelint", "", nil, "--fix"},
	{"biome", "check", nil, "--write"},
	{"biome", "lint", nil, "--write"},
	{"biome", "format", nil, "--write"},
	{"rubocop", "", nil, "-A"},
	{"dotnet", "format", []string{"--verify-no-changes"}, ""},
	{"php-cs-fixer", "fix", []string{"--dry-run", "--diff"}, ""},
	{"terraform", "fmt", []string{"-check", "-diff"}, ""},
	{"shfmt", "", []string{"-d", "-l"}, "-w"},
}

// launchers are words in front of a program that start it for a project.
var launchers = []string{
	"npx", "bunx", "pnpm", "yarn", "exec", "dlx", "bundle", "uv", "uvx",
	"poetry", "pipenv", "run", "python", "python3", "-m",
}

var (
	beyondWords = lazyregexp.New("[$`(){}!|&;<>\"'\\\\]")
	// noneListed is the idiom that fails where gofmt lists a file: test -z "$(gofmt -l .)".
	noneListed = lazyregexp.New(`^(?:test -z|\[ -z) "?(?:\$\(|` + "`" +
		`)(gof(?:mt|umpt)|goimports) -l ([^"$` + "`" + `();|&]+?)(?:\)|` + "`" + `)"?(?: \])?$`)
)

// fixFor derives the command that fixes the findings of a linter's or formatter's command: eslint
// --fix, prettier --write. It is empty where the program is not known, or the command is more than
// a program and its arguments.
func fixFor(command string) string {
	command = strings.TrimSpace(command)
	if m := noneListed.FindStringSubmatch(command); m != nil {
		return m[1] + " -w " + m[2]
	}
	if beyondWords.MatchString(command) {
		return ""
	}
	words := strings.Fields(command)
	at := 0
	for at < len(words) && slices.Contains(launchers, words[at]) {
		at++
	}
	if at == len(words) {
		return ""
	}
	for _, f := range fixers {
		if path.Base(words[at]) != f.program || f.sub != "" &&
			(at+1 == len(words) || words[at+1] != f.sub) {
			continue
		}
		return f.command(words, at)
	}
	return ""
}

// command is the call with the arguments that fix, in front of a separating "--".
func (f fixer) command(words []string, at int) string {
	behind := at + 1
	if f.sub != "" {
		behind++
	}
	kept := slices.Clone(words[:behind])
	if f.add != "" && !slices.Contains(words, strings.Fields(f.add)[0]) {
		kept = append(kept, strings.Fields(f.add)...)
	}
	for _, w := range words[behind:] {
		if !slices.Contains(f.drop, w) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
