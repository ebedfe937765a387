package verify

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/state"
)

// maxManifest is how much of a manifest is looked at.
const maxManifest = 1 << 20

// Stack is what a directory was recognised as, and the gates that follow from it.
type Stack struct {
	Name  string // "go", "node (pnpm)", "go, node (npm)"; empty when nothing was recognised
	Gates []state.GateSpec
}

// Detect recognises the stack of dir from the manifests in it, and nothing below it. It runs
// nothing, and proposes only what a file there gives away. Where there are several stacks, the
// gates of the later ones bear the stack's name: node-test. A Makefile or justfile adds the gates
// that no stack gave. Every gate counts as available until Probe has looked for its tool.
func Detect(dir string) Stack {
	var s Stack
	var names []string
	for _, d := range detectors {
		name, gates := d.detect(folder(dir))
		if name == "" {
			continue
		}
		if d.fill && len(s.Gates) > 0 {
			gates = slices.DeleteFunc(gates,
				func(g state.GateSpec) bool { return s.has(Kind(g.Name)) })
			if len(gates) == 0 {
				continue
			}
		}
		names = append(names, name)
		first, _, _ := strings.Cut(name, " ")
		for _, g := range gates {
			g.Kind = Kind(g.Name)
			if slices.ContainsFunc(s.Gates,
				func(o state.GateSpec) bool { return o.Name == g.Name }) {
				g.Name = first + "-" + g.Name
			}
			s.Gates = append(s.Gates, g)
		}
	}
	s.Name, s.Gates = strings.Join(names, ", "), Order(s.Gates)
	return s
}

func (s Stack) has(kind string) bool {
	return slices.ContainsFunc(s.Gates, func(g state.GateSpec) bool { return g.Kind == kind })
}

// detectors look at one stack each. Those that fill only add kinds of gates that no other gave.
var detectors = []struct {
	fill   bool
	detect func(folder) (name string, gates []state.GateSpec)
}{
	{false, detectGo},
	{false, detectNode},
	{false, detectPython},
	{false, detectRust},
	{false, detectJava},
	{false, detectRuby},
	{false, detectDotnet},
	{false, detectPHP},
	{true, detectMake},
	{true, detectJust},
}

// folder is a directory that is looked at.
type folder string

// has is the first of the names that is a file in the folder, or empty.
func (f folder) has(names ...string) string {
	for _, n := range names {
		if info, err := os.Stat(filepath.Join(string(f), n)); err == nil &&
			info.Mode().IsRegular() {
			return n
		}
	}
	return ""
}

// glob is the first file that matches a pattern, or empty.
func (f folder) glob(patterns ...string) string {
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(string(f)), p))
		if err == nil && len(found) > 0 {
			if rel, rerr := filepath.Rel(string(f), found[0]); rerr == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	return ""
}

// text is the beginning of a file; empty when it cannot be read.
func (f folder) text(name string) string {
	file, err := safefile.Open(filepath.Join(string(f), name))
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // only read from
	b, err := io.ReadAll(io.LimitReader(file, maxManifest))
	if err != nil {
		return ""
	}
	return string(b)
}

// says reports whether one of the files holds one of the words.
func (f folder) says(files []string, words ...string) string {
	for _, name := range files {
		text := f.text(name)
		for _, w := range words {
			if strings.Contains(text, w) {
				return name
			}
		}
	}
	return ""
}

func gate(name, command, fix, tool, source string) state.GateSpec {
	return state.GateSpec{
		Name: name, Command: command, FixCommand: fix, Tool: tool, Source: source,
		Available: true,
	}
}
