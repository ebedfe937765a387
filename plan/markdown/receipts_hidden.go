package markdown

import (
	"bytes"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
)

// hidden accounts for the boxes and headings that the blocks of markdown do not hold: in a part of
// the document that is HTML or that its indentation makes code, or behind a mark without a blank.
func (l *ledger) hidden() {
	seen := make([]bool, l.doc.count()+2)
	for i := range l.doc.items {
		if l.doc.items[i].box != 0 {
			seen[l.doc.items[i].line] = true
		}
	}
	for i := range l.doc.heads {
		seen[l.doc.heads[i].line] = true
	}
	for n := 1; n <= l.doc.count(); n++ {
		from := l.doc.lines[n-1]
		raw := bytes.TrimLeft(l.doc.hidden[from:from+len(l.doc.line(n))], " \t")
		if seen[n] || l.doc.code[n] || len(raw) == 0 || strings.IndexByte("#>-*+0123456789", raw[0]) < 0 {
			continue
		}
		line := string(raw)
		if marks := len(line) - len(strings.TrimLeft(line, "#")); marks > 0 && marks <= maxLevel && readTitle(line[marks:]).label != "" {
			l.unread(n, plan.EvidenceHeading, "the line \""+text.Clip(line, maxQuoted)+"\" is no heading of the document",
				"a heading begins at the margin, has a blank behind its marks, and stands in no HTML")
		}
		bullet := afterBullet(strings.TrimLeft(line, "> \t"))
		if len(bullet) > 3 && bullet[0] == '[' && bullet[2] == ']' && strings.IndexByte(" xX~-", bullet[1]) >= 0 && bullet[3] == ' ' {
			l.unread(n, plan.EvidenceBox, "the box on this line is no item of a list", "its indentation makes it code, or it stands in HTML: put it at the margin, below an empty line")
		}
	}
}
