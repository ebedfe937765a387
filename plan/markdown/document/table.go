package document

import (
	"strings"
	"unicode"

	"autobuild/plan/markdown/inline"
)

func (d *Document) table(n *tableBlock, w walker) {
	if w.quoted {
		return
	}
	line := d.at(n.header)
	t := Table{Line: line, Header: d.cells(line), end: line + 2}
	for _, at := range n.rows {
		line = d.at(at)
		t.Rows = append(t.Rows, Row{Line: line, Cells: d.cells(line)})
		t.end = line + 1
	}
	d.Tables = append(d.Tables, t)
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
