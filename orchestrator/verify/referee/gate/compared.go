package gate

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// ChangedKeys gives the keys of a gate's file that changed; false: it was changed in a way that
// shows no keys.
func (r *Reach) ChangedKeys(file, old, now string) ([]KeyChange, bool) {
	base := path.Base(file)
	switch {
	case targetFile(file) != nil:
		return r.makeChanges(file, old, now), true
	case IsShell(file) || ShellText(file, old):
		return nil, r.shellHarmless(old, now)
	case base == ".gitattributes":
		return nil, PlainAttributes(old, now)
	case strings.HasSuffix(base, "ignore"):
		return nil, contains(bareLines(old), bareLines(now))
	case slices.Contains([]string{"pom.xml", "build.gradle", "build.gradle.kts"}, base) ||
		projectFile.MatchString(base):
		return nil, Bare(file, old) == Bare(file, now) || onlyDependencies(old, now)
	}
	was, err := r.gateKeys(file, old)
	if err == nil {
		is, err := r.gateKeys(file, now)
		if err != nil {
			return nil, false
		}
		found := differences(was, is)
		for i := range found {
			found[i].Harmless = found[i].Harmless || r.keyHarmless(file, found[i])
			if base == "autobuild.yaml" || base == "autobuild.yml" {
				found[i].Harmless = false
			}
		}
		return found, true
	}
	return nil, Bare(file, old) == Bare(file, now) || onlyRaised(old, now)
}

// projectFile is the name of a project or solution of .NET.
var projectFile = lazyregexp.New(`proj$|\.slnx?$`)

// settingsFiles are the names of settings files, by the stack whose tools read them.
var settingsFiles = []struct {
	stack string
	names *lazyregexp.Regexp
}{
	{"go", lazyregexp.New(`^(?:go\.(?:mod|work)|\.golangci\..*|staticcheck\.conf|revive\.toml)$`)},
	{"js", lazyregexp.New(
		`^(?:package\.json|[tj]sconfig.*|\.npmrc|\.yarnrc.*|\.pnpmfile.*|pnpm-workspace\.yaml|\.eslint.*|eslint\..*|\.prettier.*|prettier\..*|jest.*|vitest.*|vite\..*|\.mocharc.*|ava\..*|karma.*|playwright.*|cypress.*|babel\..*|\.babelrc.*|\.swcrc|\.nycrc.*|\.c8rc.*|biome\.jsonc?|lerna\.json|turbo\.json|nx\.json|\.nvmrc|\.node-version|deno\.jsonc?|bunfig\.toml|\.stylelintrc.*|\.oxlintrc\.json|\.lintstagedrc.*|rollup.*|webpack.*)$`)},
	{"py", lazyregexp.New(
		`^(?:conftest\.py|\.?pytest\.(?:ini|toml)|tox\.(?:ini|toml)|noxfile\.py|\.coveragerc|setup\.(?:py|cfg)|pyproject\.toml|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc.*|\.isort\.cfg|pyrightconfig\.json|sitecustomize\.py|usercustomize\.py|\.python-version|pip\.conf|uv\.toml|\.style\.yapf|\.pycodestyle|\.pydocstyle|\.bandit)$`)},
	{"rust", lazyregexp.New(
		`^(?:Cargo\.toml|rust-toolchain.*|\.?clippy\.toml|\.?rustfmt\.toml|nextest\.toml|deny\.toml|tarpaulin\.toml|config|config\.toml)$`)},
	{"make", lazyregexp.New(`(?i)^(?:gnumakefile|makefile|.*\.mk)$`)},
	{"just", lazyregexp.New(`(?i)^\.?justfile$|\.just$`)},
	{"task", lazyregexp.New(`(?i)^taskfile.*`)},
	{"java", lazyregexp.New(
		`^(?:pom\.xml|.*\.gradle(?:\.kts)?|gradle\.properties|checkstyle.*|detekt.*|\.java-version)$`)},
	{"ruby", lazyregexp.New(`^(?:Rakefile|\.rspec|\.rubocop.*|\.ruby-version)$`)},
	{"php", lazyregexp.New(
		`^(?:composer\.json|phpunit.*|phpstan.*|psalm.*|phpcs.*|\.php-cs-fixer.*)$`)},
	{"dotnet", lazyregexp.New(
		`(?:proj|\.slnx?|\.runsettings)$|^(?:Directory\..*|global\.json|nuget\.config)$`)},
}

// ConfigStack is the stack whose tools read a settings file; empty: any may.
func ConfigStack(file string) string {
	base := path.Base(file)
	for _, c := range settingsFiles {
		if c.names.MatchString(base) {
			return c.stack
		}
	}
	return ""
}
