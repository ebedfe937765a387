package markdown

import (
	"strings"
	"unicode"

	tables "github.com/yuin/goldmark/extension/ast"
)

func (d *document) table(n *tables.Table, w walker) {
	if w.quoted {
		return
	}
	t := table{}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		line := d.at(max(c.Pos(), 0))
		if header, ok := c.(*tables.TableHeader); ok {
			line = d.headerLine(header)
			t.line, t.header = line, d.cells(line)
			t.end = line + 2
			continue
		}
		t.rows = append(t.rows, row{line: line, cells: d.cells(line)})
		t.end = line + 1
	}
	if t.line > 0 {
		d.tables = append(d.tables, t)
	}
}

func (d *document) headerLine(h *tables.TableHeader) int {
	for c := h.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Lines() != nil && c.Lines().Len() > 0 {
			return d.at(c.Lines().At(0).Start)
		}
	}
	return d.at(max(h.Pos(), 0))
}

// cells splits a table line at its bars, except those that are escaped or within a code span.
func (d *document) cells(n int) []cell {
	line := d.line(n)
	base := d.lines[n-1]
	from := len(line) - len(strings.TrimLeft(line, " \t>"))
	to := len(strings.TrimRight(line, " \t"))
	if from < to && line[from] == '|' {
		from++
	}
	var cells []cell
	start := from
	for i := from; i <= to; {
		switch {
		case i == to || line[i] == '|':
			if i == to && start == to {
				return cells
			}
			raw := line[start:i]
			left := len(raw) - len(strings.TrimLeftFunc(raw, unicode.IsSpace))
			cells = append(cells, cell{raw: strings.TrimSpace(raw), offset: base + start + left})
			start = i + 1
			i++
		case line[i] == '\\' && i+1 < to:
			i += 2
		case line[i] == '`':
			i += max(1, min(codeSpan(line[i:to]), to-i))
		default:
			i++
		}
	}
	return cells
}
