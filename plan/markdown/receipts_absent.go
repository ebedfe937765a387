package markdown

import (
	"fmt"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
)

// absent points at lines that name a phase which is not in the plan, among phases that are: the
// heading or the row of that phase may be lost.
func (l *ledger) absent() {
	for i := range l.doc.paras {
		if p := &l.doc.paras[i]; !p.head {
			l.absentInChain(p)
		}
	}
	for i := range l.doc.items {
		if it := &l.doc.items[i]; it.box != 0 && !it.quoted {
			l.absentInQuotation(it)
		}
	}
}

// arrows writes every arrow in one way.
var arrows = strings.NewReplacer("->", "→", "=>", "→", "⟶", "→", "➜", "→")

// absentInChain reads "1 → 2 → 3": where most entries are phases, all have to be.
func (l *ledger) absentInChain(p *para) {
	parts := strings.Split(arrows.Replace(p.raw), "→")
	if len(parts) < 3 || len(p.raw) > mostSaid {
		return
	}
	known, others, missing := 0, 0, ""
	for _, part := range parts {
		kind, core := plan.SplitKind(bare(plain(strings.Trim(part, "` \t"))))
		label, rest := idAt(core)
		rest = strings.TrimSpace(rest)
		if label == "" || rest != "" && rest[0] != '(' {
			continue
		}
		if _, ok := l.index().Find(prefixed(kind+" ", label)); ok {
			known++
		} else if others++; missing == "" {
			missing = label
		}
	}
	if missing != "" && known >= 2 && others*3 <= known {
		l.unread(p.line, plan.EvidenceRelation,
			fmt.Sprintf("this line names phase %s, which is not in the plan", missing),
			"give back its heading or its row, or take it out of this line")
	}
}

// quotes are the marks that begin and end a quotation.
var quotes = [][2]string{{"'", "'"}, {"\"", "\""}, {"“", "”"}, {"‘", "’"}, {"「", "」"}, {"`", "`"}}

// absentInQuotation reads a box that quotes the title of a phase: "Verify 'Phase 2: Storage'".
func (l *ledger) absentInQuotation(it *item) {
	for _, q := range quotes {
		_, rest, found := strings.Cut(it.raw, q[0])
		quoted, _, closed := strings.Cut(rest, q[1])
		if !found || !closed {
			continue
		}
		t := readTitle(quoted)
		if t.label == "" || t.name == "" || !l.kinds[t.kind] {
			continue
		}
		if _, ok := l.index().Find(t.kind + " " + t.label); !ok {
			l.finding(it.line,
				fmt.Sprintf("this box is about %q, which is not in the plan", text.Clip(quoted, maxQuoted)),
				"give back its heading, or correct the title")
			return
		}
	}
}
