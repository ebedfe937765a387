package testunit

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
)

// goUnits lists the tests, examples and fuzz targets of a Go file, and its helpers as shared parts.
// A file that does not parse has none.
func goUnits(file, text string) []Unit {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, text,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	g := goFile{
		file: file, text: text, masked: goLike.mask(text), fset: fset, tree: tree,
		skip: goExcluded(file, tree),
	}
	var units []Unit
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		switch {
		case !ok:
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok != token.IMPORT {
				units = append(units, g.shared(gen))
			}
		case fn.Recv == nil && goTestName(fn.Name.Name) && strings.HasSuffix(file, "_test.go"):
			units = append(units, g.test(fn))
		default:
			units = append(units, g.shared(fn))
		}
	}
	return units
}

type goFile struct {
	file, text, masked string
	fset               *token.FileSet
	tree               *ast.File
	skip               bool
}

// goTestName reports whether go test runs a function of that name for a verdict.
func goTestName(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && name != "TestMain" {
			r, _ := utf8.DecodeRuneInString(rest)
			return rest == "" || !unicode.IsLower(r)
		}
	}
	return false
}

var goSystems = lazyregexp.New(
	`_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|` +
		`solaris|wasip1|windows)(?:_(?:386|amd64|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm))?(?:_test)?\.go$`)

// goExcluded reports whether a file's name or build constraint keeps it out of the build here.
func goExcluded(file string, tree *ast.File) bool {
	if m := goSystems.FindStringSubmatch(path.Base(file)); m != nil && m[1] != runtime.GOOS {
		return true
	}
	for _, group := range tree.Comments {
		if group.Pos() > tree.Package {
			break
		}
		for _, line := range group.List {
			if expr, err := constraint.Parse(line.Text); err == nil && !expr.Eval(goTag) {
				return true
			}
		}
	}
	return false
}

func goTag(tag string) bool {
	return tag == runtime.GOOS || tag == runtime.GOARCH || tag == "unix" &&
		runtime.GOOS != "windows" ||
		tag == "cgo" || tag == "gc" || strings.HasPrefix(tag, "go1.")
}

// unit is the part of the file that belongs to a declaration.
func (g goFile) unit(n ast.Node, name string) Unit {
	from, to := g.fset.Position(n.Pos()), g.fset.Position(n.End())
	return Unit{
		File: g.file, Name: name, First: from.Line, Last: to.Line, Skip: g.skip,
		Lines: normalLines(g.text, g.masked, from.Offset, min(to.Offset, len(g.masked))),
	}
}

// shared is a helper, a table, or a hook such as TestMain.
func (g goFile) shared(decl ast.Decl) Unit {
	name := ""
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name = d.Name.Name
		if d.Recv != nil && len(d.Recv.List) == 1 {
			name = goReceiver(d.Recv.List[0].Type) + "." + name
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				name = s.Names[0].Name
			case *ast.TypeSpec:
				name = s.Name.Name
			}
			break
		}
	}
	u := g.unit(decl, name)
	u.Shared, u.Skip = true, false
	w := &goWalk{file: g, told: map[token.Pos]bool{}}
	w.node(decl, true)
	u.Asserts, u.Values = w.asserts, slices.Sorted(slices.Values(w.values))
	return u
}

func goReceiver(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func (g goFile) test(fn *ast.FuncDecl) Unit {
	u := g.unit(fn, fn.Name.Name)
	w := &goWalk{file: g, told: map[token.Pos]bool{}}
	if fn.Body != nil {
		var body []ast.Stmt
		if body, w.stopped = reachable(fn.Body.List); w.stopped && len(body) == 0 {
			u.Skip = true
		}
		for _, stmt := range body {
			w.node(stmt, true)
		}
		if w.stopped && len(w.asserts) == 0 {
			u.Skip = true
		}
	}
	if strings.HasPrefix(u.Name, "Example") {
		output := g.output(fn)
		w.asserts, w.values = append(w.asserts, output...), append(w.values, output...)
		u.Lines = append(u.Lines, output...)
		u.Skip = u.Skip || len(output) == 0 // it is compiled, and not run
	}
	u.Asserts, u.Values = w.asserts, slices.Sorted(slices.Values(w.values))
	return u
}

// output is what an example has to print.
func (g goFile) output(fn *ast.FuncDecl) []string {
	for _, group := range slices.Backward(g.tree.Comments) {
		if group.Pos() < fn.Body.Pos() || group.End() > fn.Body.End() {
			continue
		}
		text := group.Text()
		head, rest, ok := strings.Cut(text, ":")
		if head = strings.ToLower(strings.TrimSpace(head)); !ok || head != "output" &&
			head != "unordered output" {
			return nil
		}
		lines := []string{head + ":"}
		for line := range strings.Lines(rest) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	return nil
}

// reachable returns the statements of a test before the first that ends it unconditionally without
// a failure.
func reachable(body []ast.Stmt) (part []ast.Stmt, stopped bool) {
	for i, stmt := range body {
		if endsTest(stmt) && i < len(body)-1 || isSkip(stmt) {
			return body[:i], true
		}
	}
	return body, false
}

func endsTest(stmt ast.Stmt) bool {
	switch s := stmt.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BlockStmt:
		return slices.ContainsFunc(s.List, endsTest)
	case *ast.IfStmt:
		cond, ok := s.Cond.(*ast.Ident)
		return ok && cond.Name == "true" && slices.ContainsFunc(s.Body.List, endsTest)
	}
	return isSkip(stmt)
}

// isSkip is a statement t.Skip(…), or the end of the process.
func isSkip(stmt ast.Stmt) bool {
	expr, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := expr.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return strings.HasPrefix(sel.Sel.Name, "Skip") && len(call.Args) < 4 ||
		ok && (x.Name == "os" && sel.Sel.Name == "Exit" || x.Name == "runtime" &&
			sel.Sel.Name == "Goexit")
}
