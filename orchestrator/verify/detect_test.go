package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/state"
)

// tree writes files into a new directory. A name that ends with * is executable.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		mode := os.FileMode(0o600)
		if n, ok := strings.CutSuffix(name, "*"); ok {
			name, mode = n, 0o700
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// lines shows a stack: a gate a line, with the way to repair it.
func lines(s Stack) string {
	out := []string{s.Name}
	for _, g := range s.Gates {
		l := fmt.Sprintf("%s [%s, %s, %s]: %s", g.Name, g.Kind, g.Source, g.Tool, g.Command)
		if g.FixCommand != "" {
			l += " | " + g.FixCommand
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

func TestDetect(t *testing.T) {
	const goFormat = `out=$(gofmt -l .) && echo "$out" && test -z "$out"`
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"nothing", map[string]string{"README.md": "# hello"}, []string{""}},
		{"go", map[string]string{"go.mod": "module x"}, []string{
			"go",
			"lint [lint, go.mod, go]: go vet ./...",
			"format [format, go.mod, gofmt]: " + goFormat + " | gofmt -w .",
			"typecheck [typecheck, go.mod, go]: go build ./...",
			"test [test, go.mod, go]: go test ./...",
		}},
		{"go with golangci-lint and a Makefile", map[string]string{"go.mod": "module x", ".golangci.yml": "version: 2", "Makefile": "test:\n\tgo test\nlint:\n\tgolangci-lint run\n"}, []string{
			"go",
			"lint [lint, .golangci.yml, golangci-lint]: golangci-lint run ./... | golangci-lint run --fix ./...",
			"format [format, go.mod, gofmt]: " + goFormat + " | gofmt -w .",
			"typecheck [typecheck, go.mod, go]: go build ./...",
			"test [test, go.mod, go]: go test ./...",
		}},
		{"npm", map[string]string{"package-lock.json": "{}", "package.json": `{"scripts":{"lint":"eslint .","format":"prettier --write .","format:check":"prettier --check .","typecheck":"tsc --noEmit","test":"NODE_ENV=test jest"}}`}, []string{
			"node (npm)",
			"lint [lint, package.json, eslint]: npm run lint | npm run lint -- --fix",
			"format [format, package.json, prettier]: npm run format:check | npm run format",
			"typecheck [typecheck, package.json, tsc]: npm run typecheck",
			"test [test, package.json, jest]: npm test",
		}},
		{"npm init", map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, []string{"node (npm)"}},
		{"scripts that write or watch", map[string]string{"package.json": `{"scripts":{"lint":"eslint --fix .","test":"jest --watch"}}`}, []string{"node (npm)"}},
		{"pnpm", map[string]string{"pnpm-lock.yaml": "", "package.json": `{"scripts":{"lint":"eslint src","format:check":"prettier --check src"}}`}, []string{
			"node (pnpm)",
			"lint [lint, package.json, eslint]: pnpm run lint | pnpm run lint --fix",
			"format [format, package.json, prettier]: pnpm run format:check | npx prettier --write src",
		}},
		{"yarn, by name", map[string]string{"package.json": `{"packageManager":"yarn@4.1.0","scripts":{"test":"vitest run"}}`}, []string{
			"node (yarn)", "test [test, package.json, vitest]: yarn test",
		}},
		{"bun", map[string]string{"bun.lock": "", "package.json": `{"scripts":{"test":"bun test"}}`}, []string{
			"node (bun)", "test [test, package.json, bun]: bun run test",
		}},
		{"broken package.json", map[string]string{"package.json": `{"scripts":`}, []string{""}},
		{"python", map[string]string{"pyproject.toml": "[tool.ruff]\n[tool.black]\n[tool.mypy]\n[tool.pytest.ini_options]\n"}, []string{
			"python",
			"lint [lint, pyproject.toml, ruff]: ruff check . | ruff check --fix .",
			"format [format, pyproject.toml, black]: black --check . | black .",
			"typecheck [typecheck, pyproject.toml, mypy]: mypy .",
			"test [test, pyproject.toml, pytest]: pytest",
		}},
		{"uv", map[string]string{"uv.lock": "", "pyproject.toml": "[tool.ruff.format]\n", "requirements-dev.txt": "pytest==8\n"}, []string{
			"python (uv)",
			"lint [lint, pyproject.toml, uv]: uv run ruff check . | uv run ruff check --fix .",
			"format [format, pyproject.toml, uv]: uv run ruff format --check . | uv run ruff format .",
			"test [test, requirements-dev.txt, uv]: uv run pytest",
		}},
		{"unittest", map[string]string{"setup.py": "", "tests/test_a.py": ""}, []string{
			"python", "test [test, tests/test_a.py, python3]: python3 -m unittest discover -s tests",
		}},
		{"go workspace", map[string]string{"go.work": "use ./a", "a/go.mod": ""}, []string{
			"go",
			"lint [lint, go.work, go]: go vet $(go list -f '{{.Dir}}/...' -m)",
			"format [format, go.work, gofmt]: " + goFormat + " | gofmt -w .",
			"test [test, go.work, go]: go test $(go list -f '{{.Dir}}/...' -m)",
		}},
		{"two stacks", map[string]string{"back end/go.mod": "", "web/app/package-lock.json": "", "web/app/package.json": `{"scripts":{"test":"jest"}}`, "examples/x/go.mod": ""}, []string{
			"back end: go, web/app: node (npm)",
			"back end: lint [lint, back end/go.mod, go]: cd 'back end' && go vet ./...",
			"back end: format [format, back end/go.mod, gofmt]: cd 'back end' && " + goFormat + " | cd 'back end' && gofmt -w .",
			"back end: typecheck [typecheck, back end/go.mod, go]: cd 'back end' && go build ./...",
			"back end: test [test, back end/go.mod, go]: cd 'back end' && go test ./...",
			"web/app: test [test, web/app/package.json, jest]: cd web/app && npm test",
		}},
		{"a stack beside another", map[string]string{"Gemfile": "", ".rspec": "", "lib/Gemfile": "", "web/package.json": `{"scripts":{"test":"react-scripts test"}}`}, []string{
			"ruby, web: node (npm)", "test [test, .rspec, bundle]: bundle exec rspec",
			"web: test [test, web/package.json, react-scripts]: cd web && CI=true npm test",
		}},
		{"make tests the whole", map[string]string{"Makefile": "test:\n", "web/package.json": `{"scripts":{"test":"jest"}}`}, []string{
			"make", "test [test, Makefile, make]: make test",
		}},
		{"pnpm workspace", map[string]string{"pnpm-lock.yaml": "", "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n", "package.json": "{}", "packages/a/package.json": `{"scripts":{"test":"jest"}}`}, []string{
			"node (pnpm)", "test [test, package.json, pnpm]: pnpm -r run test",
		}},
		{"npm workspace", map[string]string{"package.json": `{"workspaces":["a","b"]}`, "a/package.json": `{"scripts":{"lint":"eslint ."}}`, "b/package.json": "{}"}, []string{
			"node (npm)", "lint [lint, package.json, npm]: npm run lint --workspaces --if-present",
		}},
		{"yarn 1 workspace, not all with tests", map[string]string{"yarn.lock": "", "package.json": `{"workspaces":{"packages":["a","b"]}}`, "a/package.json": `{"scripts":{"test":"ava"}}`, "b/package.json": "{}"}, []string{
			"node (yarn), a: node (yarn)", "a: test [test, a/package.json, ava]: cd a && yarn test",
		}},
		{"cmake", map[string]string{"CMakeLists.txt": "add_subdirectory(tests)", "tests/CMakeLists.txt": "add_test(a a)", "Makefile": "test:\n", ".gitignore": "/build/\n"}, []string{
			"cmake", "test [test, CMakeLists.txt, cmake]: cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure --no-tests=error",
		}},
		{"cmake without tests", map[string]string{"CMakeLists.txt": "project(x)", "Makefile": "test:\n"}, []string{
			"cmake, make", "test [test, Makefile, make]: make test",
		}},
		{"tests alone", map[string]string{"tests/test_a.py": "import unittest"}, []string{
			"python", "test [test, tests/test_a.py, python3]: python3 -m unittest discover -s tests",
		}},
		{"functions that pytest runs", map[string]string{"tests/test_a.py": "import a\ndef test_a(): pass"}, []string{
			"python", "test [test, tests/test_a.py, pytest]: pytest",
		}},
		{"rust workspace", map[string]string{"Cargo.toml": "[workspace]\n"}, []string{
			"rust",
			"lint [lint, Cargo.toml, cargo-clippy]: cargo clippy --workspace --all-targets -- -D warnings | cargo clippy --workspace --fix --allow-dirty --allow-staged",
			"format [format, Cargo.toml, rustfmt]: cargo fmt --all --check | cargo fmt --all",
			"typecheck [typecheck, Cargo.toml, cargo]: cargo check --workspace --all-targets",
			"test [test, Cargo.toml, cargo]: cargo test --workspace",
		}},
		{"maven wrapper", map[string]string{"pom.xml": "<artifactId>spotless-maven-plugin</artifactId>", "mvnw*": ""}, []string{
			"java (maven)",
			"format [format, pom.xml, ./mvnw]: ./mvnw -B -ntp spotless:check | ./mvnw -B -ntp spotless:apply",
			"typecheck [typecheck, pom.xml, ./mvnw]: ./mvnw -B -ntp test-compile",
			"test [test, pom.xml, ./mvnw]: ./mvnw -B -ntp test",
		}},
		{"gradle", map[string]string{"build.gradle.kts": ""}, []string{
			"java (gradle)",
			"typecheck [typecheck, build.gradle.kts, gradle]: gradle --console=plain testClasses",
			"test [test, build.gradle.kts, gradle]: gradle --console=plain test",
		}},
		{"ruby", map[string]string{"Gemfile": "", ".rubocop.yml": "", "spec/a_spec.rb": ""}, []string{
			"ruby",
			"lint [lint, .rubocop.yml, bundle]: bundle exec rubocop | bundle exec rubocop -A",
			"test [test, spec, bundle]: bundle exec rspec",
		}},
		{"dotnet", map[string]string{"Shop.sln": "", ".editorconfig": ""}, []string{
			"dotnet",
			"format [format, .editorconfig, dotnet]: dotnet format --verify-no-changes | dotnet format",
			"typecheck [typecheck, Shop.sln, dotnet]: dotnet build --nologo",
			"test [test, Shop.sln, dotnet]: dotnet test --nologo",
		}},
		{"php", map[string]string{"composer.json": `{"scripts":{"lint":["phpcs"],"cs:fix":"phpcbf","cs:check":"phpcs","analyse":"phpstan"}}`, "phpunit.xml": ""}, []string{
			"php",
			"lint [lint, composer.json, composer]: composer run-script lint",
			"format [format, composer.json, composer]: composer run-script cs:check | composer run-script cs:fix",
			"typecheck [typecheck, composer.json, composer]: composer run-script analyse",
			"test [test, phpunit.xml, vendor/bin/phpunit]: vendor/bin/phpunit",
		}},
		{"make", map[string]string{"Makefile": "CC := gcc\nTEST = 1\n.PHONY: test lint\nall: test\ntest lint: build ## checks\n\techo\nfmt:\n\techo\nformat-check: ; echo\n"}, []string{
			"make",
			"lint [lint, Makefile, make]: make lint",
			"format [format, Makefile, make]: make format-check | make fmt",
			"test [test, Makefile, make]: make test",
		}},
		{"just", map[string]string{"justfile": "version := '1'\ntest target='all': build\n  cargo test\n@lint:\n  echo\n"}, []string{
			"just", "lint [lint, justfile, just]: just lint", "test [test, justfile, just]: just test",
		}},
		{"make fills what node lacks", map[string]string{"package.json": `{"scripts":{"test":"jest"}}`, "Makefile": "test:\n\techo\nlint:\n\techo\n"}, []string{
			"node (npm), make", "lint [lint, Makefile, make]: make lint", "test [test, package.json, jest]: npm test",
		}},
		{"two stacks", map[string]string{"Cargo.toml": "", "package.json": `{"scripts":{"test":"jest"}}`}, []string{
			"node (npm), rust",
			"lint [lint, Cargo.toml, cargo-clippy]: cargo clippy --all-targets -- -D warnings | cargo clippy --fix --allow-dirty --allow-staged",
			"format [format, Cargo.toml, rustfmt]: cargo fmt --all --check | cargo fmt --all",
			"typecheck [typecheck, Cargo.toml, cargo]: cargo check --all-targets",
			"test [test, package.json, jest]: npm test",
			"rust-test [test, Cargo.toml, cargo]: cargo test",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lines(Detect(tree(t, c.files)))
			if diff := cmp.Diff(strings.Join(c.want, "\n"), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if s := Detect(filepath.Join(t.TempDir(), "nowhere")); s.Name != "" || s.Gates != nil {
		t.Errorf("a directory that is not there: %+v", s)
	}
}

func TestMerge(t *testing.T) {
	detected := []state.GateSpec{
		{Name: "lint", Kind: "lint", Command: "golangci-lint run", FixCommand: "golangci-lint run --fix", Source: "go.mod"},
		{Name: "test", Kind: "test", Command: "go test ./...", Source: "go.mod"},
		{Name: "format", Kind: "format", Command: "gofmt -l .", Source: "go.mod"},
	}
	config := []state.GateSpec{{Name: "format"}, {Name: "security", Command: "./scan.sh"}, {Name: "lint", Command: "golangci-lint run"}}
	named := []state.GateSpec{{Name: "test", Command: "make check"}, {Name: "security", Command: "true"}, {Name: "format", Command: "true"}}
	var got []string
	for _, g := range Merge(config, named, detected) {
		got = append(got, strings.Join([]string{g.Name, g.Kind, g.Source, g.Command, g.FixCommand}, "|"))
	}
	want := []string{
		"lint|lint|config|golangci-lint run|golangci-lint run --fix",
		"test|test|plan|make check|",
		"security|custom|config|./scan.sh|",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestProbe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs here have no file ending")
	}
	dir := tree(t, map[string]string{
		"bin/go*": "", "bin/readme": "", "bin/npm*": "", "node_modules/.bin/eslint*": "", "scan.sh*": "", "sub/x": "",
	})
	env := []string{"PATH=/nowhere", "PATH=" + filepath.Join(dir, "bin")}
	check := func(dir string, s state.GateSpec, want bool) {
		t.Helper()
		if got := Probe(dir, env, []state.GateSpec{s})[0]; got.Available != want {
			t.Errorf("%s (%s): available %t", s.Command, got.Tool, got.Available)
		}
	}
	check(dir, state.GateSpec{Command: "go test ./..."}, true)
	check(dir, state.GateSpec{Command: "CGO_ENABLED=0 go test"}, true)
	check(dir, state.GateSpec{Command: "cargo test"}, false)
	check(dir, state.GateSpec{Command: "readme"}, false)
	check(dir, state.GateSpec{Command: "./scan.sh"}, true)
	check(dir, state.GateSpec{Command: "./other.sh"}, false)
	check(dir, state.GateSpec{Command: `test -z "$(cargo fmt)"`}, true)
	check(dir, state.GateSpec{Command: "cd sub && cargo test"}, true)
	check(filepath.Join(dir, "sub"), state.GateSpec{Command: "eslint ."}, true)
	check(dir, state.GateSpec{Command: "npm run lint", Tool: "eslint", Source: "package.json"}, true)
	check(dir, state.GateSpec{Command: "npm test", Tool: "jest", Source: "package.json"}, false)
	check(filepath.Join(dir, "sub"), state.GateSpec{Command: "npm test", Tool: "jest", Source: "package.json"}, true)
	check(dir, state.GateSpec{Command: `out=$(gofmt -l .) && test -z "$out"`, Tool: "gofmt"}, false)

	specs := []state.GateSpec{{Name: "a", Source: SourceConfig}, {Name: "b", Source: "go.mod"}, {Name: "c", Source: SourcePlan}, {Name: "d", Source: SourcePlan, Available: true}}
	if got := Unavailable(specs); len(got) != 2 || got[0].Name != "a" || got[1].Name != "c" {
		t.Errorf("unavailable: %+v", got)
	}
}

// FuzzDetect: for all manifests, detection ends, and proposes only gates that have a name and a
// command.
func FuzzDetect(f *testing.F) {
	f.Add("package.json", `{"scripts":{"test":["a",1],"lint":{"x":1}}}`)
	f.Add("Makefile", "a b c:::\n%.o: %.c\nx := y\n")
	f.Add("composer.json", `{"scripts":{"test":[]}}`)
	names := map[string]bool{"package.json": true, "Makefile": true, "justfile": true, "composer.json": true, "pyproject.toml": true, "go.mod": true, "Cargo.toml": true, "pom.xml": true}
	f.Fuzz(func(t *testing.T, name, text string) {
		if !names[name] {
			return
		}
		seen := map[string]bool{}
		for _, g := range Detect(tree(t, map[string]string{name: text})).Gates {
			if g.Name == "" || g.Command == "" || g.Kind == "" || g.Source == "" || seen[g.Name] {
				t.Fatalf("%+v", g)
			}
			seen[g.Name] = true
		}
	})
}
