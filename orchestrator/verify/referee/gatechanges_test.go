package referee

import (
	"strings"
	"testing"

	"autobuild/state"
)

// change is an edit of a file: its old and its new content; "-" means that it is not there. A
// content may begin with "mode:120000 " for a file that is no plain one.
func change(file, old, now string) Edit {
	e := Edit{Path: file}
	set := func(text string) (string, string) {
		if text == "-" {
			return "", ""
		}
		if rest, ok := strings.CutPrefix(text, "mode:"); ok {
			mode, content, _ := strings.Cut(rest, " ")
			return mode, content
		}
		return "100644", text
	}
	e.OldMode, e.Old = set(old)
	e.NewMode, e.New = set(now)
	return e
}

var (
	goTree = tree{
		"go.mod": "module example.com/calc\n\ngo 1.24\n\nrequire example.org/x v1.0.0\n", "calc.go": "package calc\n",
		"calc_test.go":  "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n",
		".golangci.yml": "linters:\n  enable:\n    - errcheck\n    - govet\nissues:\n  exclude:\n    - G104\n",
		"Makefile":      "GO = go\nFLAGS = -race\n\n.PHONY: test lint\n\ntest:\n\t$(GO) test $(FLAGS) ./...\n\nlint:\n\tgolangci-lint run\n\nbuild:\n\tgo build ./...\n",
	}
	nodeTree = tree{
		"package.json": `{"name":"x","version":"1.0.0","scripts":{"test":"jest --ci","lint":"eslint .","start":"node server.js"},` +
			`"jest":{"coverageThreshold":{"global":{"lines":80}},"testMatch":["**/*.test.js"]},"devDependencies":{"jest":"^29.0.0"}}`,
		"server.js": "", "lib/a.js": "", "lib/a.test.js": "const a = require('./a');\ntest('a', () => { expect(a()).toBe(1); });\n",
		"tsconfig.json":  "{\n  // strict\n  \"compilerOptions\": {\"strict\": true, \"target\": \"es2020\"},\n  \"include\": [\"src\"]\n}\n",
		".eslintrc.json": `{"rules":{"no-unused-vars":"error","eqeqeq":["warn","always"]}}`, ".eslintignore": "dist\n",
		"jest.setup.js": "process.env.TZ = 'UTC';\n", "eslint.config.mjs": "export default [{ rules: { semi: 'error' } }];\n",
		"vitest.config.ts": "export default {\n  test: {\n    coverage: {\n      thresholds: {\n        lines: 80,\n      },\n    },\n  },\n};\n",
		".mocharc.yml":     "spec: test\nforbidOnly: true\n",
	}
	pyTree = tree{
		"pyproject.toml": "[project]\nname = \"shop\"\ndependencies = [\"requests\"]\n\n[tool.pytest.ini_options]\naddopts = \"-q --strict-markers\"\ntestpaths = [\"tests\"]\n\n" +
			"[tool.coverage.report]\nfail_under = 85\n\n[tool.ruff.lint]\nselect = [\"E\", \"F\"]\nignore = [\"E501\"]\n\n[tool.mypy]\nstrict = true\n",
		"shop/__init__.py": "", "shop/tax.py": "import yaml\n", "tests/test_tax.py": "from shop.tax import rate\n\n\ndef test_rate():\n    assert rate() == 0.19\n",
		"conftest.py": "import pytest\n\n\n@pytest.fixture\ndef db():\n    return {}\n", "setup.cfg": "[metadata]\nname = shop\n\n[flake8]\nmax-line-length = 88\n",
		"pytest.ini": "[pytest]\naddopts = -q\n", ".coveragerc": "[report]\nfail_under = 80\n",
	}
	shellTree = tree{
		"Makefile": "test:\n\tsh tests/run.sh\n", "calc.py": "print(1)\n",
		"tests/run.sh": "#!/bin/sh\n# all tests\nset -e\n. tests/lib.sh\ncheck \"$(python3 calc.py)\" 1\n", "tests/lib.sh": "check() {\n  [ \"$1\" = \"$2\" ] || exit 1\n}\n",
		"scripts/verify.sh": "#!/bin/sh\npython3 calc.py | grep -q 1\n",
		"tests/cases/1.sh":  "true\n",
	}
	rustTree = tree{
		"Cargo.toml":  "[package]\nname = \"calc\"\nversion = \"0.1.0\"\n\n[dependencies]\nserde = \"1\"\n\n[lints.rust]\nunsafe_code = \"deny\"\n",
		"src/lib.rs":  "pub fn add(a: i32, b: i32) -> i32 { a + b }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() { assert_eq!(add(1, 2), 3); }\n}\n",
		"tests/it.rs": "#[test]\nfn it() { assert!(true); }\n", ".cargo/config.toml": "[build]\nrustflags = [\"-Dwarnings\"]\n",
	}
	goGates    = []string{"go test ./...", "golangci-lint run ./...", "make test"}
	nodeGates  = []string{"npm test", "npm run lint", "npx tsc --noEmit", "npx vitest run"}
	pyGates    = []string{"python3 -m pytest", "ruff check .", "mypy .", "flake8"}
	shellGates = []string{"make test", "sh scripts/verify.sh"}
	rustGates  = []string{"cargo test", "cargo clippy"}
)

// ruled is the expected ruling on an edit: open has a change without a ruling, recorded only
// harmless ones, quiet none.
type ruled string

const (
	open     ruled = "open"
	recorded ruled = "recorded"
	quiet    ruled = "quiet"
)

func rulingOf(changes []state.RefereeChange) ruled {
	if len(changes) == 0 {
		return quiet
	}
	if settled(changes) {
		return recorded
	}
	return open
}

// swap gives an edit of a file of a tree, in which a text takes the place of another.
func swap(t tree, file, old, now string) Edit {
	if !strings.Contains(t[file], old) {
		panic(file + " has no " + old)
	}
	return change(file, t[file], strings.Replace(t[file], old, now, 1))
}

func grown(t tree, file, more string) Edit { return change(file, t[file], t[file]+more) }

// TestGateChanges: weaker or unclear changes stay open, harmless ones are recorded, files that
// gates do not read are not mentioned.
func TestGateChanges(t *testing.T) {
	for _, tt := range []struct {
		name string
		tree tree
		run  []string
		edit Edit
		want ruled
	}{
		// Go.
		{"product", goTree, goGates, grown(goTree, "calc.go", "func Mul() {}\n"), quiet},
		{"a new product file", goTree, goGates, change("mul.go", "-", "package calc\n"), quiet},
		{"a new test", goTree, goGates, change("mul_test.go", "-", "package calc\n\nimport \"testing\"\n\nfunc TestMul(t *testing.T) { t.Parallel() }\n"), quiet},
		{"a test more", goTree, goGates, grown(goTree, "calc_test.go", "\nfunc TestMul(t *testing.T) {\n\tt.Run(\"x\", func(t *testing.T) {})\n}\n"), quiet},
		{"TestMain", goTree, goGates, change("main_test.go", "-", "package calc\n\nimport \"os\"\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n"), open},
		{"init in a test", goTree, goGates, change("zz_test.go", "-", "package calc\n\nfunc init() { println() }\n"), open},
		{"a variable that exits", goTree, goGates, change("zz_test.go", "-", "package calc\n\nvar _ = func() int { os.Exit(0); return 0 }()\n"), open},
		{"os.Exit in a test", goTree, goGates, grown(goTree, "calc_test.go", "\nfunc TestZ(t *testing.T) { os.Exit(0) }\n"), open},
		{"a build tag", goTree, goGates, change("calc_test.go", goTree["calc_test.go"], "//go:build never\n\n"+goTree["calc_test.go"]), open},
		{"init of product code that exits", goTree, goGates, change("quit.go", "-", "package calc\n\nfunc init() {\n\tos.Exit(0)\n}\n"), open},
		{"init of product code", goTree, goGates, change("reg.go", "-", "package calc\n\nfunc init() {\n\tregister()\n}\n"), quiet},
		{"sniffing", goTree, goGates, grown(goTree, "calc.go", "var x = testing.Testing()\n"), open},
		{"sniffing the place", goTree, goGates, grown(goTree, "calc.go", "var x = \".autobuild/worktrees\"\n"), open},
		{"a new requirement", goTree, goGates, swap(goTree, "go.mod", "v1.0.0\n", "v1.0.0\nrequire example.org/y v1.2.0\n"), recorded},
		{"a version bumped", goTree, goGates, swap(goTree, "go.mod", "v1.0.0", "v1.1.0"), recorded},
		{"a newer language", goTree, goGates, swap(goTree, "go.mod", "go 1.24", "go 1.25"), recorded},
		{"an older language", goTree, goGates, swap(goTree, "go.mod", "go 1.24", "go 1.9"), open},
		{"replace", goTree, goGates, grown(goTree, "go.mod", "replace example.org/x => ./fake\n"), open},
		{"replace in a block", goTree, goGates, grown(goTree, "go.mod", "replace (\n\texample.org/x => ./fake\n)\n"), open},
		{"toolchain", goTree, goGates, grown(goTree, "go.mod", "toolchain go1.99\n"), open},
		{"ignored directories", goTree, goGates, grown(goTree, "go.mod", "ignore ./store\n"), open},
		{"go.work", goTree, goGates, change("go.work", "-", "go 1.24\nuse ./other\n"), open},
		{"a vendor folder", goTree, goGates, change("vendor/modules.txt", "-", "# example.org/x v1.0.0\n"), open},
		{"a nested module", goTree, goGates, change("new/go.mod", "-", "module new\n"), recorded},
		{"GNUmakefile", goTree, goGates, change("GNUmakefile", "-", "test:\n\ttrue\n"), open},
		{"makefile", goTree, goGates, change("makefile", "-", "test:\n\ttrue\n"), open},
		{"an emptied target", goTree, goGates, swap(goTree, "Makefile", "\t$(GO) test $(FLAGS) ./...\n", ""), open},
		{"a target that forgives", goTree, goGates, swap(goTree, "Makefile", "\t$(GO)", "\t-$(GO)"), open},
		{"a target || true", goTree, goGates, swap(goTree, "Makefile", "./...\n\nlint", "./... || true\n\nlint"), open},
		{"a variable of a target", goTree, goGates, swap(goTree, "Makefile", "GO = go", "GO = echo"), open},
		{"a flag less", goTree, goGates, swap(goTree, "Makefile", "FLAGS = -race", "FLAGS = -run=X"), open},
		{"SHELL", goTree, goGates, grown(goTree, "Makefile", "\nSHELL = /bin/true\n"), open},
		{"MAKEFLAGS", goTree, goGates, change("Makefile", goTree["Makefile"], "MAKEFLAGS += -n\n"+goTree["Makefile"]), open},
		{".IGNORE", goTree, goGates, grown(goTree, "Makefile", "\n.IGNORE:\n"), open},
		{"an include", goTree, goGates, grown(goTree, "Makefile", "\n-include extra.mk\n"), open},
		{"a comment", goTree, goGates, change("Makefile", goTree["Makefile"], "# all\n"+goTree["Makefile"]), recorded},
		{"a target that no gate reaches", goTree, goGates, swap(goTree, "Makefile", "go build ./...", "go build -o x ./..."), recorded},
		{"a new target", goTree, goGates, grown(goTree, "Makefile", "\ndocs:\n\tgodoc\n"), recorded},
		// make takes the last recipe
		{"a target redefined", goTree, goGates, grown(goTree, "Makefile", "\ntest:\n\ttrue\n"), open},
		{"a target phony no more", goTree, goGates, swap(goTree, "Makefile", ".PHONY: test lint", ".PHONY: lint"), open},
		{"a target phony too", goTree, goGates, swap(goTree, "Makefile", ".PHONY: test lint", ".PHONY: test lint build"), recorded},
		{"a file with the name of a phony target", goTree, goGates, change("test", "-", ""), quiet},
		{"a check more", goTree, goGates, swap(goTree, "Makefile", "./...\n\nlint", "./...\n\tgo vet ./...\n\nlint"), recorded},
		{"a linter more", goTree, goGates, swap(goTree, ".golangci.yml", "    - govet\n", "    - govet\n    - revive\n"), recorded},
		{"a linter less", goTree, goGates, swap(goTree, ".golangci.yml", "    - errcheck\n", ""), open},
		{"an exclusion more", goTree, goGates, swap(goTree, ".golangci.yml", "    - G104\n", "    - G104\n    - G1\n"), open},
		{"an exclusion less", goTree, goGates, swap(goTree, ".golangci.yml", "    - G104\n", "    - X\n"), open},
		{"lint settings gone", goTree, goGates, change(".golangci.yml", goTree[".golangci.yml"], "-"), open},
		{"lint settings broken", goTree, goGates, change(".golangci.yml", goTree[".golangci.yml"], "a: [\n"), open},
		{"a program named go", goTree, goGates, change("bin/go", "-", "mode:100755 #!/bin/sh\n"), open},
		{"go.exe", goTree, goGates, change("go.exe", "-", "x"), open},
		{"a command of the product", goTree, goGates, change("cmd/go2/main.go", "-", "package main\n"), quiet},
		{"a JavaScript setting in a Go project", goTree, goGates, change("jest.config.js", "-", "module.exports = {}\n"), recorded},
		{"autobuild.yaml", goTree, goGates, change("autobuild.yaml", "-", "gates: []\n"), open},
		{".gitattributes with a filter", goTree, goGates, change(".gitattributes", "-", "*.go filter=x\n"), open},
		{".gitattributes with line ends", goTree, goGates, change(".gitattributes", "-", "*.go text eol=lf\n"), recorded},
		{".gitattributes export-ignore", goTree, goGates, change(".gitattributes", "-", "*_test.go export-ignore\n"), open},
		{"a submodule", goTree, goGates, change("dep", "-", "mode:160000 abc"), open},
		{".gitmodules", goTree, goGates, change(".gitmodules", "-", "[submodule]\n"), open},
		{"a test becomes a link", goTree, goGates, change("calc_test.go", goTree["calc_test.go"], "mode:120000 /dev/null"), open},
		{"a link out of the tree", goTree, goGates, change("data", "-", "mode:120000 ../../x"), open},
		{"a link within", goTree, goGates, change("alias.go", "-", "mode:120000 calc.go"), quiet},
		{"a link for the settings", goTree, goGates, change(".golangci.yml", goTree[".golangci.yml"], "mode:120000 x.yml"), open},
		{"the linter looks away from a file", goTree, goGates, grown(goTree, "calc.go", "//go:build ignore\n"), quiet},

		// Node.
		{"a dependency", nodeTree, nodeGates, swap(nodeTree, "package.json", `"jest":"^29.0.0"`, `"jest":"^29.0.0","zod":"^3.0.0"`), recorded},
		{"a version", nodeTree, nodeGates, swap(nodeTree, "package.json", `"version":"1.0.0"`, `"version":"1.1.0"`), recorded},
		{"a script that no gate runs", nodeTree, nodeGates, swap(nodeTree, "package.json", `"start":"node server.js"`, `"start":"node x.js","dev":"nodemon"`), recorded},
		{"test: true", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "true"), open},
		{"test: || true", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "jest --ci || true"), open},
		{"test: ; true", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "jest --ci; true"), open},
		{"test: & ", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "jest --ci &"), open},
		{"test: --passWithNoTests", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "jest --ci --passWithNoTests"), open},
		{"test: narrowed", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "jest --ci lib/new"), open},
		{"test: and more", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "jest --ci && node check.js"), recorded},
		{"test: lint before", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "eslint . && jest --ci"), recorded},
		{"test: deletion before", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "rm -rf lib && jest --ci"), open},
		{"test: exit before", nodeTree, nodeGates, swap(nodeTree, "package.json", "jest --ci", "exit && jest --ci"), open},
		{"pretest", nodeTree, nodeGates, swap(nodeTree, "package.json", `"lint":`, `"pretest":"rm lib/a.test.js","lint":`), open},
		{"postinstall", nodeTree, nodeGates, swap(nodeTree, "package.json", `"lint":`, `"postinstall":"node x","lint":`), open},
		{"test gone", nodeTree, nodeGates, swap(nodeTree, "package.json", `"test":"jest --ci",`, ""), open},
		{"a local package", nodeTree, nodeGates, swap(nodeTree, "package.json", `"^29.0.0"`, `"file:./fake"`), open},
		{"an override", nodeTree, nodeGates, swap(nodeTree, "package.json", `"name":"x",`, `"name":"x","overrides":{"jest":"npm:nothing@1"},`), open},
		{"a threshold lowered", nodeTree, nodeGates, swap(nodeTree, "package.json", `"lines":80`, `"lines":10`), open},
		{"a threshold raised", nodeTree, nodeGates, swap(nodeTree, "package.json", `"lines":80`, `"lines":90`), recorded},
		{"testMatch narrowed", nodeTree, nodeGates, swap(nodeTree, "package.json", `"**/*.test.js"`, `"**/new.test.js"`), open},
		{"testMatch widened", nodeTree, nodeGates, swap(nodeTree, "package.json", `"**/*.test.js"`, `"**/*.test.js","**/*.spec.js"`), recorded},
		{"ignored tests", nodeTree, nodeGates, swap(nodeTree, "package.json", `"jest":{`, `"jest":{"testPathIgnorePatterns":["a"],`), open},
		{"a runner's setting", nodeTree, nodeGates, swap(nodeTree, "package.json", `"name":"x",`, `"name":"x","mocha":{"spec":"x"},`), open},
		{"a manifest that is none", nodeTree, nodeGates, change("package.json", nodeTree["package.json"], "{"), open},
		{"jest.config.js beside", nodeTree, nodeGates, change("jest.config.js", "-", "module.exports = {}\n"), open},
		{".npmrc", nodeTree, nodeGates, change(".npmrc", "-", "script-shell=/bin/true\n"), open},
		{".mocharc", nodeTree, nodeGates, change(".mocharc.json", "-", "{}"), open},
		{"babel.config.js", nodeTree, nodeGates, change("babel.config.js", "-", "module.exports={}"), open},
		{"a package in node_modules", nodeTree, nodeGates, change("node_modules/jest/index.js", "-", ""), open},
		{"strict off", nodeTree, nodeGates, swap(nodeTree, "tsconfig.json", `"strict": true`, `"strict": false`), open},
		{"strict gone", nodeTree, nodeGates, swap(nodeTree, "tsconfig.json", `"strict": true, `, ``), open},
		{"stricter", nodeTree, nodeGates, swap(nodeTree, "tsconfig.json", `"strict": true`, `"strict": true, "noUnusedLocals": true`), recorded},
		{"another target", nodeTree, nodeGates, swap(nodeTree, "tsconfig.json", `es2020`, `es2022`), recorded},
		{"more sources", nodeTree, nodeGates, swap(nodeTree, "tsconfig.json", `["src"]`, `["src","lib"]`), recorded},
		{"fewer sources", nodeTree, nodeGates, swap(nodeTree, "tsconfig.json", `["src"]`, `["src/new"]`), open},
		{"excluded sources", nodeTree, nodeGates, swap(nodeTree, "tsconfig.json", `"include"`, `"exclude":["src/a.ts"],"include"`), open},
		{"a comment in tsconfig", nodeTree, nodeGates, swap(nodeTree, "tsconfig.json", `// strict`, `// very strict`), recorded},
		{"a rule off", nodeTree, nodeGates, swap(nodeTree, ".eslintrc.json", `"no-unused-vars":"error"`, `"no-unused-vars":"off"`), open},
		{"a rule more", nodeTree, nodeGates, swap(nodeTree, ".eslintrc.json", `"eqeqeq"`, `"no-var":"error","eqeqeq"`), recorded},
		{"a rule sharper", nodeTree, nodeGates, swap(nodeTree, ".eslintrc.json", `["warn","always"]`, `["error","always"]`), recorded},
		{"a rule with other options", nodeTree, nodeGates, swap(nodeTree, ".eslintrc.json", `["warn","always"]`, `["error","smart"]`), open},
		{"ignored files", nodeTree, nodeGates, grown(nodeTree, ".eslintignore", "lib\n"), open},
		{"a program of settings", nodeTree, nodeGates, swap(nodeTree, "eslint.config.mjs", "'error'", "'off'"), open},
		{"a comment in a program of settings", nodeTree, nodeGates, change("eslint.config.mjs", nodeTree["eslint.config.mjs"], "// rules\n"+nodeTree["eslint.config.mjs"]), recorded},
		{"a threshold raised in a program", nodeTree, nodeGates, swap(nodeTree, "vitest.config.ts", "lines: 80", "lines: 90"), recorded},
		{"a threshold lowered in a program", nodeTree, nodeGates, swap(nodeTree, "vitest.config.ts", "lines: 80", "lines: 8"), open},
		{"process.exit in a test", nodeTree, nodeGates, change("lib/b.test.js", "-", "process.exit(0)\n"), open},
		{"expect altered in a test", nodeTree, nodeGates, change("lib/b.test.js", "-", "global.expect = () => new Proxy({}, {})\n"), open},
		{"a plain test", nodeTree, nodeGates, change("lib/b.test.js", "-", "const b = require('./b');\ntest('b', () => { expect(b()).toBe(1); });\n"), quiet},
		{"test.only", nodeTree, nodeGates, change("lib/b.test.js", "-", "test.only('b', () => {});\n"), open},
		{"product code that patches assert", nodeTree, nodeGates, change("lib/b.js", "-", "const assert = require('assert');\nassert.equal = () => {};\n"), open},
		{"product code that looks for jest", nodeTree, nodeGates, change("lib/b.js", "-", "if (process.env.JEST_WORKER_ID) {}\n"), open},
		{"a program of the product exits", nodeTree, nodeGates, change("cli.js", "-", "process.exit(run())\n"), quiet},
		{"a link for a folder of tests", nodeTree, nodeGates, change("lib", "-", "mode:120000 other"), open},

		// Python.
		{"a dependency", pyTree, pyGates, swap(pyTree, "pyproject.toml", `"requests"`, `"requests", "rich"`), recorded},
		{"addopts", pyTree, pyGates, swap(pyTree, "pyproject.toml", "-q --strict-markers", "-q -k new"), open},
		{"markers", pyTree, pyGates, swap(pyTree, "pyproject.toml", "testpaths", "markers = [\"slow: slow ones\"]\ntestpaths"), recorded},
		{"fail_under lowered", pyTree, pyGates, swap(pyTree, "pyproject.toml", "85", "8"), open},
		{"fail_under raised", pyTree, pyGates, swap(pyTree, "pyproject.toml", "85", "95"), recorded},
		{"fail_under gone", pyTree, pyGates, swap(pyTree, "pyproject.toml", "fail_under = 85\n", ""), open},
		{"more rules", pyTree, pyGates, swap(pyTree, "pyproject.toml", `"E", "F"`, `"E", "F", "I"`), recorded},
		{"fewer rules", pyTree, pyGates, swap(pyTree, "pyproject.toml", `"E", "F"`, `"E"`), open},
		{"fewer ignored rules", pyTree, pyGates, swap(pyTree, "pyproject.toml", `"E501"`, ``), recorded},
		{"mypy less strict", pyTree, pyGates, swap(pyTree, "pyproject.toml", "strict = true", "strict = false"), open},
		{"testpaths", pyTree, pyGates, swap(pyTree, "pyproject.toml", `["tests"]`, `["other"]`), open},
		{"a plug-in", pyTree, pyGates, grown(pyTree, "pyproject.toml", "\n[project.entry-points.pytest11]\nx = \"shop.x\"\n"), open},
		{"a program named pytest", pyTree, pyGates, grown(pyTree, "pyproject.toml", "\n[project.scripts]\npytest = \"shop.x:main\"\n"), open},
		{"a program of the product", pyTree, pyGates, grown(pyTree, "pyproject.toml", "\n[project.scripts]\nshop = \"shop.x:main\"\n"), recorded},
		{"line length up", pyTree, pyGates, swap(pyTree, "setup.cfg", "88", "200"), open},
		{"line length down", pyTree, pyGates, swap(pyTree, "setup.cfg", "88", "80"), recorded},
		{"metadata", pyTree, pyGates, swap(pyTree, "setup.cfg", "name = shop", "name = shop2"), recorded},
		{"pytest.ini", pyTree, pyGates, swap(pyTree, "pytest.ini", "-q", "-q --co"), open},
		{"a coverage threshold", pyTree, pyGates, swap(pyTree, ".coveragerc", "80", "0"), open},
		{"conftest: a hook", pyTree, pyGates, grown(pyTree, "conftest.py", "\n\ndef pytest_collection_modifyitems(items):\n    items.clear()\n"), open},
		{"conftest: autouse", pyTree, pyGates, grown(pyTree, "conftest.py", "\n\n@pytest.fixture(autouse=True)\ndef x(monkeypatch):\n    pass\n"), open},
		{"conftest: a fixture", pyTree, pyGates, grown(pyTree, "conftest.py", "\n\n@pytest.fixture\ndef cart(db):\n    return [db]\n"), recorded},
		{"conftest: a fixture twice", pyTree, pyGates, grown(pyTree, "conftest.py", "\n\n@pytest.fixture\ndef db():\n    return None\n"), open},
		{"conftest: a comment", pyTree, pyGates, grown(pyTree, "conftest.py", "# end\n"), recorded},
		{"a new conftest with a hook", pyTree, pyGates, change("tests/conftest.py", "-", "def pytest_runtest_makereport(item, call):\n    pass\n"), open},
		{"a new conftest with fixtures", pyTree, pyGates, change("tests/conftest.py", "-", "import pytest\n\n\n@pytest.fixture\ndef cart():\n    return []\n"), recorded},
		{"pytest.py", pyTree, pyGates, change("pytest.py", "-", ""), open},
		{"pytest as a package", pyTree, pyGates, change("pytest/__init__.py", "-", ""), open},
		{"unittest in a folder", pyTree, pyGates, change("unittest/__main__.py", "-", ""), open},
		{"json.py among the tests", pyTree, pyGates, change("tests/json.py", "-", ""), open},
		{"sitecustomize", pyTree, pyGates, change("sitecustomize.py", "-", ""), open},
		{"a .pth file", pyTree, pyGates, change("x.pth", "-", "import x"), open},
		{"a third-party module", pyTree, pyGates, change("yaml.py", "-", ""), open},
		{"a module of the product", pyTree, pyGates, change("shop/types.py", "-", "X = 1\n"), quiet},
		{"another module of the product", pyTree, pyGates, change("billing/invoice.py", "-", "X = 1\n"), quiet},
		{"tox.ini", pyTree, pyGates, change("tox.ini", "-", "[pytest]\naddopts = --co\n"), open},
		{"a plain test", pyTree, pyGates, change("tests/test_cart.py", "-", "import pytest\nfrom shop import cart\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n):\n    assert cart.size(n) == n\n\n\nif __name__ == '__main__':\n    sys.exit(pytest.main())\n"), quiet},
		{"a test with SystemExit expected", pyTree, pyGates, change("tests/test_cli.py", "-", "import pytest\n\n\ndef test_exit():\n    with pytest.raises(SystemExit):\n        main()\n"), quiet},
		{"os._exit at the top of a test", pyTree, pyGates, change("tests/test_a.py", "-", "import os\nos._exit(0)\n"), open},
		{"sys.exit at the top of a test", pyTree, pyGates, change("tests/test_a.py", "-", "import sys\nsys.exit(0)\n"), open},
		{"a test that alters the module of tests", pyTree, pyGates, change("tests/test_a.py", "-", "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"), open},
		{"atexit", pyTree, pyGates, grown(pyTree, "tests/test_tax.py", "\nimport atexit, os\natexit.register(lambda: os._exit(0))\n"), open},
		{"product code that exits", pyTree, pyGates, grown(pyTree, "shop/tax.py", "import os\nos._exit(0)\n"), open},
		{"product code that looks for pytest", pyTree, pyGates, grown(pyTree, "shop/tax.py", "X = 'PYTEST_CURRENT_TEST'\n"), open},

		// Make and shell.
		{"exit at the top", shellTree, shellGates, swap(shellTree, "tests/run.sh", "set -e\n", "exit 0\nset -e\n"), open},
		{"set -e gone", shellTree, shellGates, swap(shellTree, "tests/run.sh", "set -e\n", ""), open},
		{"a comment", shellTree, shellGates, swap(shellTree, "tests/run.sh", "# all tests", "# every test"), recorded},
		{"another interpreter", shellTree, shellGates, swap(shellTree, "tests/run.sh", "#!/bin/sh", "#!/bin/true"), open},
		{"a check more", shellTree, shellGates, grown(shellTree, "tests/run.sh", "check \"$(python3 calc.py)\" 1\n"), recorded},
		{"a check forgiven", shellTree, shellGates, swap(shellTree, "tests/run.sh", "calc.py)\" 1", "calc.py)\" 1 || true"), open},
		{"a function redefined", shellTree, shellGates, swap(shellTree, "tests/run.sh", "check \"", "check() { :; }\ncheck \""), open},
		{"a trap", shellTree, shellGates, swap(shellTree, "tests/run.sh", "check \"", "trap 'exit 0' EXIT\ncheck \""), open},
		{"a helper gutted", shellTree, shellGates, swap(shellTree, "tests/lib.sh", "|| exit 1", "|| true"), open},
		{"a script gone", shellTree, shellGates, change("tests/run.sh", shellTree["tests/run.sh"], "-"), open},
		{"without set -e something behind hides the end", shellTree, shellGates, grown(shellTree, "scripts/verify.sh", "echo done\n"), open},
		{"without set -e something before", shellTree, shellGates, swap(shellTree, "scripts/verify.sh", "python3", "test -f calc.py\npython3"), recorded},
		{"the recipe emptied", shellTree, shellGates, swap(shellTree, "Makefile", "\tsh tests/run.sh\n", "\t@:\n"), open},
		{"the script can be run no more", shellTree, shellGates, change("scripts/verify.sh", "mode:100755 x", "mode:100644 x"), open},
		{"a file with the name of a target", shellTree, shellGates, change("test", "-", ""), open},
		{"a folder with the name of a target", shellTree, shellGates, change("test/x.txt", "-", ""), open},
		{"product", shellTree, shellGates, swap(shellTree, "calc.py", "1", "1 + 0"), quiet},

		// Rust.
		{"a crate", rustTree, rustGates, swap(rustTree, "Cargo.toml", "serde = \"1\"", "serde = \"1\"\nrand = \"0.8\""), recorded},
		{"lints", rustTree, rustGates, swap(rustTree, "Cargo.toml", "deny", "allow"), open},
		{"tests off", rustTree, rustGates, grown(rustTree, "Cargo.toml", "\n[lib]\ntest = false\n"), open},
		{"no harness", rustTree, rustGates, grown(rustTree, "Cargo.toml", "\n[[test]]\nname = \"it\"\nharness = false\n"), open},
		{"autotests", rustTree, rustGates, swap(rustTree, "Cargo.toml", "version", "autotests = false\nversion"), open},
		{"a patch", rustTree, rustGates, grown(rustTree, "Cargo.toml", "\n[patch.crates-io]\nserde = { path = \"x\" }\n"), open},
		{"cargo's settings", rustTree, rustGates, swap(rustTree, ".cargo/config.toml", "-Dwarnings", "-Awarnings"), open},
		{"a runner", rustTree, rustGates, grown(rustTree, ".cargo/config.toml", "\n[target.x86_64-unknown-linux-gnu]\nrunner = \"true\"\n"), open},
		{"rust-toolchain", rustTree, rustGates, change("rust-toolchain.toml", "-", "[toolchain]\n"), open},
		{"process::exit in a test", rustTree, rustGates, change("tests/b.rs", "-", "#[test]\nfn b() { std::process::exit(0) }\n"), open},
		{"a test dropped by cfg", rustTree, rustGates, change("tests/it.rs", rustTree["tests/it.rs"], "#![cfg(never)]\n"+rustTree["tests/it.rs"]), open},
	} {
		t.Run(strings.ReplaceAll(tt.edit.Path+": "+tt.name, "/", "∕"), func(t *testing.T) {
			m := NewMap(tt.tree, gates(tt.run...))
			got := m.GateChanges([]Edit{tt.edit})
			if rulingOf(got) != tt.want {
				t.Errorf("%s (%s): %s, want %s: %+v", tt.edit.Path, m.Class(tt.edit.Path), rulingOf(got), tt.want, got)
			}
			for _, c := range got {
				if c.What == "" || c.File != tt.edit.Path || strings.Contains(c.What, "\n") {
					t.Errorf("a change without its line: %+v", c)
				}
			}
		})
	}
}
