package cmd

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"autobuild/orchestrator/agent"
)

// words of a command line that tell what it is for, the more definite first: npm run lint is a linter although npm is none.
var kindWords = []struct {
	kind string
	re   *regexp.Regexp
}{
	{"git", regexp.MustCompile(`^git\b`)},
	{"setup", regexp.MustCompile(`^(?:npm (?:ci|i|install)|(?:pnpm|yarn|bun) (?:install|add)|yarn$|pip3? install|python3? -m pip install|uv (?:sync|pip install|add)|poetry (?:install|add)|bundle install|composer (?:install|require)|go mod (?:download|tidy)|go get|cargo (?:fetch|add)|apt(?:-get)? install|brew install)\b`)},
	{"typecheck", regexp.MustCompile(`\b(?:tsc|mypy|pyright|vue-tsc|type-?check|cargo check|go build)\b`)},
	{"format", regexp.MustCompile(`\b(?:prettier|gofmt|gofumpt|goimports|black|rustfmt|clang-format|fmt|format)\b`)},
	{"lint", regexp.MustCompile(`\b(?:eslint|golangci-lint|clippy|ruff|flake8|pylint|rubocop|stylelint|biome|staticcheck|shellcheck|go vet|lint)\b`)},
	{"test", regexp.MustCompile(`\b(?:jest|vitest|mocha|pytest|unittest|rspec|phpunit|nextest|tests?)\b`)},
	{"build", regexp.MustCompile(`\b(?:build|compile|make|gcc|g\+\+|clang|javac|rustc|webpack|vite|esbuild|mvn|gradlew?)\b`)},
}

// kindOf guesses from a command line what kind of command it is.
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
var mergeFile = regexp.MustCompile(`(?m)^CONFLICT \([^)]*\): (?:Merge conflict in (\S.*)|(\S+) deleted in )`)

func mergeConflict(text string) []string {
	var files []string
	for _, m := range mergeFile.FindAllStringSubmatch(text, 50) {
		files = append(files, m[1]+m[2])
	}
	return files
}
