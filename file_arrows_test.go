package autobuild_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// layered are the packages in which no file uses a declaration of a file that uses it in turn.
var layered = []string{"orchestrator/git", "orchestrator/tamper", "orchestrator/worktree", "orchestrator/worktree/delivery"}

// TestFileArrows: the arrows between the files of a layered package have no cycle.
func TestFileArrows(t *testing.T) {
	files := map[string][]source{}
	for _, s := range sources(t) {
		if dir := path.Dir(s.path); !s.test() && slices.Contains(layered, dir) && built(s.path) {
			files[dir] = append(files[dir], s)
		}
	}
	for _, dir := range layered {
		if len(files[dir]) == 0 {
			t.Errorf("%s has no files", dir)
		}
		uses := fileArrows(files[dir])
		for len(uses) > 0 {
			bottom := slices.DeleteFunc(slices.Sorted(maps.Keys(uses)), func(name string) bool { return len(uses[name]) > 0 })
			if len(bottom) == 0 {
				t.Errorf("%s: files that use each other, by way of others or not: %s", dir, list(slices.Sorted(maps.Keys(uses))))
				break
			}
			for _, name := range bottom {
				delete(uses, name)
			}
			for _, used := range uses {
				maps.DeleteFunc(used, func(name string, _ bool) bool { return slices.Contains(bottom, name) })
			}
		}
	}
}

// built reports whether a file's name fits the system on which the test runs.
func built(name string) bool {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		if strings.HasSuffix(name, "_"+goos+".go") {
			return goos == runtime.GOOS
		}
	}
	return !strings.HasSuffix(name, "_other.go")
}

// fileArrows gives for each file of a package the others that declare what it uses. Imported
// packages are left empty: their types are of no interest.
func fileArrows(files []source) map[string]map[string]bool {
	uses := map[string]map[string]bool{}
	fset := token.NewFileSet()
	parsed := make([]*ast.File, len(files))
	of := map[*token.File]string{}
	for i, s := range files {
		file, err := parser.ParseFile(fset, s.path, s.text, parser.SkipObjectResolution)
		if err != nil {
			return nil // TestFiles reports it
		}
		parsed[i], of[fset.File(file.Pos())] = file, s.path
		uses[s.path] = map[string]bool{}
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: emptyImports{}, Error: func(error) {}}
	// empty imports leave errors, which are expected
	pkg, _ := config.Check("p", fset, parsed, &info)
	for ident, used := range info.Uses {
		if used.Pkg() != pkg || !used.Pos().IsValid() {
			continue
		}
		if from, to := of[fset.File(ident.Pos())], of[fset.File(used.Pos())]; from != to {
			uses[from][to] = true
		}
	}
	return uses
}

// emptyImports gives each import a package without declarations.
type emptyImports struct{}

func (emptyImports) Import(name string) (*types.Package, error) {
	pkg := types.NewPackage(name, path.Base(name))
	pkg.MarkComplete()
	return pkg, nil
}

// The test notices a function, a method, a field and a type of the other file.
func TestFileArrowsAreNoticed(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"func f() { g() }", "func f(x T) { x.m() }", "func f(x T) { _ = x.n }", "var v T"} {
		uses := fileArrows([]source{
			{path: "a.go", text: "package p\nimport \"os\"\n" + code},
			{path: "b.go", text: "package p\nfunc g() {}\ntype T struct{ n int }\nfunc (T) m() {}"},
		})
		if !uses["a.go"]["b.go"] || len(uses["b.go"]) > 0 {
			t.Errorf("%s: %v", code, uses)
		}
	}
}
