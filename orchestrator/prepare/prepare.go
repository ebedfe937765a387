// Package prepare installs the dependencies of a clone: by the command of each lockfile, by a copy
// of an earlier install, or by a Python virtual environment over the user's. Installed files,
// links and environment variables never refer to the user's checkout. Callers run the commands.
package prepare

import (
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
)

// maxManifest is how much of a manifest or lockfile is read, in bytes.
const maxManifest = 16 << 20

// Step is an install command in one folder of a clone.
type Step struct {
	Dir     string // slash path below the root; empty: the root
	Lock    string // the file that asks for it, relative to Dir
	Tool    string // the program that has to be installed
	Command string // for the shell, in Dir
	Folder  string // the dependency folder that it fills, relative to Dir
}

// In is the command with a change to its folder.
func (s Step) In() string {
	if s.Dir == "" {
		return s.Command
	}
	return "cd " + Quoted(s.Dir) + " && " + s.Command
}

// Quoted quotes a path for a POSIX shell where that is needed.
func Quoted(dir string) string {
	if strings.ContainsAny(dir, " $`\"'\\&|;<>()*?!#~") {
		return "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return dir
}

// lock is a kind of lockfile with its install command.
type lock struct {
	files         []string
	tool, command string
	folder        string
}

// locks are in order of precedence within an ecosystem. Tools that download into a shared cache when
// they build, such as go and cargo, have no row.
var locks = []struct {
	manifest string // of the ecosystem: one lockfile of each counts in a folder
	rows     []lock
}{
	{"package.json", []lock{
		{
			[]string{"pnpm-lock.yaml"},
			"pnpm",
			"pnpm install --frozen-lockfile --prefer-offline", "node_modules",
		},
		{
			[]string{"yarn.lock"},
			"yarn",
			"yarn install --frozen-lockfile --prefer-offline --non-interactive", "node_modules",
		},
		{[]string{"bun.lock", "bun.lockb"}, "bun", "bun install --frozen-lockfile", "node_modules"},
		{
			[]string{"package-lock.json", "npm-shrinkwrap.json"},
			"npm",
			"npm ci --prefer-offline --no-audit --no-fund", "node_modules",
		},
		{
			[]string{"package.json"},
			"npm",
			"npm install --no-package-lock --prefer-offline --no-audit --no-fund", "node_modules",
		},
	}},
	{"pyproject.toml", []lock{
		{[]string{"uv.lock"}, "uv", "uv sync --frozen", ".venv"},
		{
			[]string{"poetry.lock"},
			"poetry",
			"POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction", ".venv",
		},
		{[]string{"pdm.lock"}, "pdm", "pdm sync", ".venv"},
		{[]string{"Pipfile.lock"}, "pipenv", "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev", ".venv"},
	}},
	{"composer.json", []lock{
		{[]string{"composer.lock"}, "composer", "composer install --no-interaction", "vendor"},
	}},
	{"Gemfile", []lock{
		{[]string{"Gemfile.lock"}, "bundle", "bundle install", "vendor/bundle"},
	}},
	{"mix.exs", []lock{{[]string{"mix.lock"}, "mix", "mix deps.get", "deps"}}},
}

// Steps returns the install commands of a clone: for its root and for folders, slash paths below
// dir.
func Steps(dir string, folders []string) []Step {
	var steps []Step
	for _, folder := range slices.Compact(slices.Sorted(slices.Values(append(folders, "")))) {
		at := filepath.Join(dir, filepath.FromSlash(folder))
		for _, ecosystem := range locks {
			if s, ok := stepIn(at, ecosystem.rows); ok {
				s.Dir = folder
				steps = append(steps, s)
			}
		}
	}
	return steps
}

func stepIn(at string, rows []lock) (Step, bool) {
	for _, row := range rows {
		for _, file := range row.files {
			if !safefile.IsFile(filepath.Join(at, file)) {
				continue
			}
			step := Step{Lock: file, Tool: row.tool, Command: row.command, Folder: row.folder}
			switch {
			case file == "package.json" && !wanted(at, rows):
				return Step{}, false
			case file == "yarn.lock" && strings.Contains(read(at, file), "\n__metadata:"):
				step.Command = "yarn install --immutable"
			}
			return step, true
		}
	}
	return Step{}, false
}

// wanted reports whether a package.json without a lockfile has dependencies, and no folder above
// has a lockfile of a workspace.
func wanted(at string, rows []lock) bool {
	var m struct {
		Dependencies, DevDependencies map[string]any
		Workspaces                    any
	}
	if json.Unmarshal([]byte(read(at, "package.json")), &m) != nil ||
		len(m.Dependencies)+len(m.DevDependencies) == 0 && m.Workspaces == nil {
		return false
	}
	for up := filepath.Dir(at); up != at; at, up = up, filepath.Dir(up) {
		for _, row := range rows[:len(rows)-1] {
			if slices.ContainsFunc(row.files,
				func(f string) bool { return safefile.IsFile(filepath.Join(up, f)) }) {
				return false
			}
		}
	}
	return true
}

func read(dir, name string) string {
	text, err := safefile.Read(filepath.Join(dir, filepath.FromSlash(name)), maxManifest)
	if err != nil {
		return ""
	}
	return string(text)
}

// manifests are file names, beside lockfiles, that an install command reads.
var manifests = []string{
	"package.json", "pnpm-workspace.yaml", ".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml",
	".tool-versions", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "composer.json",
	"Gemfile", "mix.exs",
}

// Reads reports whether an install command reads the file at a slash path: a manifest, lockfile or
// requirements file.
func Reads(file string) bool {
	base := path.Base(file)
	if slices.Contains(manifests, base) || isRequirements(file) {
		return !slices.Contains(strings.Split(path.Dir(file), "/"), "node_modules")
	}
	for _, ecosystem := range locks {
		for _, row := range ecosystem.rows {
			if slices.Contains(row.files, base) {
				return true
			}
		}
	}
	return false
}

// otherLocks are lockfiles of tools without a row in locks.
var otherLocks = []string{
	"deno.lock", "go.sum", "Cargo.lock", "packages.lock.json", "gradle.lockfile", "pubspec.lock",
	"flake.lock",
}

// ReadBy reports whether the result of install commands depends on a file of a tree: an install
// reads it, or a command names it.
func ReadBy(commands []string, file string) bool {
	return Reads(file) || slices.Contains(otherLocks, path.Base(file)) ||
		slices.ContainsFunc(commands, func(command string) bool {
			return slices.ContainsFunc(strings.FieldsFunc(command, func(r rune) bool {
				return strings.ContainsRune(" \t\n;&|()<>'\"`", r)
			}), func(w string) bool { return strings.TrimPrefix(w, "./") == file })
		})
}

// isRequirements reports whether a file is a requirements file of pip, by its name or folder.
func isRequirements(file string) bool {
	named := strings.HasPrefix(path.Base(file), "requirements") ||
		path.Base(path.Dir(file)) == "requirements"
	return named && strings.HasSuffix(file, ".txt")
}

// Split divides setup commands at the last install command. The result of installs depends on
// manifests and lockfiles, that of builds on the whole tree.
func Split(commands []string) (installs, builds []string) {
	for i, command := range slices.Backward(commands) {
		if isInstall(command) {
			return commands[:i+1], commands[i+1:]
		}
	}
	return nil, commands
}

// isInstall reports whether a command installs or downloads packages.
func isInstall(command string) bool {
	fields := strings.Fields(command)
	tools := []string{"pip", "pip3", "go", "cargo", "corepack", "python", "python3"}
	verbs := []string{"install", "i", "ci", "sync", "add", "download", "fetch", "deps.get"}
	for _, ecosystem := range locks {
		for _, row := range ecosystem.rows {
			tools = append(tools, row.tool)
		}
	}
	for i, word := range fields {
		if !slices.Contains(tools, path.Base(word)) {
			continue
		}
		rest := fields[i+1:]
		if path.Base(word) == "yarn" && len(rest) == 0 {
			return true
		}
		if slices.ContainsFunc(rest[:min(4, len(rest))],
			func(w string) bool { return slices.Contains(verbs, w) }) {
			return true
		}
	}
	return false
}

// Rebuild returns the commands that run npm's prepare scripts. Their results depend on the whole
// tree.
func Rebuild(dir string, steps []Step) (commands []string) {
	for _, s := range steps {
		if s.Folder != "node_modules" {
			continue
		}
		at := filepath.Join(dir, filepath.FromSlash(s.Dir))
		switch root, members := script(at, "prepare"), members(at, "prepare"); {
		case s.Tool == "pnpm" && (root || members):
			commands = append(commands, Step{Dir: s.Dir, Command: "pnpm -r run prepare"}.In())
		case root:
			commands = append(commands, Step{Dir: s.Dir, Command: s.Tool + " run prepare"}.In())
		case members && s.Tool == "npm":
			commands = append(commands,
				Step{Dir: s.Dir, Command: "npm run prepare --workspaces --if-present"}.In())
		}
	}
	return commands
}

// script reports whether the package.json in a folder has a script.
func script(at, name string) bool {
	var m struct{ Scripts map[string]any }
	text, _ := safefile.Read(filepath.Join(at, "package.json"), maxManifest)
	return json.Unmarshal(text, &m) == nil && m.Scripts[name] != nil
}

// members reports whether a package in one of the first two levels below a folder has a script.
func members(at, name string) bool {
	for _, pattern := range []string{"*/package.json", "*/*/package.json"} {
		found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(at), pattern))
		if err == nil && slices.ContainsFunc(found, func(f string) bool {
			return !strings.Contains(f, "node_modules") && script(filepath.Dir(f), name)
		}) {
			return true
		}
	}
	return false
}

// Declared is the worktree setup that a repository has for another tool.
type Declared struct {
	File     string
	Commands []string
	root     string // variable for the user's checkout
	dir      string // variable for the clone; empty: none
}

// FindDeclared reads .cursor/worktrees.json, else conductor.json, in the user's checkout. It returns
// the zero Declared if neither has a command.
func FindDeclared(root string, windows bool) Declared {
	var cursor map[string]any
	own := "setup-worktree-unix"
	if windows {
		own = "setup-worktree-windows"
	}
	const file = ".cursor/worktrees.json"
	if json.Unmarshal([]byte(read(root, file)), &cursor) == nil {
		d := Declared{File: file, root: "ROOT_WORKTREE_PATH"}
		switch v := cmp.Or(cursor[own], cursor["setup-worktree"]).(type) {
		case string: // a script, relative to the file
			if v != "" {
				d.Commands = []string{"sh " + Quoted(path.Join(".cursor", filepath.ToSlash(v)))}
			}
		case []any:
			for _, c := range v {
				if text, ok := c.(string); ok && strings.TrimSpace(text) != "" {
					d.Commands = append(d.Commands, text)
				}
			}
		}
		if len(d.Commands) > 0 {
			return d
		}
	}
	var conductor struct{ Scripts struct{ Setup string } }
	if json.Unmarshal([]byte(read(root, "conductor.json")), &conductor) == nil &&
		strings.TrimSpace(conductor.Scripts.Setup) != "" {
		return Declared{
			File: "conductor.json", Commands: []string{conductor.Scripts.Setup},
			root: "CONDUCTOR_ROOT_PATH", dir: "CONDUCTOR_WORKSPACE_PATH",
		}
	}
	return Declared{}
}

// Vars are the environment variables that the tool sets for the commands in a clone at dir.
func (d Declared) Vars(root, dir string) map[string]string {
	vars := map[string]string{}
	if d.root != "" {
		vars[d.root] = root
	}
	if d.dir != "" {
		vars[d.dir] = dir
	}
	return vars
}

// environments are the usual names of a Python virtual environment.
var environments = []string{".venv", "venv", "env"}

// Environment is the name of the virtual environment in a folder; empty: there is none.
func Environment(at string) string {
	i := slices.IndexFunc(environments,
		func(n string) bool { return safefile.IsFile(filepath.Join(at, n, "pyvenv.cfg")) })
	if i < 0 {
		return ""
	}
	return environments[i]
}

// Env is env for a program in a clone at dir: values with the path of the checkout root get that of
// the clone, and a virtual environment in the clone is activated.
func Env(env []string, root, dir string) []string {
	turn := NewTurn(root, dir)
	out := make([]string, 0, len(env)+1)
	venv := Environment(dir)
	bin := filepath.Join(dir, venv, "bin")
	for _, e := range env {
		name, value, ok := strings.Cut(e, "=")
		// HOME may contain the checkout, or be it
		if ok && name != "HOME" && !within(root, homeOf(env)) {
			value = turn.Text(value)
		}
		if venv != "" && name == "PATH" && !slices.Contains(filepath.SplitList(value), bin) {
			value = bin + string(os.PathListSeparator) + value
		}
		if venv != "" && name == "VIRTUAL_ENV" {
			continue
		}
		if ok {
			e = name + "=" + value
		}
		out = append(out, e)
	}
	if venv != "" {
		out = append(out, "VIRTUAL_ENV="+filepath.Join(dir, venv))
	}
	return out
}

func homeOf(env []string) string {
	for _, e := range slices.Backward(env) {
		if home, ok := strings.CutPrefix(e, "HOME="); ok {
			return home
		}
	}
	return ""
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return path != "" && err == nil && filepath.IsLocal(rel)
}

// IsFolder reports whether name is that of a dependency folder.
func IsFolder(name string) bool {
	if slices.Contains(environments, name) {
		return true
	}
	for _, ecosystem := range locks {
		for _, row := range ecosystem.rows {
			if row.folder == name {
				return true
			}
		}
	}
	return false
}

// Above is the nearest manifest, lockfile, workspace file or node_modules in a directory or its
// parents; empty: there is none. Tools in a clone below would use it.
func Above(dir string) string {
	names := append([]string{
		"node_modules", "go.work", "go.mod", "Cargo.toml", "settings.gradle", "settings.gradle.kts",
		"pom.xml", "pytest.ini", "tox.ini", "tsconfig.json",
	}, manifests...)
	for _, ecosystem := range locks {
		for _, row := range ecosystem.rows {
			names = append(names, row.files...)
		}
	}
	for {
		for _, name := range names {
			// dot files of a home directory apply to all projects
			if path := filepath.Join(dir, name); name[0] != '.' && safefile.Exists(path) {
				return path
			}
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
