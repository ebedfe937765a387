package receipts

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// comments reports the comments that state an order of phases which the graph does not have.
// Nothing in a comment is read.
func (l *ledger) comments() {
	const most = 1000 // comments
	from := 0
	for range most {
		at := strings.Index(l.Doc.Text[from:], "<!--")
		if at < 0 {
			return
		}
		from += at + len("<!--")
		end := strings.Index(l.Doc.Text[from:], "-->")
		if end < 0 {
			return
		}
		comment := l.Doc.Text[from : from+end]
		line := l.Doc.Pos(from).Line
		from += end
		if l.Doc.Code[line] || len(comment) > 4*words.MaxSentence {
			continue
		}
		for text := range strings.Lines(comment) {
			text = strings.TrimSpace(text)
			if missing := l.commentedOut(line, text); missing != "" {
				l.unread(line, plan.EvidenceRelation,
					"a comment is not read, and this one holds a dependency: "+missing,
					"take it out of the comment: \"**Depends on:** …\"")
				break
			}
		}
	}
}

// commentedOut describes an order that a line of a comment states and the graph does not have.
func (l *ledger) commentedOut(line int, text string) string {
	if text == "" || len(text) > words.MaxSentence {
		return ""
	}
	if reading.HasArrow(text) {
		if lead, rest, found := strings.Cut(text, ":"); found && !reading.HasArrow(lead) {
			text = rest
		}
		chain := l.inArrows(text)
		for k := 1; k < len(chain); k++ {
			if missing := l.notAfter(chain[k], chain[k-1:k]); missing != "" {
				return missing
			}
		}
		return ""
	}
	owner := l.owner[line] - 1
	for i := range l.Units {
		if l.Units[i].RowLine == line {
			owner = i
			break
		}
	}
	for _, label := range document.LineLabels(text) {
		if words.IsNeedLabel(label.Name) && owner >= 0 {
			return l.notAfter(owner, l.Index().Mentions(label.Value))
		}
	}
	if owner >= 0 && l.Units[owner].RowLine == line && words.RefLike(text) {
		return l.notAfter(owner, l.Index().Mentions(text))
	}
	rel, ok := words.Relate(inline.Plain(text))
	if !ok || rel.Denied || rel.Soft || rel.None || rel.Beside {
		return ""
	}
	subject, object := l.Subjects(rel.Subject), l.phases(rel.Object)
	if len(object) == 0 {
		object = l.namedIn(rel.Object)
	}
	if len(subject) == 0 && owner >= 0 && (rel.Subject == "" || len(l.phases(rel.Subject)) == 0) {
		subject = []int{owner}
	}
	if rel.Inverse {
		subject, object = object, subject
	}
	for _, i := range subject {
		if missing := l.notAfter(i, object); missing != "" {
			return missing
		}
	}
	return ""
}

// notAfter describes one of several phases that phase i does not wait for, or only because it
// follows document order.
func (l *ledger) notAfter(i int, before []int) string {
	byOrder := l.plan.At(i).Unstated && !slices.Equal(l.plan.Needs(i), before)
	for _, k := range before {
		switch {
		case k == i || l.plan.Reaches(k, i) && !byOrder:
		case l.plan.Reaches(k, i):
			return fmt.Sprintf("phase %s follows document order, not phase %s", l.Units[i].Label,
				l.Units[k].Label)
		default:
			return fmt.Sprintf("phase %s does not wait for phase %s", l.Units[i].Label,
				l.Units[k].Label)
		}
	}
	return ""
}
