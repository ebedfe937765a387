package testunit

import (
	"go/ast"
	"go/token"
	"strings"

	"autobuild/internal/lazyregexp"
)

// goWalk gathers what a declaration asserts, and the literals that it compares with: those that
// stand in no call but one that asserts, or converts.
type goWalk struct {
	file    goFile
	asserts []string
	values  []string
	stopped bool
	told    map[token.Pos]bool // calls that fail a test, of conditions that are counted
}

var (
	// goFails are the methods of testing.TB by which a test fails; their arguments are no
	// expectations.
	goFails = lazyregexp.New(`^(?:Error|Fatal|Fail)(?:f|Now)?$`)
	// goAsserts are the names of functions that compare.
	goAsserts = lazyregexp.New(
		`(?i)^(?:assert|require|expect|want|check|must|verify|equal|diff|eq|compare|match)|(?:equal|diff|contains|prefix|suffix)$`)
	goTypes = lazyregexp.New(
		`^(?:u?int(?:8|16|32|64)?|float(?:32|64)|string|byte|rune|bool|Duration)$`)
)

func (w *goWalk) node(n ast.Node, counts bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			w.call(n, counts)
			return false
		case *ast.CompositeLit:
			w.rows(n)
		case *ast.IfStmt:
			if calls := failures(n); len(calls) > 0 {
				w.conditions(n.Cond)
				for _, call := range calls {
					w.told[call] = true
				}
			}
		case *ast.BinaryExpr:
			if counts && (n.Op.IsOperator() && n.Op >= token.EQL && n.Op <= token.GTR ||
				n.Op >= token.NEQ && n.Op <= token.GEQ) {
				w.values = append(w.values, n.Op.String())
			}
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.BasicLit:
			if counts {
				w.values = append(w.values, n.Value)
			}
		case *ast.Ident:
			if counts && (n.Name == "true" || n.Name == "false" || n.Name == "nil") {
				w.values = append(w.values, n.Name)
			}
		}
		return true
	})
}

// call looks into a call: its arguments are expectations only where it asserts.
func (w *goWalk) call(n *ast.CallExpr, counts bool) {
	name := calleeName(n.Fun)
	switch {
	case goFails.MatchString(name) && isMethod(n.Fun):
		if !w.told[n.Pos()] {
			w.asserts = append(w.asserts, w.text(n.Fun))
		}
		return
	case goAsserts.MatchString(name) || goAsserts.MatchString(receiverName(n.Fun)):
		w.asserts = append(w.asserts, w.text(n))
	case goTypes.MatchString(name):
	default:
		counts = false
	}
	if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
		w.node(sel.X, false)
	}
	for _, arg := range n.Args {
		if fn, ok := arg.(*ast.FuncLit); ok {
			body, _ := reachable(fn.Body.List)
			for _, stmt := range body {
				w.node(stmt, true) // a subtest
			}
			continue
		}
		w.node(arg, counts)
	}
}

// rows counts the rows of a table as assertions.
func (w *goWalk) rows(table *ast.CompositeLit) {
	for _, element := range table.Elts {
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			element = kv.Value
		}
		if row, ok := element.(*ast.CompositeLit); ok && row.Type == nil {
			w.asserts = append(w.asserts, w.text(row))
		}
	}
}

// conditions are the comparisons that are joined by || and &&: each is an assertion, so that two
// tests in one if are two.
func (w *goWalk) conditions(cond ast.Expr) {
	if b, ok := cond.(*ast.BinaryExpr); ok && (b.Op == token.LOR || b.Op == token.LAND) {
		w.conditions(b.X)
		w.conditions(b.Y)
		return
	}
	w.asserts = append(w.asserts, w.text(cond))
}

// failures are the calls in the branches of an if by which the test fails.
func failures(n *ast.IfStmt) []token.Pos {
	var calls []token.Pos
	find := func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && goFails.MatchString(calleeName(call.Fun)) &&
			isMethod(call.Fun) {
			calls = append(calls, call.Pos())
		}
		return true
	}
	ast.Inspect(n.Body, find)
	if n.Else != nil {
		ast.Inspect(n.Else, find)
	}
	return calls
}

func calleeName(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr:
		return calleeName(f.X)
	case *ast.ParenExpr:
		return calleeName(f.X)
	}
	return ""
}

func receiverName(fun ast.Expr) string {
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if x, ok := sel.X.(*ast.Ident); ok {
			return x.Name
		}
	}
	return ""
}

func isMethod(fun ast.Expr) bool {
	_, ok := fun.(*ast.SelectorExpr)
	return ok
}

// text is the source of a node on one line.
func (w *goWalk) text(n ast.Node) string {
	from, to := w.file.fset.Position(n.Pos()).Offset, w.file.fset.Position(n.End()).Offset
	if from < 0 || to > len(w.file.text) || from > to {
		return ""
	}
	return strings.Join(normalLines(w.file.text, w.file.masked, from, to), " ")
}
