package referee

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee/gate"
)

// git's modes of entries that are no plain file.
const (
	modeExec   = "100755"
	modeLink   = "120000"
	modeModule = "160000"
)

// shadows says why a new file could stand before a runner, a module or a program; empty: it could
// not.
func (m *Map) shadows(file string) string {
	for _, check := range []func(string) string{m.reach.Lever, m.shadowsPython} {
		if why := check(file); why != "" {
			return why
		}
	}
	return ""
}

// stdlib reports whether a name is a module of Python's standard library, or of a runner.
func stdlib(name string) bool { return strings.Contains(pythonModules, " "+name+" ") }

// shadowsPython: a module that Python finds before one of its library, of a runner, or of a package
// that is imported.
func (m *Map) shadowsPython(file string) string {
	if !m.reach.Stacks["py"] {
		return ""
	}
	base := path.Base(file)
	switch {
	case path.Ext(base) == ".pth", base == "sitecustomize.py", base == "usercustomize.py",
		base == "pyvenv.cfg":
		return "Python reads it at its start"
	case !gate.HasSuffix(base, gate.PythonSuffix) && path.Ext(base) != ".so" &&
		path.Ext(base) != ".pyd" && path.Ext(base) != ".pyc":
		return ""
	}
	if plugin := strings.HasSuffix(gate.DirOf(file), ".dist-info") ||
		strings.HasSuffix(gate.DirOf(file), ".egg-info"); plugin {
		return "Python takes plug-ins from it"
	}
	for _, root := range m.pythonRoots() {
		rest := file
		if root != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(file, root+"/"); !ok {
				continue
			}
		}
		top, _, nested := strings.Cut(rest, "/")
		top, _, _ = strings.Cut(top, ".")
		if nested && m.packageThere(path.Join(root, top)) {
			continue
		}
		if stdlib(top) && !m.ownModule(root, top) {
			return "it hides Python's module " + top
		}
		if m.imports.external["py"][top] && !m.ownModule(root, top) {
			return "it hides the module " + top + ", which the project imports from elsewhere"
		}
	}
	return ""
}

// pythonRoots are the directories from which modules are imported: the root, src, and where tests
// and gates' scripts lie.
func (m *Map) pythonRoots() []string {
	roots := map[string]bool{"": true, "src": true, "lib": m.reach.Dirs["lib"]}
	for p := range m.paths {
		if path.Ext(p) == ".py" && m.row(p).Class != Product && !gate.InVendor(p) &&
			!m.paths[path.Join(gate.DirOf(p), "__init__.py")] {
			roots[gate.DirOf(p)] = true
		}
	}
	var out []string
	for r, ok := range roots {
		if ok {
			out = append(out, r)
		}
	}
	slices.Sort(out)
	return out
}

func (m *Map) packageThere(dir string) bool { return m.reach.Dirs[dir] }

func (m *Map) ownModule(root, top string) bool {
	return m.paths[path.Join(root, top+".py")] || m.paths[path.Join(root, top, "__init__.py")]
}

// vendoredLever says why a change below a folder of other people's code concerns the gates: it is a
// runner or a program there, or a folder that the base does not keep.
func (m *Map) vendoredLever(e Edit) string {
	parts := strings.Split(e.Path, "/")
	for i, dir := range parts[:len(parts)-1] {
		if !slices.Contains([]string{"node_modules", "vendor", "site-packages", ".venv", "venv"},
			dir) {
			continue
		}
		top := strings.Join(parts[:i+1], "/")
		if !m.reach.Dirs[top] {
			return "the folder " + top + " is new: tools find packages there first"
		}
		rest := strings.Join(parts[i+1:], "/")
		if strings.HasPrefix(rest, ".bin/") || strings.HasPrefix(rest, "bin/") {
			return "a program in " + top
		}
		if rest == "modules.txt" || rest == ".package-lock.json" {
			return ""
		}
		for _, f := range append([]string{
			"jest", "vitest", "mocha", "typescript", "eslint", "prettier", "phpunit", "rspec",
			"pluggy", "coverage",
			"jasmine", "ava", "tap", "karma", "c8", "nyc", "github.com/onsi/ginkgo", "lib/python",
		}, testFrameworks...) {
			if rest == f || strings.HasPrefix(rest, f+"/") || strings.HasPrefix(rest, f+".") ||
				strings.HasPrefix(rest, f+"-") {
				return "other people's code that tests run with"
			}
		}
	}
	return ""
}

var (
	// goHook matches functions that run before or instead of Go's tests.
	goHook = lazyregexp.New(`(?m)^func\s+(TestMain|init)\s*\(`)
	// goStart is a package variable whose value a function computes that may end the process.
	goStart = lazyregexp.New(`(?m)^(?:var\s+\w+.*=|\t_\s*=).*\bfunc\s*\(`)
	goExit  = lazyregexp.New(
		`\b(?:os\.Exit|syscall\.Exit|runtime\.Goexit|log\.Fatal\w*|unix\.Exit|syscall\.Kill|panic)\s*\(`)
	goTags  = lazyregexp.New(`(?m)^//(?:go:build|\s*\+build)\s+(.*)$`)
	goFlags = lazyregexp.New(`\bflag\.(?:Set|CommandLine)|os\.Args\s*=|os\.Setenv\(\s*"GO`)

	jsExit = lazyregexp.New(
		`\bprocess\.(?:exit|abort|reallyExit|kill|exitCode\s*=|on\s*\(\s*['"](?:exit|beforeExit|uncaught))|` +
			`\bDeno\.exit\b|\bBun\.exit\b`)
	jsHook = lazyregexp.New(
		`\b(?:global|globalThis|window)\s*(?:\.\s*(?:it|test|describe|expect|assert|process|console)\b|\[)[^=\n]*=[^=]|` +
			`(?m:^\s*(?:it|test|describe|expect|assert)(?:\.\w+)*\s*=[^=])|` +
			`\bObject\.(?:assign|defineProperty)\s*\(\s*(?:global|globalThis|expect|assert|test|it|describe)\b|` +
			`\bexpect\.(?:extend|addSnapshotSerializer)\b|\bchai\.(?:use|Assertion)|\bjest\.(?:setTimeout|retryTimes)|` +
			`(?:[aA]ssert|[eE]xpect\w*|Assertion|Module|require)\.(?:prototype\.)?[\w$]+\s*=[^=]|` +
			`\b(?:it|test|describe)\.only\b|Module\._(?:load|resolve)|require\.cache`)

	pyExit = lazyregexp.New(
		`\b(?:sys\.exit|os\._exit|os\.abort|os\.kill|quit|exit|SystemExit|pytest\.exit|os\.exec\w*|atexit\.register|` +
			`faulthandler|signal\.(?:alarm|raise_signal|pthread_kill))\b\s*[(.]?|raise\s+(?:SystemExit|KeyboardInterrupt|unittest\.SkipTest|SkipTest)|` +
			`pytest\.skip\(.*allow_module_level|pytest\.importorskip`)
	pyHook = lazyregexp.New(
		`(?m)^\s*(?:def\s+(?:pytest_\w+|load_tests|setUpModule|tearDownModule|setup_module)\b|pytest_plugins\b|` +
			`pytestmark\s*=|collect_ignore\w*\s*=|__test__\s*=\s*False|unittest\.\w+(?:\.\w+)*\s*=[^=]|sys\.(?:modules|meta_path|path_hooks)\b|` +
			`(?:\w+\.)*assert\w+\s*=[^=]|builtins\.\w+\s*=|import\s+builtins\b)|@pytest\.(?:fixture|hookimpl)[^\n]*autouse\s*=\s*True|` +
			`\bpytest_\w+\s*=`)

	shellExit = lazyregexp.New(
		`(?m)(?:^|[;&|{]|\bthen|\bdo|\belse)\s*(?:exit|exec|kill|trap|return|set\s+\+e|alias|source|eval)\b`)
)

// hook is a construct of a test file, at its top level or in its tests, that could end or alter the
// run.
type hook struct {
	pattern *lazyregexp.Regexp
	what    string
}

// hooks are those of a language, by the suffixes of its files.
var hooks = []struct {
	suffixes []string
	hooks    []hook
}{
	{gate.GoSuffix, []hook{
		{goHook, "it runs before the tests"},
		{goFlags, "it sets the runner's flags"},
		{goTags, "a build tag decides whether the tests are built"},
		{goStart, "a package variable runs a function before the tests"},
		{lazyregexp.New(`\b(?:os\.Exit|syscall\.Exit|syscall\.Kill)\s*\(`), "it could end the run"},
	}},
	{gate.JSSuffix, []hook{
		{jsExit, "it could end the run"},
		{jsHook, "it alters what all tests use"},
	}},
	{gate.PythonSuffix, []hook{
		{pyHook, "it alters the run of all tests"},
		{lazyregexp.New(`\bos\._exit|\bos\.kill\b|\batexit\.`), "it could end the run"},
	}},
	{
		[]string{".rs"},
		[]hook{{
			lazyregexp.New(`\bprocess::(?:exit|abort)\b|#!\[cfg|#\[ctor`),
			"it could end or drop the tests",
		}},
	},
	{[]string{".bats"}, []hook{{
		lazyregexp.New(`(?m)^(?:setup_file|teardown_file|setup_suite|exit|exec|kill|trap|skip)\b`),
		"it could end the run",
	}}},
	{
		[]string{".sh", ".bash", ".zsh", ".ksh", ".t"},
		[]hook{{shellExit, "it could end the script"}},
	},
	{[]string{".rb"}, []hook{{
		lazyregexp.New(`\bexit!?\b|at_exit|\babort\b|Minitest\.\w+\s*=|RSpec\.configure`),
		"it could end or alter the run",
	}}},
	{
		[]string{".php"},
		[]hook{{
			lazyregexp.New(`\b(?:exit|die)\s*[(;]|register_shutdown_function`),
			"it could end the run",
		}},
	},
	{[]string{".java", ".kt", ".cs", ".scala"}, []hook{{
		lazyregexp.New(
			`System\.exit|Runtime\.getRuntime\(\)\.(?:halt|exit)|exitProcess|Environment\.Exit`),
		"it could end the run",
	}}},
}

// testLever says why a test file is more than tests: its top level could end or alter the run. Only
// what the work adds counts. A new script with a process of its own ends as it has to.
func (m *Map) testLever(e Edit) string {
	if e.OldMode == "" && m.reach.OwnProcess(e.Path) {
		return ""
	}
	if gate.HasSuffix(e.Path, gate.PythonSuffix) {
		if why := pyTop(e); why != "" {
			return why
		}
	}
	for _, language := range hooks {
		if !gate.HasSuffix(e.Path, language.suffixes) {
			continue
		}
		for _, h := range language.hooks {
			if f := added(h.pattern, e.Old, e.New); f != "" {
				return h.what + ": " + gate.Clip(f)
			}
		}
	}
	return ""
}

// added is the first match of a pattern that a text has more often than the one before it.
func added(re *lazyregexp.Regexp, before, after string) string {
	had := map[string]int{}
	for _, f := range re.FindAllString(before, -1) {
		had[gate.OneSpace(f)]++
	}
	for _, f := range re.FindAllString(after, -1) {
		f = gate.OneSpace(f)
		if had[f] == 0 {
			return f
		}
		had[f]--
	}
	return ""
}

// pyTop looks for an end of the process at the top level of a Python file, the usual guard of a
// main program excepted.
func pyTop(e Edit) string {
	had := map[string]bool{}
	for line := range strings.Lines(e.Old) {
		had[strings.TrimSpace(line)] = true
	}
	inMain, inDef := false, false
	for line := range strings.Lines(e.New) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' && trimmed[0] != ')' {
			inMain = strings.HasPrefix(trimmed, "if __name__")
			inDef = strings.HasPrefix(trimmed, "def ") ||
				strings.HasPrefix(trimmed, "async def ") || strings.HasPrefix(trimmed, "class ")
		}
		if !inMain && !inDef && !had[trimmed] && pyExit.MatchString(trimmed) &&
			!strings.HasPrefix(trimmed, "import") && !strings.HasPrefix(trimmed, "from") {
			return "it could end the run: " + gate.Clip(trimmed)
		}
	}
	return ""
}

// sniffing is how a program finds out that tests, or gates, are looking.
var sniffing = lazyregexp.New(
	`PYTEST_CURRENT_TEST|JEST_WORKER_ID|VITEST_(?:WORKER|POOL|MODE)\w*|NODE_TEST_CONTEXT|` +
		`\btesting\.Testing\(\)|flag\.Lookup\(\s*"test\.|strings\.(?:HasSuffix|Contains)\(os\.Args\[0\],\s*"[./]*test|` +
		`AUTOBUILD_\w+|\.autobuild\b|['"]pytest['"]\s+(?:not\s+)?in\s+sys\.modules|['"]unittest['"]\s+(?:not\s+)?in\s+sys\.modules|` +
		`BATS_\w+|GITHUB_ACTIONS\b|CARGO_(?:TARGET_TMPDIR|BIN_EXE_\w+)|__(?:karma|jest|mocha)__|typeof\s+(?:jest|describe|vitest)\b`)

// patching is how product code alters what tests assert with.
var patching = lazyregexp.New(
	`(?:\b(?:unittest\.)?TestCase\.\w+|\bpytest\.\w+|\bassert(?:\.strict)?\.\w+|\bnode:assert\b[^\n]*|` +
		`\b(?:globalThis|global)\.(?:expect|assert|it|test|describe)|\bexpect\.\w+|\bAssertion\.prototype\.\w+)\s*=[^=]|` +
		`\bbuiltins\.\w+\s*=[^=]|os\._exit\(|process\.reallyExit|sys\.modules\[['"](?:unittest|pytest|_pytest)`)

// productHas reports whether the base's product code holds a text: then that text belongs to the
// product's own subject.
func (m *Map) productHas(text string) bool {
	return m.inProduct(func(content string) bool { return strings.Contains(content, text) })
}

// inProduct reports whether a file of the base's product code is such.
func (m *Map) inProduct(such func(text string) bool) bool {
	return slices.ContainsFunc(m.base.Paths(), func(p string) bool {
		if !gate.IsSource(p) && !gate.IsShell(p) || m.Class(p) != Product {
			return false
		}
		text, ok := m.base.Read(p)
		return ok && such(text)
	})
}

// productLever gives the reason why a change of product code concerns the judge itself. It does not
// report a pattern that the base's product code has already.
func (m *Map) productLever(e Edit) string {
	if !gate.IsSource(e.Path) && !gate.IsShell(e.Path) && e.NewMode != modeExec {
		return ""
	}
	for _, r := range []struct {
		re   *lazyregexp.Regexp
		what string
	}{
		{sniffing, "product code asks whether tests are looking"},
		{patching, "product code alters what tests use"},
	} {
		if f := added(r.re, e.Old, e.New); f != "" && !m.productHas(f) {
			return r.what + ": " + gate.Clip(f)
		}
	}
	if path.Ext(e.Path) == ".go" && goInitExits(e.New) && !goInitExits(e.Old) {
		return "its init ends the process"
	}
	return ""
}

var goInit = lazyregexp.New(`(?s)(?:^|\n)func init\(\)\s*\{(.*?)\n\}`)

func goInitExits(text string) bool {
	for _, body := range goInit.FindAllStringSubmatch(text, -1) {
		if goExit.MatchString(body[1]) && !strings.Contains(body[1], "panic(") {
			return true
		}
	}
	return false
}
