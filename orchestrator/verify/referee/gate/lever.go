package gate

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Lever says why gates would take a new file before a program, a target or settings; empty: they
// would not.
func (r *Reach) Lever(file string) string {
	return cmp.Or(r.shadowsProgram(file), r.shadowsEnv(file), r.shadowsInclude(file))
}

// programDirs are directories that shells and tools put on PATH.
var programDirs = []string{
	"bin", "node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin",
	".bin", "tools/bin", ".venv/Scripts", "env/bin",
}

// shadowsProgram: a file with the name of a program that gates call, or in a directory that a gate
// puts on PATH.
func (r *Reach) shadowsProgram(file string) string {
	dir := DirOf(file)
	if r.search[dir] {
		return "a gate has " + dir + " on its search path"
	}
	base := path.Base(file)
	name := base
	for _, s := range []string{".exe", ".cmd", ".bat", ".ps1", ".com"} {
		name = strings.TrimSuffix(name, s)
	}
	if !r.Tools[name] && (stackOf(name) == "" || !r.Stacks[stackOf(name)]) {
		return ""
	}
	if path.Ext(base) == "" || name != base {
		if dir == "" || slices.Contains(programDirs, dir) || name != base {
			return "it has the name of the program " + name
		}
	}
	return ""
}

// shadowsEnv: a file of variables that a runner loads unasked.
func (r *Reach) shadowsEnv(file string) string {
	switch base := path.Base(file); {
	case r.Stacks["js"] && strings.HasPrefix(base, ".env") && DirOf(file) == "":
		return "runners read variables from it"
	case r.Stacks["just"] && base == ".env":
		return "just reads variables from it"
	}
	return ""
}

// shadowsInclude: a file that a makefile would include once it is there, or that is a target which
// no gate makes then.
func (r *Reach) shadowsInclude(file string) string {
	for mk := range r.targets {
		text, _ := r.src.Read(mk)
		if parse := targetFile(mk); parse == nil || strings.Contains(strings.ToLower(mk), "just") {
			continue
		}
		rules := parseMake(mk, text)
		for name := range r.targets[mk] {
			done := path.Join(DirOf(mk), name)
			phony := rules.targets[".PHONY"] != nil &&
				slices.Contains(rules.targets[".PHONY"].needs, name)
			if !phony && rules.targets[name] != nil &&
				(file == done || strings.HasPrefix(file, done+"/") && !r.Dirs[done]) {
				return "make takes its target " + name + " for done when that is there"
			}
		}
		for _, inc := range rules.includes {
			if ok, _ := path.Match(path.Join(DirOf(mk), inc), file); ok {
				return mk + " includes it"
			}
		}
	}
	return ""
}
