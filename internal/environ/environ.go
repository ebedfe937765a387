// Package environ reads an environment that is a value: variables, the home directory, programs on
// PATH. Every call of the program has one Environ, so that tests need not change the environment of
// their process. It does not know what a variable means to autobuild.
package environ

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Environ is an environment as os.Environ returns it. The last entry of a name counts.
type Environ []string

const onWindows = runtime.GOOS == "windows"

// Get is the value of a variable; empty where it is not set.
func (e Environ) Get(name string) string { return value(e, name, onWindows) }

// value ignores the case of names where folded is set, as Windows does: PATH may be spelled Path
// there.
func value(environ []string, name string, folded bool) string {
	found := ""
	for _, entry := range environ {
		if k, v, ok := strings.Cut(entry, "="); ok &&
			(k == name || folded && strings.EqualFold(k, name)) {
			found = v
		}
	}
	return found
}

// Home is the user's home directory; empty where no variable names it.
func (e Environ) Home() string { return cmp.Or(e.Get("HOME"), e.Get("USERPROFILE")) }

// LookPath reports whether a child that is started in dir would find the program. Relative entries
// of PATH do not count: they may lie in the work of an agent.
func (e Environ) LookPath(dir, program string) bool { return e.Find(dir, program) != "" }

// Find is the path of the program that LookPath looks for; empty: there is none.
func (e Environ) Find(dir, program string) string {
	places := filepath.SplitList(e.Get("PATH"))
	if strings.ContainsAny(program, "/"+string(filepath.Separator)) {
		places = []string{"/"}
		if filepath.IsAbs(program) {
			dir = ""
		}
		program = filepath.Join(dir, program)
	}
	for _, at := range places {
		if !filepath.IsAbs(at) && !filepath.IsAbs(program) {
			continue
		}
		for _, ext := range e.extensions() {
			path := program + ext
			if !filepath.IsAbs(program) {
				path = filepath.Join(at, path)
			}
			if executable(path) {
				return path
			}
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (onWindows || info.Mode().Perm()&0o111 != 0)
}

// extensions are the suffixes with which a program is looked up.
func (e Environ) extensions() []string {
	if !onWindows {
		return []string{""}
	}
	return append([]string{""}, strings.Split(strings.ToLower(e.Get("PATHEXT")), ";")...)
}

// essential are the variables that an allow-list never removes.
var essential = []string{"PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER"}

// essentialOnWindows are those without which programs do not start there, or find neither home nor
// a place for their files.
var essentialOnWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
	"USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH",
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)",
}

// Allow keeps the variables that the list names and the essential ones.
func (e Environ) Allow(list []string) Environ {
	return slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !allowed(name, list, onWindows)
	})
}

// allowed ignores the case of names on Windows.
func allowed(name string, list []string, windows bool) bool {
	if !windows {
		return slices.Contains(list, name) || slices.Contains(essential, name)
	}
	return slices.ContainsFunc(slices.Concat(list, essential, essentialOnWindows),
		func(known string) bool {
			return strings.EqualFold(known, name)
		})
}
