package document

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// tableBlock is a table among the blocks of a document: where its lines begin. Cells are read from
// the lines.
type tableBlock struct {
	ast.BaseBlock
	header int
	rows   []int
}

var kindTable = ast.NewNodeKind("Table")

// Kind is that of tables.
func (*tableBlock) Kind() ast.NodeKind { return kindTable }

// Dump shows the block for debugging.
func (b *tableBlock) Dump(source []byte, level int) { ast.DumpHelper(b, source, level, nil, nil) }

// tableFinder makes a table of the end of a paragraph that holds a row of dashes, as goldmark's
// extension does. It is here because that extension compiles its expressions when a program starts.
type tableFinder struct{}

// Transform looks for the first row of dashes.
func (tableFinder) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	source, lines := reader.Source(), node.Lines()
	for i := 1; i < lines.Len(); i++ {
		dashes, head := lines.At(i), lines.At(i-1)
		columns := dashColumns(dashes.Value(source))
		if columns == 0 {
			continue
		}
		if headColumns(head.Value(source)) > columns {
			return
		}
		table := &tableBlock{header: head.Start}
		table.SetPos(node.Pos())
		for j := i + 1; j < lines.Len(); j++ {
			row := lines.At(j)
			table.rows = append(table.rows, row.Start)
		}
		lines.SetSliced(0, i-1)
		parent := node.Parent()
		parent.InsertAfter(parent, node, table)
		if i == 1 {
			parent.RemoveChild(parent, node)
			return
		}
		last := lines.At(i - 2)
		last.Stop-- // its line break
		lines.Set(i-2, last)
		return
	}
}

// dashColumns counts the columns of a row of dashes; 0: the line is none.
func dashColumns(line []byte) int {
	if width, _ := util.IndentWidth(line, 0); width > 3 || len(bytes.Trim(line, "-")) == 0 {
		return 0
	}
	columns := bytes.Split(line, []byte{'|'})
	if util.IsBlank(columns[0]) {
		columns = columns[1:]
	}
	if len(columns) > 0 && util.IsBlank(columns[len(columns)-1]) {
		columns = columns[:len(columns)-1]
	}
	for _, c := range columns {
		c = bytes.Trim(c, " \t\n\v\f\r")
		c = bytes.TrimSuffix(bytes.TrimPrefix(c, []byte(":")), []byte(":"))
		if len(c) == 0 || len(bytes.Trim(c, "-")) > 0 {
			return 0
		}
	}
	return len(columns)
}

// headColumns counts the cells of a line: escaped bars separate none.
func headColumns(line []byte) int {
	line = bytes.Trim(line, " \t\n\v\f\r")
	end := len(line)
	if end > 0 && line[end-1] == '|' {
		end--
	}
	columns, from := 0, 0
	if len(line) > 0 && line[0] == '|' {
		from = 1
	}
	for i := from; i < end; columns++ {
		for i < end && (line[i] != '|' || i > 0 && line[i-1] == '\\') {
			i++
		}
		i++
	}
	return columns
}
