package render

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// read are the packages that only look for foreign signs in plans and never print them.
var read = []string{"plan", "plan/markdown"}

// TestSignsHaveSpellings: every sign in a string of the program has an ASCII spelling, so that
// none becomes a question mark. Letters are those of other languages, which the program reads;
// the replacement character stands for what cannot be shown anywhere.
func TestSignsHaveSpellings(t *testing.T) {
	found := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if dir := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(path, "../"))); slices.Contains(read, dir) {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			check(t, err)
			for _, r := range text {
				if r < utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsControl(r) || r == utf8.RuneError || r == '\ufeff' {
					continue
				}
				found++
				if _, known := spelled[r]; !known {
					t.Errorf("%s: %q (%U) in %.40q has no spelling", path, r, r, text)
				}
			}
			return true
		})
		return nil
	})
	check(t, err)
	if found < 100 {
		t.Errorf("%d signs", found)
	}
}
