package verify

import (
	"strings"

	"autobuild/state"
)

// pythonManifests are where a Python project says what it uses.
var pythonManifests = []string{
	"pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt",
	"dev-requirements.txt",
	"requirements_dev.txt", "requirements-test.txt", "Pipfile", "setup.py",
}

// pythonTools are the gates that a configuration gives away: a file of the tool's own, or a section
// of a shared one. The first of a kind wins.
var pythonTools = []struct {
	kind, command, fix string
	own                []string // the tool's files
	shared, section    string   // … or a section of a shared file
}{
	{
		state.KindLint, "ruff check .", "ruff check --fix .",
		[]string{"ruff.toml", ".ruff.toml"},
		"pyproject.toml", "[tool.ruff",
	},
	{state.KindLint, "flake8", "", []string{".flake8"}, "setup.cfg", "[flake8]"},
	{state.KindLint, "flake8", "", nil, "tox.ini", "[flake8]"},
	{state.KindFormat, "black --check .", "black .", nil, "pyproject.toml", "[tool.black]"},
	{
		state.KindFormat, "ruff format --check .", "ruff format .", nil, "pyproject.toml",
		"[tool.ruff.format]",
	},
	{
		state.KindTypecheck, "mypy .", "",
		[]string{"mypy.ini", ".mypy.ini"},
		"pyproject.toml",
		"[tool.mypy]",
	},
	{state.KindTypecheck, "mypy .", "", nil, "setup.cfg", "[mypy]"},
	{
		state.KindTypecheck, "pyright", "",
		[]string{"pyrightconfig.json"},
		"pyproject.toml",
		"[tool.pyright]",
	},
}

func detectPython(f folder) (string, []state.GateSpec) {
	if f.has(append([]string{"pytest.ini", "mypy.ini"}, pythonManifests...)...) == "" {
		return "", nil
	}
	name, run := "python", ""
	for _, m := range [][3]string{
		{"uv.lock", "uv", "uv run "},
		{"poetry.lock", "poetry", "poetry run "},
		{"Pipfile.lock", "pipenv", "pipenv run "},
	} {
		if run == "" && f.has(m[0]) != "" {
			name, run = "python ("+m[1]+")", m[2]
		}
	}
	var s Stack
	add := func(kind, command, fix, source string) {
		if source == "" || s.has(kind) {
			return
		}
		if fix != "" {
			fix = run + fix
		}
		tool, _, _ := strings.Cut(run+command, " ")
		s.Gates = kinds(append(s.Gates, gate(kind, run+command, fix, tool, source)))
	}
	for _, t := range pythonTools {
		add(t.kind, t.command, t.fix, f.has(t.own...))
		add(t.kind, t.command, t.fix, f.says([]string{t.shared}, t.section))
	}
	if source := f.has("pytest.ini", "conftest.py", "tests/conftest.py"); source != "" {
		add(state.KindTest, "pytest", "", source)
	}
	add(state.KindTest, "pytest", "", f.says(pythonManifests, "pytest"))
	if _, tests := detectPythonTests(f); len(tests) > 0 {
		add(state.KindTest, tests[0].Command, "", tests[0].Source)
	}
	return name, s.Gates
}

// detectPythonTests finds tests in a project without a Python manifest.
func detectPythonTests(f folder) (string, []state.GateSpec) {
	test := f.glob("test_*.py", "tests/test_*.py", "test/test_*.py", "tests/*_test.py")
	if test == "" {
		return "", nil
	}
	command := unittestIn(f, test)
	if f.says([]string{test}, "import pytest", "from pytest", "\ndef test_") != "" {
		command = "pytest"
	}
	tool, _, _ := strings.Cut(command, " ")
	return "python", []state.GateSpec{gate(state.KindTest, command, "", tool, test)}
}

// unittestIn is the command that finds a test file and those beside it.
func unittestIn(f folder, test string) string {
	command := "python3 -m unittest discover"
	top, _, nested := strings.Cut(test, "/")
	switch {
	case !nested:
		return command
	case f.has(top+"/__init__.py") == "": // no package, and so it cannot be imported from above
		return command + " -s " + top
	}
	return command + " -s " + top + " -t ."
}
