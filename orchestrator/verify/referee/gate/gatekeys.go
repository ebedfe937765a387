package gate

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// installHooks are the scripts that a package manager runs when it installs.
var installHooks = []string{
	"preinstall", "install", "postinstall", "prepare", "prepublish",
	"preprepare", "postprepare", "dependencies",
}

// RunnerKeys are the keys of manifests whose values may name files that steer tests.
var RunnerKeys = []string{
	"jest", "mocha", "vitest", "ava", "nyc", "c8", "tap", "babel",
	"eslintConfig", "stylelint", "prettier",
}

// gateWord is a script or target by a name that means a gate.
var gateWord = lazyregexp.New(
	`^(?:pre|post)?(?:tests?|lint|format|fmt|type-?check|types|check|verify|ci|coverage)(?:[:_-].*)?$`)

// tableKeys are the keys of shared manifests that steer gates, by the manifest's name.
var tableKeys = map[string]*lazyregexp.Regexp{
	"pyproject.toml": lazyregexp.New(
		`^(?:tool\.(?:pytest|coverage|ruff|mypy|flake8|pylint|black|isort|pyright|basedpyright|tox|nox|poe|` +
			`taskipy|bandit|pycodestyle|pydocstyle|yapf|doit|pdm\.scripts|hatch\.envs|uv\.(?:sources|workspace|index)|poetry\.(?:plugins|source)|` +
			`setuptools\.py-modules|djlint|interrogate|vulture|deptry|codespell|mutmut|behave)\b|project\.entry-points\.(?:"?pytest11|"?console)|build-system\.backend-path)`),
	"setup.cfg": lazyregexp.New(
		`^(?:tool:pytest|pytest|flake8|mypy|coverage:|pycodestyle|pydocstyle|pylint|isort|tox|testenv|aliases|bdist|yapf|` +
			`options\.entry_points\.pytest11|nosetests)`),
	"Cargo.toml": lazyregexp.New(
		`^(?:lib\.(?:test|doctest|harness|path|doc)|test\b|bench\b|bin$|example$|profile\.|lints\b|patch\b|replace\b|` +
			`workspace\.(?:members|exclude|default-members|lints)|package\.(?:autotests|autobenches|build|metadata\.(?:clippy|nextest|tarpaulin))|cargo-features)`),
	"composer.json": lazyregexp.New(
		`^(?:autoload-dev|repositories|config\.(?:bin-dir|vendor-dir|allow-plugins)|minimum-stability)`),
}

// localTarget is a dependency that is taken from a place other than the registry.
var localTarget = lazyregexp.New(
	`^(?:file:|link:|portal:|git[+:@]|github:|https?:|npm:|\.{0,2}/|patch:)`)

// Mixed reports whether only some keys of a manifest steer gates.
func Mixed(file string) bool {
	return path.Base(file) == "package.json" || tableKeys[path.Base(file)] != nil
}

// PlainModule reports whether a go.mod has nothing but its name, its version and requirements.
func PlainModule(text string) bool {
	keys := goModKeys(text)
	delete(keys, "go")
	return len(keys) == 0
}

// NoGateKeys reports whether a manifest can be read and has no key that gates read.
func (r *Reach) NoGateKeys(file, text string) bool {
	keys, err := r.gateKeys(file, text)
	return err == nil && len(keys) == 0
}

// gateKeys are the values of a mixed file that gates read. Whole settings files are read whole.
func (r *Reach) gateKeys(file, text string) (settings, error) {
	base := path.Base(file)
	if base == "package.json" {
		return r.packageKeys(file, text)
	}
	if base == "go.mod" || base == "go.work" {
		return goModKeys(text), nil
	}
	all, err := readSettings(file, text)
	keys := tableKeys[base]
	if err != nil || keys == nil {
		return all, err
	}
	out := settings{}
	for key, v := range all {
		if keys.MatchString(key) || base == "Cargo.toml" && localCrate(key, v) {
			out[key] = v
		}
	}
	if base == "pyproject.toml" {
		r.programKeys(all, "project.scripts.", out)
	}
	if base == "composer.json" {
		for key, v := range all {
			if name, ok := strings.CutPrefix(key, "scripts."); ok && r.scriptCounts(file, name) {
				out[key] = v
			}
		}
	}
	return out, nil
}

// programKeys takes the entries that would install a program with the name of one that gates call.
func (r *Reach) programKeys(all settings, prefix string, out settings) {
	for key, v := range all {
		if name, ok := strings.CutPrefix(key, prefix); ok &&
			(r.Tools[name] || stackOf(name) != "") {
			out[key] = v
		}
	}
}

// localCrate is a dependency for tests that comes from the tree.
func localCrate(key string, _ any) bool {
	return strings.HasPrefix(key, "dev-dependencies.") &&
		(strings.HasSuffix(key, ".path") || strings.HasSuffix(key, ".git"))
}

// scriptCounts reports whether a script of a manifest runs in a gate, or when packages are
// installed.
func (r *Reach) scriptCounts(file, name string) bool {
	if slices.Contains(installHooks, name) || r.scripts[file][name] {
		return true
	}
	return len(r.scripts[file]) == 0 && (len(r.gates) == 0 || r.opaque || !r.Paths[file]) &&
		gateWord.MatchString(name)
}

func (r *Reach) packageKeys(file, text string) (settings, error) {
	if strings.TrimSpace(text) == "" {
		return settings{}, nil
	}
	var doc map[string]any
	if json.Unmarshal([]byte(text), &doc) != nil {
		return nil, errForm
	}
	out := settings{}
	scripts, _ := doc["scripts"].(map[string]any)
	for name, v := range scripts {
		if r.scriptCounts(file, name) {
			out["scripts."+name] = v
		}
	}
	for _, key := range RunnerKeys {
		if v, ok := doc[key]; ok {
			out.flatten(key, v)
		}
	}
	for _, key := range []string{"packageManager", "volta", "config", "workspaces", "imports"} {
		if v, ok := doc[key]; ok {
			out.flatten(key, v)
		}
	}
	for _, key := range dependencyKeys[:len(dependencyKeys)-1] {
		all := settings{}
		all.flatten(key, doc[key])
		for k, v := range all {
			s, ok := v.(string)
			_, name, _ := strings.Cut(k, ".")
			if ok && (localTarget.MatchString(s) || r.Tools[name]) {
				out[k] = v
			}
		}
	}
	if bin, ok := doc["bin"].(map[string]any); ok {
		for name, v := range bin {
			if r.Tools[name] || stackOf(name) != "" {
				out["bin."+name] = v
			}
		}
	}
	return out, nil
}

// goModKeys are the directives of a go.mod or go.work, without requirements.
func goModKeys(text string) settings {
	out := settings{}
	block := ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		default:
			if block != "" {
				words = append([]string{block}, words...)
			}
			switch words[0] {
			case "replace":
				old, target, _ := strings.Cut(strings.Join(words[1:], " "), "=>")
				out["replace "+strings.TrimSpace(old)] = strings.TrimSpace(target)
			case "exclude", "tool", "ignore", "godebug", "retract", "use":
				out[words[0]+" "+strings.Join(words[1:], " ")] = true
			case "toolchain", "go":
				out[words[0]] = strings.Join(words[1:], " ")
			}
		}
	}
	return out
}

// keyHarmless decides what stronger cannot: scripts and versions.
func (r *Reach) keyHarmless(file string, c KeyChange) bool {
	oldText, oldOK := c.Old.(string)
	newText, newOK := c.New.(string)
	base := path.Base(file)
	switch {
	case strings.HasPrefix(c.Key, "scripts.") && oldOK && newOK:
		return r.commandStronger(oldText, newText)
	case (base == "go.mod" || base == "go.work") && c.Key == "go":
		return oldOK && newOK && !versionLess(newText, oldText)
	case base == "go.mod" && strings.HasPrefix(c.Key, "retract "):
		return true
	case base == "package.json" && (c.Key == "workspaces" || c.Key == "workspaces.packages"):
		return c.Old == nil || contains(list(c.New), list(c.Old))
	case r.dependency(base, c.Key):
		return c.Old == nil || VersionKey(file, c.Key, oldText, newText)
	case strings.HasPrefix(c.Key, "config."):
		return c.Old == nil && !strings.Contains(c.Key, "script") &&
			!strings.Contains(c.Key, "shell")
	}
	return false
}

// dependency reports whether a key is a dependency that no gate runs as a program.
func (r *Reach) dependency(manifest, key string) bool {
	kind, name, ok := strings.Cut(key, ".")
	return ok && manifest == "package.json" && slices.Contains(dependencyKeys, kind) &&
		kind != "bin" && !r.Tools[name] && stackOf(name) == ""
}

// VersionKey reports whether a changed key is a version: of a tool, of a language, or of a
// dependency with the same kind of source.
func VersionKey(file, key, was, now string) bool {
	kind, _, _ := strings.Cut(key, ".")
	switch path.Base(file) {
	case "go.mod", "go.work":
		return key == "go" || key == "toolchain"
	case "package.json":
		if kind == "packageManager" || kind == "volta" || kind == "engines" {
			return true
		}
		return slices.Contains(dependencyKeys, kind) && kind != "bin" &&
			localTarget.MatchString(was) == localTarget.MatchString(now)
	}
	return false
}

func versionLess(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		p, q := "0", "0"
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		if len(p) != len(q) {
			return len(p) < len(q)
		}
		if p != q {
			return p < q
		}
	}
	return false
}
