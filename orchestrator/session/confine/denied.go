package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/sandbox"
)

// DeniedWrite is a write that the sandbox denied.
type DeniedWrite struct {
	Path string
	// what sandbox.write has to name so that it is possible; empty: it belongs to the run, and no
	// program of a phase should write it
	Allow string
}

// maxDenied bounds how many an output is searched for.
const maxDenied = 5

var (
	// deniedWords are how programs say that a write is not allowed.
	deniedWords = lazyregexp.New(
		`(?i)permission ?denied|\bEACCES\b|\bEPERM\b|operation not permitted|` +
			`read-only file ?system|readonly database|\bEROFS\b|\bEXDEV\b|cross-device link|access\w* .{0,200}\bdenied|` +
			`accessdenied|errno 13\b|os error (?:13|30|18)\b|not writable|unable to open database`)
	// otherRights mark lines about something else than a write.
	otherRights = lazyregexp.New(
		`(?i)\bchown|\bchmod|\bchgrp|ownership|\bkill\b|\bmount|setuid|setgid|ptrace|publickey`)
	// pathWord is an absolute path, or one below the home directory, in quotes or bare.
	pathWord = lazyregexp.New("['\"`‘“](~?/[^/'\"`’”\\n][^'\"`’”\\n]*)['\"`’”]|" +
		"(?:^|[\\s=([<:@])(~?/[^/\\s'\"`’”:;,<>|()[\\]{}*?][^\\s'\"`’”:;,<>|()[\\]{}*?]*)")
	// aboutFile finds the line that names the file of a refusal beside it.
	aboutFile = lazyregexp.New(`(?i)\b(?:path|dest|file(?:name)?)['"]?\s*[:= ]\s*['"]?~?/|` +
		`\b(?:cannot|can't|could not|couldn't|unable to|failed to|failed) .*(?:creat|open|writ|mov|renam|remov|copy|link|lock|mak|mkdir|instal)`)
)

// nearby is how many lines above and below a refusal without a path may name it.
const nearby = 4

// Denied finds in an output the writes that the sandbox denied: paths that the output calls denied,
// that lie outside of what may be written, and that autobuild itself could write. Other paths are
// denied by the system, with and without a sandbox. dir is the worktree of the program.
func (b *Box) Denied(dir, output string) []DeniedWrite {
	var found []DeniedWrite
	all := strings.Split(output, "\n")
	for i, line := range all {
		if len(found) == maxDenied {
			break
		}
		at := deniedWords.FindStringIndex(line)
		if at == nil || otherRights.MatchString(line) {
			continue
		}
		path, ok := b.nearest(line, at[0], dir)
		for d := 1; d <= nearby && !ok && !pathWord.MatchString(line); d++ {
			for _, j := range []int{i - d, i + d} {
				if !ok && j >= 0 && j < len(all) && aboutFile.MatchString(all[j]) {
					path, ok = b.nearest(all[j], 0, dir)
				}
			}
		}
		if ok && !slices.ContainsFunc(found, func(d DeniedWrite) bool { return d.Path == path }) {
			found = append(found, DeniedWrite{path, b.place(path)})
		}
	}
	return found
}

// nearest is the path in a line, closest to a position, that the sandbox alone can have denied.
func (b *Box) nearest(line string, at int, dir string) (string, bool) {
	best, distance := "", -1
	for _, m := range pathWord.FindAllStringSubmatchIndex(line, -1) {
		begin, end := m[2], m[3]
		if begin < 0 {
			begin, end = m[4], m[5]
		}
		away := max(begin-at, at-end, 0)
		if distance >= 0 && away >= distance {
			continue
		}
		if path := b.absolute(line[begin:end]); b.denies(path, dir) {
			best, distance = path, away
		}
	}
	return best, distance >= 0
}

// absolute is a path as it stands in an output, without a dot that ends the sentence.
func (b *Box) absolute(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		path = b.Environ.Get("HOME") + rest
	}
	return filepath.Clean(strings.TrimRight(path, ".,;: "))
}

// denies reports whether the sandbox, and nothing else, keeps a program from writing the path.
func (b *Box) denies(path, dir string) bool {
	if !filepath.IsAbs(path) || path == "/" || sandbox.Device(path) {
		return false
	}
	if b.Rooms != "" && strings.HasPrefix(path, b.Rooms) || below(dir, path) ||
		slices.ContainsFunc(b.shared, func(place string) bool { return below(place, path) }) {
		return false
	}
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.IsDir() && !info.Mode().IsRegular():
		return false // a socket or a device: a sandbox denies none
	case err == nil && writable(path):
		return true
	}
	return writable(existing(filepath.Dir(path)))
}

// existing is the path, or the closest directory above it that is there.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// below reports whether a path is dir or lies in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return dir != "" && err == nil && filepath.IsLocal(rel)
}

// place is what has to be allowed: the path where it is there, else its directory. A home directory
// as a whole is never proposed; the path has to be made first then.
func (b *Box) place(path string) string {
	if below(b.Root, path) || below(b.GitDir, path) {
		return ""
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(path); err == nil || dir == b.Environ.Get("HOME") ||
		dir == filepath.Dir(dir) {
		return path
	}
	return dir
}
