package document

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// shape lists the blocks of a text with where the lines of tables begin.
func shape(src string, find parser.ParagraphTransformer) string {
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(find, 200)))
	out := ""
	_ = ast.Walk(p.Parse(text.NewReader([]byte(src))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *tableBlock:
			out += fmt.Sprintf("table %v\n", n.rows)
		case *tables.Table:
			rows := []int{}
			for c := n.FirstChild().NextSibling(); c != nil; c = c.NextSibling() {
				rows = append(rows, c.Pos())
			}
			out += fmt.Sprintf("table %v\n", rows)
			return ast.WalkSkipChildren, nil
		default:
			out += n.Kind().String()
			if n.Type() == ast.TypeBlock && n.Lines() != nil {
				out += fmt.Sprintf(" %q", n.Lines().Value([]byte(src)))
			}
			out += "\n"
		}
		return ast.WalkContinue, nil
	})
	return out
}

// Tables are found where goldmark's extension finds them, in texts made of what decides it.
func TestTablesAreThoseOfTheExtension(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"|", "|", "-", "--", ":", "a", " ", "\n", "\n", "\\", "`", "    ", "\n\n", "- ", "> ", "| a | b |\n", "|---|:-:|\n", "\t"}
	found := 0
	for range 40_000 {
		src := ""
		for range random.IntN(14) {
			src += pieces[random.IntN(len(pieces))]
		}
		got, want := shape(src, tableFinder{}), shape(src, extension.NewTableParagraphTransformer())
		if got != want {
			t.Fatalf("%q:\n%s\nnot\n%s", src, got, want)
		}
		if len(got) > 5 && got != shape(src, none{}) {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d texts with tables", found)
	}
}

// none finds no table.
type none struct{}

func (none) Transform(*ast.Paragraph, text.Reader, parser.Context) {}
