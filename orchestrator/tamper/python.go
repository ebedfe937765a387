package tamper

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// pythonDir is the name of a directory with the modules of one version.
var pythonDir = lazyregexp.New(`^python3\.\d+t?$`)

// takePython watches the directories from which Pythons import: files that run at every start,
// names that would come before others, and the modules that are there.
func (w *Watch) takePython(env map[string]string) {
	home := env["HOME"]
	versions := map[string]bool{}
	// also for a Python that is not installed: its directory need not exist yet
	for minor := range 24 {
		versions[fmt.Sprintf("python3.%d", minor)] = true
	}
	prefixes, active := w.pythons(env)
	for _, prefix := range prefixes {
		for _, lib := range glob(prefix, "lib/python3*") {
			if !pythonDir.MatchString(filepath.Base(lib)) && filepath.Base(lib) != "python3" {
				continue
			}
			versions[filepath.Base(lib)] = true
			w.site(lib, active[prefix])
			w.site(filepath.Join(lib, "site-packages"), active[prefix])
			w.site(filepath.Join(lib, "dist-packages"), active[prefix])
			w.site(filepath.Join(prefix, "local", "lib", filepath.Base(lib), "dist-packages"),
				active[prefix])
		}
	}
	base := env["PYTHONUSERBASE"]
	if base == "" && filepath.IsAbs(home) {
		base = filepath.Join(home, ".local")
	}
	for version := range versions {
		if !pythonDir.MatchString(version) || base == "" {
			continue
		}
		w.site(filepath.Join(base, "lib", version, "site-packages"), true)
		w.site(filepath.Join(home, "Library", "Python", strings.TrimPrefix(version, "python"),
			"lib", "python", "site-packages"), true)
	}
	for _, dir := range filepath.SplitList(env["PYTHONPATH"]) {
		w.site(dir, true)
	}
}

// pythons are the prefixes of the Pythons that are installed, and those of them that gates start
// when they name no version.
func (w *Watch) pythons(env map[string]string) (prefixes []string, active map[string]bool) {
	active = map[string]bool{}
	add := func(prefix string, starts bool) {
		if filepath.IsAbs(prefix) && !slices.Contains(prefixes, prefix) {
			prefixes = append(prefixes, prefix)
		}
		active[prefix] = active[prefix] || starts
	}
	for name := range w.programs {
		if rest, ok := strings.CutPrefix(name, "python"); ok &&
			strings.Trim(rest, "0123456789.") == "" {
			add(filepath.Dir(filepath.Dir(w.find(name))), true)
			// of a virtual environment, whose program is a link
			add(filepath.Dir(w.listings[w.programs[name]].Dir), true)
		}
	}
	add(env["VIRTUAL_ENV"], true)
	if !w.config.Shared {
		add(filepath.Join(w.config.Root, ".venv"), true)
		add(filepath.Join(w.config.Root, "venv"), true)
	}
	for _, l := range w.listings {
		if root := filepath.Dir(l.Dir); filepath.Base(l.Dir) == "shims" { // of a version manager
			chosen := w.pyenvVersions(env, root)
			for _, prefix := range append(glob(root, "versions/*"),
				glob(root, "installs/python/*")...) {
				add(prefix, slices.Contains(chosen, filepath.Base(prefix)))
			}
		}
	}
	slices.Sort(prefixes)
	return prefixes, active
}

// pyenvVersions are those that pyenv starts.
func (w *Watch) pyenvVersions(env map[string]string, root string) []string {
	if v := env["PYENV_VERSION"]; v != "" {
		return strings.Split(v, ":")
	}
	for _, path := range []string{
		filepath.Join(w.config.Root, ".python-version"),
		filepath.Join(root, "version"),
	} {
		if data, err := w.config.Load(path, maxCopy); err == nil {
			return strings.Fields(string(data))
		}
	}
	return nil
}

// site watches one directory from which Python imports.
func (w *Watch) site(dir string, active bool) {
	if !filepath.IsAbs(dir) || w.own(dir) ||
		slices.ContainsFunc(w.listings,
			func(l listing) bool { return l.Dir == filepath.Clean(dir) && l.Kind == modulesIn }) {
		return
	}
	l := w.listings[w.list(dir, modulesIn)]
	for name := range l.Names {
		if steersPython(name) {
			w.spot(filepath.Join(l.Dir, name), "Python's")
		}
		if active && strings.HasSuffix(name, "-info") {
			w.spot(filepath.Join(l.Dir, name, entryPoints), "Python's")
		}
		if module := moduleName(name); module != "" {
			w.modules[module] = true
		}
	}
	if active && !l.Stamp.absent() {
		names := l.Names
		if strings.HasSuffix(l.Dir, "-packages") {
			names = judges(names)
		}
		w.tree(tree{
			Root: l.Dir, What: "Python's library", Tools: pythonTools, Names: names,
			Skip: []string{filepath.Join(l.Dir, "test")},
		})
	}
}

// judging begin the names of installed packages that judge work: runners of tests, linters, type
// checkers, and programs that start them.
var judging = []string{
	"pytest", "_pytest", "pluggy", "iniconfig", "exceptiongroup", "xdist", "execnet", "py",
	"coverage", "hypothesis", "_hypothesis", "nose", "tox", "nox",
	"mypy", "mypyc", "ruff", "flake8", "pyflakes", "pycodestyle", "mccabe", "black", "blib2to3",
	"blackd", "isort", "pylint", "astroid", "pyright", "behave", "robot",
	"setuptools", "_distutils_hack", "pkg_resources", "pip", "unittest", "testtools", "twisted",
	"zope", "doctest", "bandit", "typeguard", "beartype",
}

// judges are those of the names of installed packages that judge. The others are many, and their
// behaviour is part of the judged work.
func judges(names map[string]bool) map[string]bool {
	out := map[string]bool{}
	for name := range names {
		module, _, _ := strings.Cut(name, ".")
		out[name] = slices.Contains(judging, module) || strings.HasPrefix(module, "pytest_") ||
			strings.HasPrefix(module, "flake8_")
	}
	return out
}

// steersPython reports whether every Python that finds a file of this name runs it.
func steersPython(name string) bool {
	module := moduleName(name)
	return strings.HasSuffix(name, ".pth") || module == "sitecustomize" || module == "usercustomize"
}

// entryPoints is the file of an installed package that registers it with other programs.
const entryPoints = "entry_points.txt"

// plugsIn reports whether a *.dist-info or *.egg-info directory registers a pytest plug-in, which
// pytest loads at every start.
func (w *Watch) plugsIn(info string) bool {
	if !strings.HasSuffix(info, "-info") {
		return false
	}
	data, err := w.config.Load(filepath.Join(info, entryPoints), maxCopy)
	return err == nil && bytes.Contains(data, []byte("[pytest11]"))
}

// moduleName is the name under which Python imports an entry of a directory; empty where it is no
// module.
func moduleName(name string) string {
	if strings.HasPrefix(name, ".") || name == "__pycache__" || strings.HasSuffix(name, "-info") ||
		strings.HasSuffix(name, "-packages") {
		return ""
	}
	module, ending, _ := strings.Cut(name, ".")
	switch {
	case ending == "", ending == "py", ending == "pyc", ending == "so",
		strings.HasPrefix(ending, "cpython-"), strings.HasPrefix(ending, "abi3"), ending == "pyd":
		return module
	}
	return ""
}
