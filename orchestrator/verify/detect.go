package verify

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/prepare"
	"autobuild/state"
)

// maxManifest is how much of a manifest is looked at.
const maxManifest = 1 << 20

// Stack is what a directory was recognised as, and the gates that follow from it.
type Stack struct {
	Name  string // "go", "node (pnpm)", "go, node (npm)"; empty when nothing was recognised
	Gates []state.GateSpec

	in    []string // folders below the root that have gates of their own
	kinds []string // first words of the names at the root
}

// Detect finds the stacks of dir and their gates from manifests, and runs nothing. Gates of a second
// stack have its name: node-test. A Makefile or justfile adds the kinds of gates that no stack has.
// A workspace is tested by its own command. A folder in the first two levels with a stack that the
// root does not test adds gates with its name: "backend: test". Every gate counts as available
// until Probe has looked for its tool.
func Detect(dir string) Stack {
	s := detectIn(folder{dir, dir})
	root := s
	for _, at := range foldersBelow(dir) {
		below := detectIn(folder{filepath.Join(dir, filepath.FromSlash(at)), dir})
		gates := slices.DeleteFunc(below.Gates,
			func(g state.GateSpec) bool { return root.covers(below, g.Kind) })
		if len(gates) == 0 {
			continue
		}
		for _, g := range gates {
			s.Gates = append(s.Gates, inFolder(g, at))
		}
		s.in = append(s.in, at)
		s.Name = strings.TrimPrefix(s.Name+", "+at+": "+below.Name, ", ")
	}
	s.Gates = Order(s.Gates)
	return s
}

// covers reports whether gates of the root include a folder: it has the same stack, or the root has
// a test target of Make or just.
func (s Stack) covers(below Stack, kind string) bool {
	return slices.ContainsFunc(s.Gates, func(g state.GateSpec) bool {
		return g.Kind == state.KindTest && (g.Tool == "make" || g.Tool == "just")
	}) || (s.has(kind) || s.has(state.KindTest)) && slices.ContainsFunc(below.kinds,
		func(k string) bool { return slices.Contains(s.kinds, k) })
}

// inFolder changes a gate of a folder so that it runs from the root.
func inFolder(g state.GateSpec, at string) state.GateSpec {
	within := "cd " + prepare.Quoted(at) + " && "
	g.Name, g.Command, g.Source = at+folderMark+g.Name, within+g.Command, at+"/"+g.Source
	if g.FixCommand != "" {
		g.FixCommand = within + g.FixCommand
	}
	if strings.Contains(g.Tool, "/") {
		g.Tool = path.Join(at, g.Tool)
	}
	return g
}

// folderMark separates the folder and the name of its gate.
const folderMark = ": "

// Bounds of the search below the root.
const maxFolders = 200

// notOwn are folder names of third-party code and samples.
var notOwn = []string{
	"node_modules", "vendor", "third_party", "testdata", "fixtures", "examples", "example",
}

// foldersBelow are the slash paths of the folders in the first two levels, sorted.
func foldersBelow(dir string) (found []string) {
	level := []string{""}
	for range 2 {
		var next []string
		for _, at := range level {
			entries, _ := os.ReadDir(filepath.Join(dir, filepath.FromSlash(at))) // unreadable: none
			for _, e := range entries {
				if e.IsDir() && !strings.HasPrefix(e.Name(), ".") &&
					!slices.Contains(notOwn, e.Name()) && len(found)+len(next) < maxFolders {
					next = append(next, path.Join(at, e.Name()))
				}
			}
		}
		found, level = append(found, next...), next
	}
	slices.Sort(found)
	return found
}

// detectIn finds the stacks of one folder.
func detectIn(f folder) Stack {
	var s Stack
	var names []string
	for _, d := range detectors {
		name, gates := d.detect(f)
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
		s.kinds = append(s.kinds, first)
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
	{false, detectCMake},
	{true, detectMake},
	{true, detectJust},
	{true, detectPythonTests},
}

// folder is a directory of a project, with the project's root.
type folder struct{ dir, root string }

// has is the first of the names that is a file in the folder, or empty.
func (f folder) has(names ...string) string {
	for _, n := range names {
		if info, err := os.Stat(filepath.Join(f.dir, n)); err == nil &&
			info.Mode().IsRegular() {
			return n
		}
	}
	return ""
}

// glob is the first file that matches a pattern, or empty.
func (f folder) glob(patterns ...string) string {
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(f.dir), p))
		if err == nil && len(found) > 0 {
			if rel, rerr := filepath.Rel(f.dir, found[0]); rerr == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	return ""
}

// text is the beginning of a file; empty when it cannot be read.
func (f folder) text(name string) string {
	file, err := safefile.Open(filepath.Join(f.dir, name))
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

// Folders are the folders with their own gates, as slash paths below the root.
func (s Stack) Folders() []string { return s.in }
