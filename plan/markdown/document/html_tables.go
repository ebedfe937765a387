package document

import (
	"regexp"
	"sort"
	"strings"
)

// htmlCells matches the tags that a table in HTML is made of.
var htmlCells = regexp.MustCompile(`(?i)</?(table|tr|th|td)\b[^<>]*>`)

// htmlTables reads the tables that are written in HTML. Of a cell of several lines it reads the
// first. A table within a table ends the outer one.
func (d *Document) htmlTables() {
	if !strings.Contains(d.Text, "<td") && !strings.Contains(d.Text, "<TD") {
		return
	}
	var t *Table
	cell := -1 // where the open cell begins
	for _, tag := range htmlCells.FindAllStringSubmatchIndex(d.Text, -1) {
		line := d.at(tag[0])
		if d.Code[line] {
			continue
		}
		if cell >= 0 {
			t.addCell(d, cell, tag[0])
			cell = -1
		}
		opens := d.Text[tag[0]+1] != '/'
		switch name := strings.ToLower(d.Text[tag[2]:tag[3]]); {
		case name == "table" && opens:
			t = &Table{end: line + 1}
		case t == nil:
		case name == "table":
			t.end = line + 1
			if len(t.Rows) > 0 && len(t.Rows[0].Cells) > 0 {
				t.Line, t.Header, t.Rows = t.Rows[0].Line, t.Rows[0].Cells, t.Rows[1:]
				d.Tables = append(d.Tables, *t)
			}
			t = nil
		case name == "tr" && opens:
			t.Rows = append(t.Rows, Row{Line: line})
		case name != "tr" && opens && len(t.Rows) > 0:
			cell = tag[1]
		}
	}
	sort.SliceStable(d.Tables, func(a, b int) bool { return d.Tables[a].Line < d.Tables[b].Line })
}

// addCell adds the text between two offsets to the last row.
func (t *Table) addCell(d *Document, from, to int) {
	text := d.Text[from:to]
	from += len(text) - len(strings.TrimLeft(text, " \t\n"))
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	row := &t.Rows[len(t.Rows)-1]
	if len(row.Cells) == 0 {
		row.Line = d.at(from)
	}
	row.Cells = append(row.Cells, Cell{Raw: strings.TrimSpace(text), Offset: from})
}
