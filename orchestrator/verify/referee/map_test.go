package referee

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"autobuild/state"
)

// tree is a Source in memory. A name may end in a mode: "link@120000".
type tree map[string]string

func (t tree) Paths() []string {
	var out []string
	for _, p := range slices.Sorted(maps.Keys(t)) {
		p, _, _ = strings.Cut(p, "@")
		out = append(out, p)
	}
	return out
}

func (t tree) Read(file string) (string, bool) {
	text, ok := t[file]
	return text, ok
}

func (t tree) Mode(file string) string {
	for p := range t {
		if name, mode, ok := strings.Cut(p, "@"); name == file {
			if ok {
				return mode
			}
			return "100644"
		}
	}
	return ""
}

// gates are gates by their commands.
func gates(commands ...string) []state.GateSpec {
	var out []state.GateSpec
	for _, c := range commands {
		out = append(out, state.GateSpec{Name: "test", Kind: "test", Command: c})
	}
	return out
}

// TestClasses: every file of a tree has the class that the table says.
func TestClasses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		gates []string
		tree  tree
		want  map[string]Class
	}{
		{
			"go: helpers that only tests import",
			[]string{"go test ./...", "go vet ./..."},
			tree{
				"go.mod": "module example.com/calc\n\ngo 1.24\n", "calc.go": "package calc\n", "README.md": "# calc",
				"calc_test.go":               "package calc\nimport (\n\"testing\"\n\"example.com/calc/internal/check\"\n)\n",
				"internal/check/check.go":    "package check\nfunc Equal(a, b int) {}\n",
				"internal/testutil/x.go":     "package testutil\nimport \"testing\"\n",
				"store/store.go":             "package store\nimport \"example.com/calc\"\n",
				"store/store_test.go":        "package store\nimport \"example.com/calc/internal/testutil\"\n",
				"store/testdata/golden.json": "{}", "cmd/calc/main.go": "package main\nimport \"example.com/calc/store\"\n",
				"fixtures/in.txt": "1", "data/in.txt": "1", "vendor/example.org/x/x.go": "package x\n",
				"export_test.go": "package calc\nconst F = \"fixtures/in.txt\"\n",
			},
			map[string]Class{
				"go.mod": Gate, "calc.go": Product, "calc_test.go": Test, "internal/check/check.go": Test,
				"internal/testutil/x.go": Test, "store/store.go": Product, "store/testdata/golden.json": Test,
				"cmd/calc/main.go": Product, "fixtures/in.txt": Test, "data/in.txt": Product, "README.md": Product,
				"vendor/example.org/x/x.go": Vendored, "internal/check/more.go": Test, "mul.go": Product, "mul_test.go": Test,
			},
		},
		{
			"go: a library tested from one directory is its product",
			[]string{"go test ./..."},
			tree{
				"go.mod": "module m\n", "mathx/mathx.go": "package mathx\n", "strx/strx.go": "package strx\n",
				"tests/all_test.go": "package tests\nimport (\"m/mathx\"; \"m/strx\")\n",
				"a/a.go":            "package a\n", "a/a_test.go": "package a_test\nimport \"m/a\"\n",
			},
			map[string]Class{"mathx/mathx.go": Product, "strx/strx.go": Product, "a/a.go": Product, "tests/all_test.go": Test},
		},
		{
			"node: scripts that call scripts",
			[]string{"npm test", "npm run lint"},
			tree{
				"package.json": `{"main":"index.js","scripts":{"test":"sh tests/run.sh && npm run more","more":"node scripts/check.mjs","pretest":"./prepare.sh","lint":"eslint .","deploy":"sh deploy.sh"}}`,
				"tests/run.sh": "#!/bin/sh\nset -e\nHERE=$(dirname \"$0\")\n. \"$HERE/lib.sh\"\nnode tests/a.mjs\ndiff expected.txt out.txt\n",
				"tests/lib.sh": "fail() { exit 1; }\n", "tests/a.mjs": "import {add} from '../src/add.mjs'\nimport {eq} from '../support/eq.mjs'\n",
				"src/add.mjs": "export const add = 1\n", "support/eq.mjs": "import assert from 'node:assert'\nexport const eq = assert.equal\n",
				"scripts/check.mjs": "import './rules.mjs'\n", "scripts/rules.mjs": "", "prepare.sh": "true\n", "deploy.sh": "true\n",
				"index.js": "import './src/add.mjs'\n", "expected.txt": "1\n", "eslint.config.mjs": "import r from './lint/rule.mjs'\n",
				"lint/rule.mjs": "", "node_modules/jest/index.js": "",
			},
			map[string]Class{
				"tests/run.sh": Gate, "tests/lib.sh": Gate, "tests/a.mjs": Test, "src/add.mjs": Product, "support/eq.mjs": Test,
				"scripts/check.mjs": Gate, "prepare.sh": Gate, "deploy.sh": Product, "index.js": Product, "expected.txt": Test,
				"eslint.config.mjs": Gate, "lint/rule.mjs": Gate, "node_modules/jest/index.js": Vendored, "package.json": Gate,
				"scripts/rules.mjs": Gate,
			},
		},
		{
			"node: every package's script",
			[]string{"npx turbo run test -- --ci"},
			tree{
				"package.json": "{}", "packages/a/package.json": `{"scripts":{"test":"sh ./go.sh"}}`, "packages/a/go.sh": "true",
				"packages/a/a.js": "", "packages/b/package.json": `{"scripts":{"build":"sh ./go.sh"}}`, "packages/b/go.sh": "true",
			},
			map[string]Class{"packages/a/go.sh": Gate, "packages/b/go.sh": Product},
		},
		{
			"make: another directory and another file",
			[]string{"make -C build -f ci.mk check", "env CI=1 timeout 60 just -f tools/justfile all"},
			tree{
				"build/ci.mk": "check:\n\tcd .. && bash verify.sh\n", "verify.sh": "true", "tools/justfile": "all: one\none:\n  python3 tools/x.py\n",
				"tools/x.py": "", "Makefile": "check:\n\tsh other.sh\n", "other.sh": "true", "main.py": "",
			},
			map[string]Class{"build/ci.mk": Gate, "verify.sh": Gate, "tools/justfile": Gate, "tools/x.py": Gate, "other.sh": Product, "main.py": Product},
		},
		{
			"node: jest with its settings",
			[]string{"npx jest --ci"},
			tree{
				"package.json":   `{"jest":{"setupFiles":["./config/setup.js"]},"main":"lib/index.js"}`,
				"jest.config.js": "module.exports = { globalSetup: '<rootDir>/jest.global.js', moduleNameMapper: {'x': 'lib/index.js'} }",
				"jest.global.js": "", "config/setup.js": "", "lib/index.js": "require('./a')", "lib/a.js": "",
				"lib/__tests__/a.js": "require('../a')", "lib/__snapshots__/a.snap": "", "lib/a.test.js": "require('./a')",
				"mocks/api.js": "", "lib/b.spec.ts": "import '../mocks/api'\nimport './a'",
			},
			map[string]Class{
				"jest.config.js": Gate, "jest.global.js": Gate, "config/setup.js": Gate, "lib/index.js": Product, "lib/a.js": Product,
				"lib/__tests__/a.js": Test, "lib/__snapshots__/a.snap": Test, "lib/a.test.js": Test, "mocks/api.js": Test,
			},
		},
		{
			"node: one module and its test",
			[]string{"node --test"},
			tree{
				"package.json": `{}`, "calc.js": "export function add() {}", "calc.test.js": "import './calc.js'",
				"lib/strings.js": "", "test/strings.js": "import '../lib/strings.js'",
			},
			map[string]Class{"calc.js": Product, "calc.test.js": Test, "lib/strings.js": Product, "test/strings.js": Test},
		},
		{
			"python: pytest with conftest and helpers",
			[]string{"python3 -m pytest -q", "ruff check ."},
			tree{
				"pyproject.toml": "[tool.pytest.ini_options]\naddopts = \"-q\"\n", "shop/__init__.py": "", "shop/tax.py": "import json\n",
				"shop/cart.py": "from .tax import rate\n", "tests/test_tax.py": "from shop.tax import rate\nfrom helpers.check import same\n",
				"helpers/check.py": "def same(a, b): assert a == b\n", "conftest.py": "", "tests/data/x.csv": "1",
				"samples/a.json": "{}", "tests/test_cart.py": "import shop.cart\nP = 'samples/a.json'\n", "test_root.py": "import calc\n", "calc.py": "",
			},
			map[string]Class{
				"shop/tax.py": Product, "shop/cart.py": Product, "helpers/check.py": Test, "conftest.py": Gate, "tests/data/x.csv": Test,
				"samples/a.json": Test, "calc.py": Product, "test_root.py": Test, "pyproject.toml": Gate, "shop/__init__.py": Product,
			},
		},
		{
			"python: a module with its project's name, and hooks that no gate runs",
			[]string{"python3 -m unittest"},
			tree{
				"pyproject.toml": "[tool.setuptools]\npy-modules = [\"six\"]\n[project]\nname = \"six\"\n[tool.mypy]\nplugins = [\"lint.py\"]\n",
				"six.py":         "", "lint.py": "", "test_six.py": "import six\n", ".pre-commit-config.yaml": "",
			},
			map[string]Class{"six.py": Product, "lint.py": Gate, ".pre-commit-config.yaml": Product},
		},
		{
			"hooks that a gate runs",
			[]string{"pre-commit run --all-files"},
			tree{".pre-commit-config.yaml": "", "a.py": ""},
			map[string]Class{".pre-commit-config.yaml": Gate, "a.py": Product},
		},
		{
			"make: targets, includes and their scripts",
			[]string{"make -s test", "make lint"},
			tree{
				"Makefile": "include mk/*.mk\nPY ?= python3\n\ntest: unit\n\t@$(PY) run_checks.py\n\nunit:\n\t./bin/check.sh --all\n\nclean:\n\tsh clean.sh\n",
				"mk/a.mk":  "lint:\n\tsh tools/lint.sh\n", "run_checks.py": "import helper\nimport calc\n", "bin/check.sh": "sh ../x.sh\n",
				"tools/lint.sh": "true\n", "clean.sh": "true\n", "calc.py": "", "app.py": "import calc\n", "helper.py": "",
			},
			map[string]Class{
				"Makefile": Gate, "mk/a.mk": Gate, "run_checks.py": Gate, "bin/check.sh": Gate, "tools/lint.sh": Gate,
				"clean.sh": Product, "calc.py": Product, "app.py": Product,
			},
		},
		{
			"shell: the product is a script too",
			[]string{"bash tests/run.sh", "shellcheck calc.sh"},
			tree{
				"calc.sh": "add() { echo $(($1+$2)); }\n", "greet.sh": "echo hi\n", "common/assert.sh": "eq() { [ \"$1\" = \"$2\" ] || exit 1; }\n",
				"tests/run.sh":       "cd \"$(dirname \"$0\")/..\" || exit 1\n. ./common/assert.sh\n. ./calc.sh\nfor t in tests/cases/*.sh; do\n  sh \"$t\"\ndone\neq \"$(sh greet.sh)\" hi\n",
				"tests/cases/one.sh": "true\n",
			},
			map[string]Class{
				"tests/run.sh": Gate, "calc.sh": Product, "greet.sh": Product, "common/assert.sh": Gate, "tests/cases/one.sh": Gate,
			},
		},
		{
			"commands alone",
			[]string{"test -f out.txt", "grep -q hello README.md", "./verify.sh", "./calc.sh 1 2 | diff - want.txt"},
			tree{"README.md": "hello", "verify.sh": "#!/bin/sh\n./calc.sh 1 2 | grep 3\n", "calc.sh": "#!/bin/sh\n", "want.txt": "3", "out.txt": ""},
			map[string]Class{"README.md": Product, "verify.sh": Gate, "calc.sh": Product, "want.txt": Test, "out.txt": Product},
		},
		{
			"rust",
			[]string{"cargo test", "cargo clippy"},
			tree{
				"Cargo.toml": "[package]\nname=\"a\"\n", "src/lib.rs": "pub fn a() {}\n#[cfg(test)]\nmod support;\n#[cfg(test)]\nmod tests { }\n",
				"src/support.rs": "", "src/calc.rs": "", "tests/it.rs": "", "tests/common/mod.rs": "", "rustfmt.toml": "", "src/calc/tests.rs": "",
			},
			map[string]Class{
				"src/lib.rs": Product, "src/support.rs": Test, "src/calc.rs": Product, "tests/it.rs": Test, "tests/common/mod.rs": Test,
				"rustfmt.toml": Gate, "Cargo.toml": Gate, "src/calc/tests.rs": Test,
			},
		},
		{
			"others by convention",
			[]string{"mvn test", "bundle exec rspec", "vendor/bin/phpunit", "dotnet test"},
			tree{
				"pom.xml": "<project/>", "src/main/java/A.java": "", "src/test/java/ATest.java": "", "src/test/resources/x.json": "",
				"lib/a.rb": "", "spec/a_spec.rb": "", "spec/fixtures/x.yml": "", ".rspec": "", "src/A.php": "", "phpunit.xml": "",
				"App.Tests/T.cs": "", "App/A.cs": "", "Greatest.java": "", "contest.py": "", "latest.js": "", "attest.go": "",
			},
			map[string]Class{
				"src/main/java/A.java": Product, "src/test/java/ATest.java": Test, "src/test/resources/x.json": Test, "lib/a.rb": Product,
				"spec/a_spec.rb": Test, "spec/fixtures/x.yml": Test, ".rspec": Gate, "phpunit.xml": Gate, "App.Tests/T.cs": Test,
				"App/A.cs": Product, "Greatest.java": Product, "contest.py": Product, "latest.js": Product, "attest.go": Product,
			},
		},
		{
			"descriptions in a folder named spec",
			[]string{"go test ./..."},
			tree{"go.mod": "module m\n", "spec/openapi.yaml": "", "m.go": "package m\n", "m_test.go": "package m\n"},
			map[string]Class{"spec/openapi.yaml": Product},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := NewMap(tt.tree, gates(tt.gates...))
			for _, p := range slices.Sorted(maps.Keys(tt.want)) {
				if got := m.Class(p); got != tt.want[p] {
					t.Errorf("%s: %s (%s), want %s", p, got, m.row(p).Why, tt.want[p])
				}
			}
		})
	}
}
