package receipts

import (
	"fmt"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// absent reports lines that name a phase that is not in the plan beside phases that are: its
// heading or row may be lost.
func (l *ledger) absent() {
	for i := range l.Doc.Paragraphs {
		if p := &l.Doc.Paragraphs[i]; !p.Head {
			l.absentInChain(p)
		}
	}
	for i := range l.Doc.CodeBlocks {
		for n, f := l.Doc.CodeBlocks[i].From, l.Doc.CodeBlocks[i]; n < f.End &&
			!f.IsMermaid() &&
			l.Doc.IsAboutOrder(n); n++ {
			l.absentInLine(n, l.Doc.Line(n))
		}
	}
	for i := range l.Doc.Items {
		if it := &l.Doc.Items[i]; it.Box != 0 && !it.Quoted {
			l.absentInQuotation(it)
		}
	}
}

// absentInChain reads "1 → 2 → 4, 1 → 3": where most entries are phases, all have to be.
func (l *ledger) absentInChain(p *document.Paragraph) {
	if len(p.Raw) > words.MaxSentence {
		return
	}
	l.absentInLine(p.Line, p.Raw)
}

// absentInLine reads one line of a chain.
func (l *ledger) absentInLine(n int, raw string) {
	if !reading.HasArrow(raw) {
		return
	}
	lead, _, _ := strings.Cut(raw, ":")
	about := l.Doc.IsAboutOrder(n) || !reading.HasArrow(lead) &&
		words.ContainsAny(strings.ToLower(lead), words.Ordered...)
	parts := reading.Arrow.Split(raw, -1)
	if len(parts) < 2 || len(parts) < 3 && !about {
		return
	}
	known, others, missing := 0, 0, ""
	for _, entry := range parts {
		for _, part := range words.SplitOutsideBrackets(entry) {
			text := words.Bare(inline.Plain(strings.Trim(part, "` \t")))
			kind, core := plan.SplitKind(text)
			label, rest := words.IDAt(core)
			rest = strings.TrimSpace(rest)
			if label == "" || rest != "" && strings.IndexByte("(:;", rest[0]) < 0 {
				continue
			}
			if _, ok := l.Index().Find(words.Prefixed(kind+" ", label)); ok {
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

// quotes are the marks that begin and end a quotation.
var quotes = [][2]string{{"'", "'"}, {"\"", "\""}, {"“", "”"}, {"‘", "’"}, {"「", "」"}, {"`", "`"}}

// absentInQuotation reads a box that quotes the title of a phase: "Verify 'Phase 2: Storage'".
func (l *ledger) absentInQuotation(it *document.Item) {
	for _, q := range quotes {
		_, rest, found := strings.Cut(it.Raw, q[0])
		quoted, _, closed := strings.Cut(rest, q[1])
		if !found || !closed {
			continue
		}
		t := words.ReadTitle(quoted)
		if t.Label == "" || t.Name == "" || !l.kinds[t.Kind] {
			continue
		}
		if _, ok := l.Index().Find(t.Kind + " " + t.Label); !ok {
			l.finding(it.Line,
				fmt.Sprintf("this box is about %q, which is not in the plan",
					text.Clip(quoted, maxQuoted)),
				"give back its heading, or correct the title")
			return
		}
	}
}
