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
	for i := range l.doc.fences {
		for n, f := l.doc.fences[i].from, l.doc.fences[i]; n < f.end && f.info != "mermaid" && l.doc.orderly(n); n++ {
			l.absentInLine(n, l.doc.line(n))
		}
	}
	for i := range l.doc.items {
		if it := &l.doc.items[i]; it.box != 0 && !it.quoted {
			l.absentInQuotation(it)
		}
	}
}

// absentInChain reads "1 → 2 → 4, 1 → 3": where most entries are phases, all have to be.
func (l *ledger) absentInChain(p *para) {
	if len(p.raw) > mostSaid {
		return
	}
	l.absentInLine(p.line, p.raw)
}

// absentInLine reads one line of a chain.
func (l *ledger) absentInLine(n int, raw string) {
	if !hasArrow(raw) {
		return
	}
	lead, _, _ := strings.Cut(raw, ":")
	about := l.doc.orderly(n) || !hasArrow(lead) && hasAny(strings.ToLower(lead), ordered...)
	parts := arrow.Split(raw, -1)
	if len(parts) < 2 || len(parts) < 3 && !about {
		return
	}
	known, others, missing := 0, 0, ""
	for _, entry := range parts {
		for _, part := range splitOutside(entry) {
			text := bare(plain(strings.Trim(part, "` \t")))
			kind, core := plan.SplitKind(text)
			label, rest := idAt(core)
			rest = strings.TrimSpace(rest)
			if label == "" || rest != "" && strings.IndexByte("(:;", rest[0]) < 0 {
				continue
			}
			if _, ok := l.index().Find(prefixed(kind+" ", label)); ok {
				known++
			} else if others++; missing == "" {
				missing = label
			}
		}
	}
	if missing != "" && known >= 2 && (others*3 <= known || about && others <= known) {
		l.unread(n, plan.EvidenceRelation,
			fmt.Sprintf("this line names phase %s, which is not in the plan", missing),
			"give back its heading or its row, or take it out of this line")
	}
}

// absentInChart looks at the nodes of a chart of phases: one with the kind word of a phase has to
// be one.
func (l *ledger) absentInChart(f *block, flow *flow) {
	for _, name := range flow.names {
		t := readTitle(flow.label[name])
		if t.label == "" || t.kind == "" || !l.kinds[t.kind] {
			continue
		}
		if _, ok := flow.phase(name, l.index()); !ok {
			l.unread(f.line, plan.EvidenceChart,
				fmt.Sprintf("the chart names phase %s, which is not in the plan", t.label), "give back its heading or its row, or take it out of the chart")
			return
		}
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
