package autobuild_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// The doors: package safefile opens files, package git starts git. A call that
// goes past them can be made to wait, to read without end, or to run what an agent wrote.

// besideTheDoors may open files themselves: what they read is the kernel's, their own, or a
// developer's.
var besideTheDoors = map[string]string{
	"internal/safefile":        "it is the door",
	"internal/proc":            "/proc, control groups, the null device",
	"internal/fakemodel":       "part of tests",
	"internal/schema":          "part of tests",
	"render/rendertest":        "part of tests",
	"orchestrator/git/gittest": "part of tests",
	"testdata":                 "developers' tools",
	"bench":                    "developers' tools",
	"cmd/classify.go":          "the file that the user names, which may be a pipe: classify <(command)",
}

// gitIsCalled are the files that may name git as a program, each with the reason.
var gitIsCalled = map[string]string{
	"orchestrator/git/program.go":                 "it is the door",
	"orchestrator/session/workspace/hooks.go":     "the user's commit hooks, which run as a gate does",
	"orchestrator/session/workspace/translate.go": "commands that are shown to the user",
	"render/refused.go":                           "as above",
	"cmd/uncommitted.go":                          "as above",
}

// opens are functions of the standard library that open a path, and wait if it is a FIFO.
var opens = map[string][]string{
	"os":       {"Open", "OpenFile", "ReadFile", "WriteFile", "Create", "CopyFS"},
	"fs":       {"ReadFile", "ReadDir", "Sub"},
	"ioutil":   {"ReadFile", "WriteFile", "ReadDir"},
	"unix":     {"Open", "Openat", "Openat2", "Creat"},
	"syscall":  {"Open", "Openat", "Creat"},
	"template": {"ParseFiles", "ParseGlob"},
}

// methods open a path below an *os.Root, or give what does.
var methods = map[string]bool{"OpenFile": true, "ReadFile": true, "WriteFile": true, "FS": true, "Create": true}

func TestDoors(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		found++
		for _, call := range pastTheDoors(filepath.ToSlash(path), file) {
			t.Errorf("%s: %s", path, call)
		}
		return nil
	})
	if err != nil || found < 100 {
		t.Errorf("%d files, %v", found, err)
	}
}

// The test itself notices what it is for.
func TestDoorsAreNoticed(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		`os.ReadFile(p)`, `os.Open(p)`, `os.OpenFile(p, 0, 0)`, `root.Open(p)`, `d.root.OpenFile(p, 0, 0)`, `fs.ReadDir(f, p)`,
		`root.FS()`, `root.ReadFile(p)`, `unix.Open(p, 0, 0)`, `run([]string{"git", "status"})`, `f(proc.Command{Argv: []string{"git"}})`,
		`append([]string{"git"}, args...)`,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc _() { "+code+" }", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if len(pastTheDoors("cmd/x.go", file)) != 1 {
			t.Errorf("%s is not noticed", code)
		}
	}
}

// pastTheDoors lists the calls of a file that go past the doors.
func pastTheDoors(path string, file *ast.File) []string {
	var found []string
	top, _, _ := strings.Cut(path, "/")
	beside := besideTheDoors[path]+besideTheDoors[filepath.ToSlash(filepath.Dir(path))]+besideTheDoors[top] != ""
	_, callsGit := gitIsCalled[path]
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name := opening(n); name != "" && !beside {
				found = append(found, name+" opens a file past internal/safefile")
			}
		case *ast.CompositeLit:
			if !callsGit && !beside && namesGit(n) {
				found = append(found, "a command line that begins with git goes past orchestrator/git")
			}
		}
		return true
	})
	return found
}

// opening is the name of a call that opens a file; empty for another call.
func opening(call *ast.CallExpr) string {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	name := s.Sel.Name
	if of, ok := s.X.(*ast.Ident); ok {
		switch of.Name {
		case "safefile", "atomicfile":
			return ""
		case "schemas": // embedded
			return ""
		}
		for _, f := range opens[of.Name] {
			if f == name {
				return of.Name + "." + name
			}
		}
		if _, known := opens[of.Name]; known {
			return ""
		}
	}
	if methods[name] || name == "Open" && len(call.Args) == 1 {
		return "." + name
	}
	return ""
}

// namesGit reports whether a literal is a list of words of which the first is git.
func namesGit(list *ast.CompositeLit) bool {
	of, ok := list.Type.(*ast.ArrayType)
	if !ok || len(list.Elts) == 0 {
		return false
	}
	if elem, plain := of.Elt.(*ast.Ident); !plain || elem.Name != "string" {
		return false
	}
	first, ok := list.Elts[0].(*ast.BasicLit)
	return ok && first.Value == `"git"`
}
