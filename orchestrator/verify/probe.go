package verify

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"autobuild/orchestrator/prepare"
	"autobuild/state"
)

// Probe looks for the tool of every gate: on the PATH of env, as a file below dir, or among the
// programs that npm installs for dir and the directories above it. It fills in Tool and Available
// and runs nothing. A command that is more than a program and its arguments is taken to be
// available: only the shell knows.
func Probe(dir string, env []string, specs []state.GateSpec) []state.GateSpec {
	out := slices.Clone(specs)
	for i, s := range out {
		first := program(s.Command)
		out[i].Tool = cmp.Or(s.Tool, first)
		out[i].Available = installed(dir, env, first) && toolInstalled(dir, env, s)
	}
	return out
}

// toolInstalled reports whether the program behind a launcher (npm run lint → eslint) is there.
// Where nothing has been installed for the project yet, setup may still do it, and the launcher is
// enough.
func toolInstalled(dir string, env []string, s state.GateSpec) bool {
	at := dir
	if name, _, ok := strings.Cut(s.Name, folderMark); ok && strings.HasPrefix(s.Source, name+"/") {
		at = filepath.Join(dir, filepath.FromSlash(name))
	}
	if path.Base(s.Source) == "package.json" {
		if _, err := os.Stat(filepath.Join(at, "node_modules")); err != nil {
			return true
		}
	}
	return installed(dir, env, s.Tool) || installed(at, env, s.Tool)
}

// builtins are the first words that a shell knows by itself.
var builtins = []string{
	"test", "[", "true", "false", "echo", "printf", "cd", "exit", "export", "set", "if", "for",
	"while", "case",
	":", ".", "command", "exec", "eval", "unset", "umask", "ulimit", "trap", "type", "read",
	"until", "time",
}

// program is the first program that a command names, or empty where that depends on the shell.
func program(command string) string {
	for _, w := range strings.Fields(command) {
		name, _, setting := strings.Cut(w, "=")
		switch {
		case setting && name != "" && !strings.ContainsAny(w, "$`(\"'"):
			continue
		case setting || strings.ContainsAny(w, "$`(){}!|&;<>\"'*?\\"), slices.Contains(builtins, w):
			return ""
		}
		return w
	}
	return ""
}

func installed(dir string, env []string, name string) bool {
	if name == "" || slices.Contains(builtins, name) {
		return true
	}
	if strings.ContainsAny(name, `/\`) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return executable(name, env)
	}
	for _, d := range filepath.SplitList(variable(env, "PATH")) {
		if d == "" {
			d = dir
		}
		if executable(filepath.Join(d, name), env) {
			return true
		}
	}
	if venv := prepare.Environment(dir); venv != "" &&
		executable(filepath.Join(dir, venv, "bin", name), env) {
		return true
	}
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if executable(filepath.Join(d, "node_modules", ".bin", name), env) {
			return true
		}
		if d == filepath.Dir(d) {
			return false
		}
	}
}

// executable reports whether path can be run, on Windows with one of the usual endings.
func executable(path string, env []string) bool {
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
	}
	ends := filepath.SplitList(cmp.Or(variable(env, "PATHEXT"), ".COM;.EXE;.BAT;.CMD"))
	for _, end := range append(ends, "") {
		if info, err := os.Stat(path + end); err == nil && info.Mode().IsRegular() &&
			(end != "" || filepath.Ext(path) != "") {
			return true
		}
	}
	return false
}

// variable is the value of an environment variable; as in a child, the last setting counts.
func variable(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		n, value, ok := strings.Cut(e, "=")
		if ok && (n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)) {
			return value
		}
	}
	return ""
}
