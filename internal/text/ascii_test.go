package text

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

// read are the packages that never print the foreign signs in them: plan and its reader find them
// in plans, and the test packages hand them to tests.
var read = []string{"plan", "plan/markdown", "internal/text/texttest", "render/rendertest"}

// TestSignsHaveSpellings: every sign in a string of the program has an ASCII spelling, so that none
// becomes a question mark. Letters are those of other languages, which the program reads; the
// replacement character marks text that cannot be shown anywhere.
func TestSignsHaveSpellings(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if dir := filepath.ToSlash(filepath.Dir(strings.TrimPrefix(path, "../../"))); slices.ContainsFunc(read, func(r string) bool { return dir == r || strings.HasPrefix(dir, r+"/") }) {
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
			if err != nil {
				t.Fatal(err)
			}
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
	if err != nil {
		t.Fatal(err)
	}
	if found < 100 {
		t.Errorf("%d signs", found)
	}
}

// TestSpellings checks that each spelling is ASCII, not empty and no question mark.
func TestSpellings(t *testing.T) {
	for r, by := range spelled {
		if by == "" || strings.ContainsFunc(by, func(r rune) bool { return r >= 0x80 || r == '?' }) {
			t.Errorf("%q is spelled %q", r, by)
		}
	}
}
