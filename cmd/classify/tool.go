package classify

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/agent"
)

// kindWords are patterns of command lines by their kind, the more definite first: npm run lint is a
// linter although npm is none.
var kindWords = []struct {
	kind string
	re   *lazyregexp.Regexp
}{
	{"git", lazyregexp.New(`^git\b`)},
	{"setup", lazyregexp.New(
		`^(?:npm (?:ci|i|install)|(?:pnpm|yarn|bun) (?:install|add)|yarn$|pip3? install|python3? -m pip install|uv (?:sync|pip install|add)|poetry (?:install|add)|bundle install|composer (?:install|require)|go mod (?:download|tidy)|go get|cargo (?:fetch|add)|apt(?:-get)? install|brew install)\b`)},
	{"typecheck", lazyregexp.New(
		`\b(?:tsc|mypy|pyright|vue-tsc|type-?check|cargo check|go build)\b`)},
	{"format", lazyregexp.New(
		`\b(?:prettier|gofmt|gofumpt|goimports|black|rustfmt|clang-format|fmt|format)\b`)},
	{"lint", lazyregexp.New(
		`\b(?:eslint|golangci-lint|clippy|ruff|flake8|pylint|rubocop|stylelint|biome|staticcheck|shellcheck|go vet|lint)\b`)},
	{"test", lazyregexp.New(
		`\b(?:jest|vitest|mocha|pytest|unittest|rspec|phpunit|nextest|tests?)\b`)},
	{"build", lazyregexp.New(
		`\b(?:build|compile|make|gcc|g\+\+|clang|javac|rustc|webpack|vite|esbuild|mvn|gradlew?)\b`)},
}

// kindOf guesses the kind of a command from its command line.
func kindOf(tool string) string {
	tool = strings.TrimSpace(tool)
	if first, _, _ := strings.Cut(tool, " "); slices.Contains(agent.Names(), path.Base(first)) {
		return "agent"
	}
	for _, w := range kindWords {
		if w.re.MatchString(tool) {
			return w.kind
		}
	}
	return "custom"
}

// mergeFile is how git names a file that it could not merge.
var mergeFile = lazyregexp.New(
	`(?m)^CONFLICT \([^)]*\): (?:Merge conflict in (\S.*)|(\S+) deleted in )`)

func mergeConflict(text string) []string {
	var files []string
	for _, m := range mergeFile.FindAllStringSubmatch(text, 50) {
		files = append(files, m[1]+m[2])
	}
	return files
}

// absolute are paths of files in an output; system those that belong to a machine rather than to a
// project.
var (
	absolute = lazyregexp.New(`(?:^|[\s'"(=])(/(?:[\w.@+-]+/)+)[\w.@+-]+\.\w+`)
	system   = lazyregexp.New(
		`^/(?:usr|lib|lib64|opt|etc|bin|sbin|var|proc|dev|nix|tmp)/|/(?:node_modules|site-packages|\.cargo|\.rustup|\.npm|\.cache|go/pkg)/`)
	inner = lazyregexp.New(
		`/(?:src|lib|libs|tests?|spec|specs|cmd|internal|pkg|packages|scripts|docs?)/.*$`)
)

// rootOf guesses in which directory a command ran: the one that the project's own files in its
// output share, up to a folder such as projects have. Empty without an absolute path of that kind.
func rootOf(output string) string {
	root := ""
	for _, m := range absolute.FindAllStringSubmatch(output, 200) {
		if system.MatchString(m[1]) {
			continue
		}
		dir := path.Clean(inner.ReplaceAllString(m[1], "/"))
		for root != "" && root != "/" && dir != root && !strings.HasPrefix(dir, root+"/") {
			root = path.Dir(root)
		}
		if root == "" {
			root = dir
		}
	}
	if root == "/" {
		return ""
	}
	return root
}
