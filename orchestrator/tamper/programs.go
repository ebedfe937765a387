package tamper

import (
	"path/filepath"
	"slices"
	"strings"
)

// systemDirs belong to the system's packages: their programs are watched, and not copied.
var systemDirs = []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin"}

// programWord names items on PATH.
const programWord = "program"

// takePrograms notes the program that each name on PATH leads to, and every directory in which a
// new one could come before it.
func (w *Watch) takePrograms(env map[string]string) {
	seen := map[string]bool{}
	first := len(w.listings)
	for _, dir := range filepath.SplitList(env["PATH"]) {
		dir = filepath.Clean(dir)
		if !filepath.IsAbs(dir) || seen[dir] || w.own(dir) {
			continue
		}
		seen[dir] = true
		w.list(dir, programsIn)
	}
	for i := first; i < len(w.listings); i++ {
		l := &w.listings[i]
		if w.repeated(first, i) {
			continue
		}
		for name := range l.Names {
			if slices.Contains(w.config.Exempt, strings.TrimSuffix(name, ".exe")) {
				continue
			}
			path := filepath.Join(l.Dir, name)
			if !executable(path) {
				continue
			}
			if _, known := w.programs[name]; known {
				continue
			}
			w.programs[name] = i
			w.items = append(w.items,
				w.look(path, programWord, !slices.Contains(systemDirs, l.Dir)))
		}
	}
}

// repeated reports whether an earlier directory of PATH is the same one: /bin is a link to /usr/bin
// on many systems.
func (w *Watch) repeated(first, i int) bool {
	return slices.ContainsFunc(w.listings[first:i], func(l listing) bool {
		return !l.Stamp.absent() && l.Stamp.Ino != 0 && l.Stamp.Ino == w.listings[i].Stamp.Ino &&
			l.Stamp.Dev == w.listings[i].Stamp.Dev
	})
}

// find is where a program of this name lies; empty where there is none.
func (w *Watch) find(name string) string {
	i, ok := w.programs[name]
	if !ok {
		return ""
	}
	path := filepath.Join(w.listings[i].Dir, name)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// uses reports whether a command names a program, or something that begins with its name and a
// digit or point: python3.12.
func uses(commands []string, names ...string) bool {
	for _, command := range commands {
		words := strings.FieldsFunc(command,
			func(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"`$=<>", r) })
		for _, word := range words {
			word = filepath.Base(word)
			if slices.ContainsFunc(names, func(n string) bool {
				return word == n || strings.HasPrefix(word, n) &&
					strings.Trim(word[len(n):], "0123456789.") == ""
			}) {
				return true
			}
		}
	}
	return false
}
