package document

import (
	"strings"
	"unicode"

	"autobuild/plan"
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

// At is cell k, empty where the row ends before it.
func (r Row) At(k int) Cell {
	if k < 0 || k >= len(r.Cells) {
		return Cell{}
	}
	return r.Cells[k]
}

// Column is the first column whose head is a word of a row of the table of words, -1 for none.
func (t *Table) Column(row string) int { return t.ColumnBeside(row, -1) }

// ColumnBeside is Column without one column.
func (t *Table) ColumnBeside(row string, other int) int {
	for k, c := range t.Header {
		if k != other && plan.IsWord(row, headWords(c.Raw)) {
			return k
		}
	}
	return -1
}

// headWords are the words of the head of a column: "Depends On (hard)" is "depends on".
func headWords(raw string) string {
	text := strings.ToLower(Bare(inline.Plain(raw)))
	if before, _, found := strings.Cut(text, "("); found && strings.TrimSpace(before) != "" {
		text = before
	}
	return strings.Trim(strings.ReplaceAll(text, "_", " "), " :?*.")
}

// Head is the head of a column in lower case, without markup and brackets.
func (t *Table) Head(k int) string { return headWords(Row{Cells: t.Header}.At(k).Raw) }

// ReadCell reads the cell of an id: "2A", "**1 — Foundation**", "Phase 2", or a short name that
// stands for one, "Setup".
func ReadCell(raw string) Title {
	t := ReadTitle(raw)
	if t.Label != "" {
		return t
	}
	const longest = 40 // bytes of a name that is an id
	text := Bare(inline.Plain(strings.ReplaceAll(raw, "~~", "")))
	if text == "" || len(text) > longest || strings.ContainsAny(text, "=<>") ||
		!strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return Title{}
	}
	text = strings.TrimPrefix(text, "#")
	name := text
	if strings.ContainsAny(text, "0123456789") {
		name = ""
	}
	return Title{Label: text, Name: name, Status: PictureStatus(raw), Stated: PictureStatus(raw) != plan.StatusUnknown}
}
