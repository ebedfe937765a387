package sign

import (
	"cmp"
	"strings"

	"autobuild/failure"
)

// installs is the command with what was found in place of $1.
func installs(command string) func(string, failure.GateRun) string {
	return func(name string, _ failure.GateRun) string {
		return strings.ReplaceAll(command, "$1", name)
	}
}

// FirstWord is the first word of a command line.
func FirstWord(command string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return word
}

// toolInstall is the command that installs a well-known tool; empty where guessing would mislead.
func toolInstall(name string, g failure.GateRun) string {
	switch name {
	case "eslint", "prettier", "tsc", "jest", "vitest", "mocha", "biome", "ava", "tap", "c8", "nyc",
		"tsx", "ts-node", "stylelint", "oxlint":
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
	"jq": "", "yq": "", "curl": "", "wget": "", "git": "", "make": "", "cmake": "", "gcc": "",
	"g++": "", "clang": "", "shellcheck": "", "tree": "",
	"unzip": "", "zip": "", "rsync": "", "ffmpeg": "", "sqlite3": "", "pandoc": "", "bc": "",
	"parallel": "", "xmllint": "libxml2-utils", "rg": "ripgrep",
	"psql": "postgresql-client", "mysql": "default-mysql-client", "redis-cli": "redis-tools",
	"protoc": "protobuf-compiler", "dot": "graphviz",
	"convert": "imagemagick", "envsubst": "gettext-base", "docker": "docker.io", "mvn": "maven",
	"javac": "default-jdk", "java": "default-jre",
	"node": "nodejs", "npm": "npm", "python3": "", "pip": "python3-pip", "pip3": "python3-pip",
	"ruby": "", "bundle": "ruby-bundler", "php": "php-cli", "composer": "",
}

func npmInstall(name string, g failure.GateRun) string {
	flag := ""
	if strings.HasPrefix(name, "@types/") || toolNames[name] || g.Kind == "lint" ||
		g.Kind == "format" {
		flag = "-D "
	}
	switch manager := FirstWord(g.Command); manager {
	case "pnpm", "yarn", "bun":
		return manager + " add " + flag + name
	}
	return "npm install " + flag + name
}

// toolNames are packages that projects need only for development.
var toolNames = map[string]bool{
	"jest": true, "vitest": true, "mocha": true, "eslint": true, "prettier": true,
	"typescript": true,
	"ts-jest":    true, "ts-node": true, "tsx": true, "chai": true, "ava": true, "tap": true,
	"@biomejs/biome": true,
}

func typesInstall(name string, g failure.GateRun) string {
	if !strings.HasPrefix(name, "@types/") {
		name = "@types/" + strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "__")
	}
	return npmInstall(name, g)
}

func pipInstall(name string, g failure.GateRun) string {
	switch FirstWord(g.Command) {
	case "uv":
		return "uv add --dev " + name
	case "poetry":
		return "poetry add --group dev " + name
	}
	return "python -m pip install " + name
}

func goGet(name string, _ failure.GateRun) string { return "go get " + name }

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
