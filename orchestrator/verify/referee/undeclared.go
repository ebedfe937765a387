package referee

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee/gate"
	"autobuild/orchestrator/verify/testunit"
)

// Undeclared returns a name that a passing Go test of the work uses and only the work's product
// code declares. The base cannot build that test, so it is red there without a run. The result is
// empty where only a run can show it.
func (m *Map) Undeclared(edits []Edit, now Outcome) string {
	p := proofTree{
		Map: m, edits: edits, puts: map[string]Overlay{},
		names: map[string]map[string]bool{},
	}
	for _, put := range m.ComposeProof(edits) {
		p.puts[put.Path] = put
	}
	seen := newIndex(now)
	for _, e := range edits {
		if e.NewMode == "" || e.Old == e.New || !isGoTest(e.Path) || m.Class(e.Path) != Test {
			continue
		}
		for _, u := range testunit.Units(e.Path, e.New) {
			if u.Shared || u.Skip || seen.named(u) != passes ||
				!seen.passing[Key(path.Dir(u.File), u.Name)] {
				continue // a name without its package may be that of another one
			}
			if name := p.undeclared(e); name != "" {
				return name
			}
			break
		}
	}
	return ""
}

// proofTree is the tree of the proof run: the base with the tests of the work.
type proofTree struct {
	*Map
	edits []Edit
	puts  map[string]Overlay
	// directory → names that only the work's product declares there
	names map[string]map[string]bool
}

// undeclared returns a name in a test file that the tree does not declare and the work does.
func (p proofTree) undeclared(e Edit) string {
	file, err := parser.ParseFile(token.NewFileSet(), e.Path, e.New, 0)
	if err != nil || conditional(e.Path, e.New) {
		return ""
	}
	// local name of an import → the names that are missing there
	packages := map[string]map[string]bool{}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil || name == "C" || spec.Name != nil && spec.Name.Name == "." {
			return ""
		}
		unit := p.imports.resolveGo(name)
		if dir := strings.TrimSuffix(unit, "/"); unit != "" &&
			p.oneModule(gate.DirOf(e.Path), dir) {
			packages[p.localName(spec, name, dir)] = p.missing(dir)
		}
	}
	own := p.missing(gate.DirOf(e.Path))
	if strings.HasSuffix(file.Name.Name, "_test") {
		own = nil
	}
	fields := map[*ast.Ident]bool{} // keys of composite literals, which the parser cannot resolve
	found := ""
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				fields[key] = true
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Obj == nil && packages[x.Name][n.Sel.Name] {
				found = n.Sel.Name
			}
		}
		return found == ""
	})
	for _, id := range file.Unresolved {
		if found == "" && own[id.Name] && !fields[id] {
			found = id.Name
		}
	}
	return found
}

// conditional reports whether a Go file may be left out of a build: by its name or by a tag.
func conditional(file, text string) bool {
	return strings.ContainsAny(path.Base(file)[:1], "_.") || goTarget.MatchString(file) ||
		goTags.MatchString(text)
}

// goTarget are the names of files for one system or processor.
var goTarget = lazyregexp.New(
	`_(?:aix|android|darwin|dragonfly|freebsd|hurd|illumos|ios|js|linux|nacl|netbsd|openbsd|plan9|solaris|wasip1|windows|zos|` +
		`386|amd64\w*|arm\w*|loong64|mips\w*|ppc\w*|riscv\w*|s390x?|sparc\w*|wasm)(?:_test)?\.go$`)

// oneModule reports whether two directories belong to one module, in the base as in the work. An
// import from another module may resolve to other code.
func (p proofTree) oneModule(a, b string) bool {
	for _, e := range p.edits {
		if name := path.Base(e.Path); name == "go.work" || name == "go.mod" &&
			(e.OldMode == "" || e.NewMode == "") {
			return false
		}
	}
	return p.module(a) == p.module(b)
}

// module is the go.mod of a directory, "" where there is none.
func (p proofTree) module(dir string) string {
	for ; ; dir = gate.DirOf(dir) {
		if file := path.Join(dir, "go.mod"); p.imports.paths[file] {
			return file
		}
		if dir == "" {
			return ""
		}
	}
}

// localName is the name by which a file refers to a package that it imports from dir.
func (p proofTree) localName(spec *ast.ImportSpec, name, dir string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	for _, e := range p.edits {
		if gate.DirOf(e.Path) == dir && isProductGo(e.Path) && e.NewMode != "" &&
			!conditional(e.Path, e.New) {
			if file, err := parser.ParseFile(token.NewFileSet(), e.Path, e.New,
				parser.PackageClauseOnly); err == nil {
				return file.Name.Name
			}
		}
	}
	return path.Base(name)
}

func isProductGo(file string) bool { return path.Ext(file) == ".go" && !isGoTest(file) }

// missing are the names that the work's product code declares in a directory and no file of the
// proof's tree does. There are none where one of the files does not parse, or is of another
// package. Code that a program writes does not count: a gate may write it in the base too.
func (p proofTree) missing(dir string) map[string]bool {
	if known, ok := p.names[dir]; ok {
		return known
	}
	names, packages := map[string]bool{}, map[string]bool{}
	clause := func(file, text string) {
		tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly)
		if err == nil && !conditional(file, text) {
			packages[strings.TrimSuffix(tree.Name.Name, "_test")] = true
		}
	}
	for _, e := range p.edits {
		if gate.DirOf(e.Path) == dir && isProductGo(e.Path) && e.NewMode != "" {
			clause(e.Path, e.New)
			if !conditional(e.Path, e.New) && !written(e.Path, e.New) {
				goNames(e.Path, e.New, func(name string) { names[name] = true })
			}
		}
	}
	whole := true
	drop := func(name string) { delete(names, name) }
	for _, file := range p.base.Paths() {
		if gate.DirOf(file) != dir || path.Ext(file) != ".go" || p.replaced(file) {
			continue
		}
		text, ok := p.base.Read(file)
		whole = whole && ok && goNames(file, text, drop)
		clause(file, text)
	}
	for file, put := range p.puts {
		if gate.DirOf(file) == dir && path.Ext(file) == ".go" && put.Mode != "" {
			whole = whole && goNames(file, put.Content, drop)
			clause(file, put.Content)
		}
	}
	for _, name := range predeclared {
		delete(names, name)
	}
	if !whole || len(packages) > 1 {
		names = nil
	}
	p.names[dir] = names
	return names
}

// predeclared are the names that Go declares itself. Package go/types knows them too, and would be
// a twentieth of the program.
var predeclared = strings.Fields(`any bool byte comparable complex128 complex64 error float32 float64
	int int16 int32 int64 int8 rune string uint uint16 uint32 uint64 uint8 uintptr true false iota
	nil append cap clear close complex copy delete imag len make max min new panic print println
	real recover`)

// written reports whether a program says that it wrote a Go file.
func written(file, text string) bool {
	tree, err := parser.ParseFile(token.NewFileSet(), file, text,
		parser.PackageClauseOnly|parser.ParseComments)
	return err == nil && ast.IsGenerated(tree)
}

// replaced reports whether the proof's tree has another file, or none, in the place of the base's.
func (p proofTree) replaced(file string) bool {
	_, put := p.puts[file]
	return put
}

// goNames calls each for the package-level names of a Go file, under all build constraints. It
// returns false where the file does not parse or may declare names that cannot be seen.
func goNames(file, text string, each func(name string)) bool {
	tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	for _, spec := range tree.Imports {
		if spec.Name != nil && spec.Name.Name == "." || spec.Path.Value == `"C"` {
			return false
		}
	}
	for _, decl := range tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				each(d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					each(s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						each(name.Name)
					}
				}
			}
		}
	}
	return true
}
