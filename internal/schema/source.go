package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Source is what the sources of packages say beside what the compiler keeps.
type Source struct {
	Comments map[string]string // path.Type and path.Type.Field → its comment, on one line
	Words    map[string][]Word // path.Type → the constants of a named string, in their order
}

// Word is a constant of a named string.
type Word struct{ Value, Comment string }

// Read reads packages, import path → directory. Tests are not read.
func Read(packages map[string]string) (Source, error) {
	s := Source{make(map[string]string), make(map[string][]Word)}
	for path, dir := range packages {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(names) == 0 {
			return s, fmt.Errorf("no Go files of %s in %s", path, dir)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return s, err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
			if err != nil {
				return s, err
			}
			s.file(path, file)
		}
	}
	return s, nil
}

func (s Source) file(path string, file *ast.File) {
	for _, d := range file.Decls {
		general, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.named(path, general, spec)
			case *ast.ValueSpec:
				s.constants(path, general, spec)
			}
		}
	}
}

func (s Source) named(path string, general *ast.GenDecl, spec *ast.TypeSpec) {
	name := path + "." + spec.Name.Name
	text := oneLine(spec.Doc, spec.Comment)
	if text == "" {
		text = oneLine(general.Doc, nil)
	}
	if text != "" {
		s.Comments[name] = text
	}
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range fields.Fields.List {
		for _, n := range f.Names {
			if text := oneLine(f.Doc, f.Comment); text != "" {
				s.Comments[name+"."+n.Name] = text
			}
		}
	}
}

// constants notes those with a type and a value of their own: named words have both.
func (s Source) constants(path string, general *ast.GenDecl, spec *ast.ValueSpec) {
	of, ok := spec.Type.(*ast.Ident)
	if !ok || general.Tok != token.CONST {
		return
	}
	for _, v := range spec.Values {
		if literal, ok := v.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if value, err := strconv.Unquote(literal.Value); err == nil {
				name := path + "." + of.Name
				s.Words[name] = append(s.Words[name], Word{value, oneLine(spec.Doc, spec.Comment)})
			}
		}
	}
}

// oneLine is a comment without its marks.
func oneLine(groups ...*ast.CommentGroup) string {
	var words []string
	for _, g := range groups {
		if g != nil {
			words = append(words, strings.Fields(g.Text())...)
		}
	}
	return strings.Join(words, " ")
}
