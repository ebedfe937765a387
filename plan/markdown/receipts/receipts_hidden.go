package receipts

import (
	"bytes"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/words"
)

// hidden reports boxes and headings that markdown does not parse as such: in HTML, in indented
// code, or behind a list marker without a blank.
func (l *ledger) hidden() {
	seen := make([]bool, l.Doc.Count()+2)
	for i := range l.Doc.Items {
		if l.Doc.Items[i].Box != 0 {
			seen[l.Doc.Items[i].Line] = true
		}
	}
	for i := range l.Doc.Headings {
		seen[l.Doc.Headings[i].Line] = true
	}
	for i := range l.Doc.Tables {
		t := &l.Doc.Tables[i]
		seen[t.Line], seen[t.Line+1] = true, true
		for _, row := range t.Rows {
			seen[row.Line] = true
		}
	}
	for n := 1; n <= l.Doc.Count(); n++ {
		from := l.Doc.Lines[n-1]
		raw := bytes.TrimLeft(l.Doc.Hidden[from:from+len(l.Doc.Line(n))], " \t")
		if seen[n] || l.Doc.Code[n] || len(raw) == 0 ||
			strings.IndexByte("#>-*+|0123456789", raw[0]) < 0 {
			continue
		}
		line := string(raw)
		l.quotedHeading(n, line)
		if marks := len(line) - len(strings.TrimLeft(line, "#")); marks > 0 &&
			marks <= document.MaxLevel &&
			words.ReadTitle(line[marks:]).Label != "" {
			l.unread(n, plan.EvidenceHeading,
				"the line \""+text.Clip(line, maxQuoted)+"\" is no heading of the document",
				"a heading begins at the margin, has a blank behind its marks, and stands in no "+
					"HTML")
		}
		if inner := strings.TrimSpace(strings.TrimPrefix(line, "|")); inner != line &&
			strings.HasSuffix(inner, "|") {
			first, _, _ := strings.Cut(inner, "|")
			if words.ReadCell(first).Label != "" && strings.Count(inner, "|") > 1 {
				l.unread(n, plan.EvidenceRow, "this row stands in no table",
					"put it below the head of its table, without an empty line between")
			}
		}
		bullet := document.AfterMarker(strings.TrimLeft(line, "> \t"))
		if len(bullet) > 3 && bullet[0] == '[' && bullet[2] == ']' &&
			strings.IndexByte(" xX~-", bullet[1]) >= 0 && bullet[3] == ' ' {
			l.unread(n, plan.EvidenceBox, "the box on this line is no item of a list",
				"its indentation makes it code, or it stands in HTML: put it at the margin, "+
					"below an empty line")
		}
	}
}

// quotedHeading reports a heading within a quotation that has the kind word of the phases and an id
// that none has.
func (l *ledger) quotedHeading(n int, line string) {
	if line[0] != '>' {
		return
	}
	line = strings.TrimLeft(line, "> \t")
	heading := strings.TrimLeft(line, "#")
	t := words.ReadTitle(heading)
	if heading == line || t.Label == "" || t.Kind == "" || !l.kinds[t.Kind] {
		return
	}
	if _, known := l.Index().Find(t.Kind + " " + t.Label); !known {
		l.unread(n, plan.EvidenceHeading,
			"the heading \""+text.Clip(line, maxQuoted)+"\" in a quotation is read as no phase",
			"take the marks of the quotation off")
	}
}
