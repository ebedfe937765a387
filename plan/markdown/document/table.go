package document

import (
	"strings"
	"unicode"

	tables "github.com/yuin/goldmark/extension/ast"

	"autobuild/plan/markdown/inline"
)

func (d *Document) table(n *tables.Table, w walker) {
	if w.quoted {
		return
	}
	t := Table{}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		line := d.at(max(c.Pos(), 0))
		if header, ok := c.(*tables.TableHeader); ok {
			line = d.headerLine(header)
			t.Line, t.Header = line, d.cells(line)
			t.end = line + 2
			continue
		}
		t.Rows = append(t.Rows, Row{Line: line, Cells: d.cells(line)})
		t.end = line + 1
	}
	if t.Line > 0 {
		d.Tables = append(d.Tables, t)
	}
}

func (d *Document) headerLine(h *tables.TableHeader) int {
	for c := h.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Lines() != nil && c.Lines().Len() > 0 {
			return d.at(c.Lines().At(0).Start)
		}
	}
	return d.at(max(h.Pos(), 0))
}

// cells splits a table line at its bars, except those that are escaped or within a code span.
func (d *Document) cells(n int) []Cell {
	line := d.Line(n)
	base := d.Lines[n-1]
	from := len(line) - len(strings.TrimLeft(line, " \t>"))
	to := len(strings.TrimRight(line, " \t"))
	if from < to && line[from] == '|' {
		from++
	}
	var cells []Cell
	start := from
	for i := from; i <= to; {
		switch {
		case i == to || line[i] == '|':
			if i == to && start == to {
				return cells
			}
			raw := line[start:i]
			left := len(raw) - len(strings.TrimLeftFunc(raw, unicode.IsSpace))
			cells = append(cells, Cell{Raw: strings.TrimSpace(raw), Offset: base + start + left})
			start = i + 1
			i++
		case line[i] == '\\' && i+1 < to:
			i += 2
		case line[i] == '`':
			i += max(1, min(inline.CodeSpanSize(line[i:to]), to-i))
		default:
			i++
		}
	}
	return cells
}
