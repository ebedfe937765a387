package gate

import (
	"slices"
	"strings"
)

// wrappers are programs that run what follows their own options; the number counts operands before
// it.
var wrappers = map[string]int{
	"env": 0, "time": 0, "nice": 0, "exec": 0, "command": 0, "nohup": 0, "setsid": 0, "stdbuf": 0,
	"sudo":    0,
	"timeout": 1, "gtimeout": 1, "xargs": 0, "npx": 0, "bunx": 0, "pnpx": 0, "cross-env": 0,
	"c8": 0, "nyc": 0,
	"dotenv": 0, "xvfb-run": 0, "unbuffer": 0, "builtin": 0, "ionice": 0, "chronic": 0,
	"strace": 0, "cross-env-shell": 0, "busybox": 0, "winpty": 0, "flock": 1,
}

// subWrappers are programs of which one subcommand runs what follows.
var subWrappers = map[string][]string{
	"uv": {"run"}, "poetry": {"run"}, "pipenv": {"run"}, "pdm": {"run"}, "rye": {"run"},
	"hatch":  {"run"},
	"bundle": {"exec"}, "mise": {"exec", "x"}, "asdf": {"exec"}, "direnv": {"exec"},
	"rtx":      {"exec"},
	"coverage": {"run"}, "dotenvx": {"run"}, "volta": {"run"},
	"conda": {"run"},
}

// conditions are programs whose operands are the product that they look at.
var conditions = []string{
	"test", "[", "[[", "grep", "egrep", "fgrep", "rg", "ls", "cat", "wc", "head", "tail", "echo",
	"printf", "true", "false",
	"rm", "mkdir", "touch", "cp", "mv", "exit", "set", "export", "return", "shift", "trap", "cd",
	"pushd", "popd", "find",
	"sort", "uniq", "sed", "awk", "cut", "tr", "tee", "read", "local", "declare", "unset", "sleep",
	"wait", "kill", "date",
	"which", "type", "hash", "ulimit", "umask", "git", "curl", "jq", "basename", "dirname", "pwd",
	"mktemp", "chmod", "id",
	"stat", "file", "od", "xxd", "uname", "seq", "expr", "let",
}

// comparers read what they compare the product's output with.
var comparers = []string{
	"diff", "cmp", "comm", "colordiff", "sha256sum", "sha1sum", "md5sum",
	"shasum", "sdiff",
}

// toolStack are the runners, linters and compilers that are known, with the stack that they belong
// to.
var toolStack = map[string]string{
	"go": "go", "gofmt": "go", "golangci-lint": "go", "staticcheck": "go", "gotestsum": "go",
	"gofumpt": "go", "goimports": "go",
	"node": "js", "npm": "js", "npx": "js", "pnpm": "js", "yarn": "js", "bun": "js", "bunx": "js",
	"deno": "js", "jest": "js",
	"vitest": "js", "mocha": "js", "ava": "js", "tap": "js", "jasmine": "js", "eslint": "js",
	"prettier": "js", "tsc": "js",
	"tsx": "js", "ts-node": "js", "biome": "js", "c8": "js", "nyc": "js", "playwright": "js",
	"cypress": "js", "karma": "js",
	"vue-tsc": "js", "react-scripts": "js", "turbo": "js", "nx": "js", "lerna": "js", "xo": "js",
	"standard":     "js",
	"svelte-check": "js", "uvu": "js", "web-test-runner": "js", "oxlint": "js", "stylelint": "js",
	"pnpx":   "js",
	"python": "py", "python3": "py", "pytest": "py", "py.test": "py", "tox": "py", "nox": "py",
	"ruff": "py", "mypy": "py",
	"flake8": "py", "black": "py", "isort": "py", "pylint": "py", "pyright": "py", "coverage": "py",
	"uv": "py", "poetry": "py",
	"pipenv": "py", "pdm": "py", "hatch": "py", "rye": "py", "nose2": "py", "green": "py",
	"behave": "py", "bandit": "py",
	"cargo": "rust", "rustc": "rust", "rustfmt": "rust", "clippy-driver": "rust", "cross": "rust",
	"make": "make", "gmake": "make", "just": "just", "task": "task", "cmake": "make",
	"ninja": "make", "ctest": "make",
	"mvn": "java", "mvnw": "java", "gradle": "java", "gradlew": "java", "java": "java",
	"javac": "java", "sbt": "java", "bazel": "java",
	"bundle": "ruby", "rake": "ruby", "rspec": "ruby", "ruby": "ruby", "rubocop": "ruby",
	"rails": "ruby", "minitest": "ruby",
	"php": "php", "composer": "php", "phpunit": "php", "phpstan": "php", "psalm": "php",
	"pest": "php", "phpcs": "php",
	"php-cs-fixer": "php", "dotnet": "dotnet", "msbuild": "dotnet",
	"bats": "shell", "shellcheck": "shell", "shfmt": "shell", "shellspec": "shell",
	"prove": "shell", "sh": "shell",
	"bash": "shell", "dash": "shell", "zsh": "shell",
}

func knownTool(name string) bool { return stackOf(name) != "" || slices.Contains(conditions, name) }

func stackOf(tool string) string {
	if s := toolStack[tool]; s != "" {
		return s
	}
	if strings.HasPrefix(tool, "python3.") || strings.HasPrefix(tool, "pypy") {
		return "py"
	}
	if strings.HasPrefix(tool, "cargo-") {
		return "rust"
	}
	return ""
}

// checkWords are parts of names that say that a program checks.
var checkWords = []string{
	"test", "check", "verif", "lint", "gate", "valid", "spec", "assert", "ci",
	"accept", "smoke", "e2e", "judge",
}

// SaysCheck reports whether a path names something that checks.
func SaysCheck(file string) bool {
	words := strings.FieldsFunc(strings.ToLower(file),
		func(c rune) bool { return strings.ContainsRune("/._- ", c) })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(checkWords, func(c string) bool {
			return w == c || len(c) > 3 && strings.Contains(w, c)
		})
	})
}
