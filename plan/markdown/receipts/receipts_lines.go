package receipts

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// unheard reports the lines of phases, and of chapters about order, that hold a word of order and
// name another phase, where the graph has no such order. It comes last: a line with a finding has
// said enough.
func (l *ledger) unheard() {
	said := map[int]bool{}
	for _, list := range []plan.Problems{l.open, l.plan.Notes} {
		for i := range list {
			said[list[i].Pos.Line] = said[list[i].Pos.Line] || list[i].Severity == plan.Warning
		}
	}
	l.unheardTitles(said)
	prose := make([]bool, l.Doc.Count()+2)
	for i := range l.Doc.Paragraphs {
		prose[l.Doc.Paragraphs[i].Line] = true
	}
	found, of, whole := 0, -1, 0
	for n := 1; n <= l.Doc.Count(); n++ {
		end, i := l.lineGroup(n), l.owner[n]-1
		if !l.mayOrder(n, end, i) || l.Doc.Code[n] || l.IsPhaseLine(n) ||
			i < 0 && !l.Doc.IsAboutOrder(n) && !prose[n] {
			n = end - 1
			continue
		}
		if i >= 0 && i != of {
			of, whole = i, l.Units[i].WholeEnd(l.Doc)
		}
		if i >= 0 && n >= whole {
			n = end - 1
			continue
		}
		missing := l.unheardLine(n, end, i)
		if missing != "" && !said[n] {
			if found++; found <= mostRelations {
				l.unread(n, plan.EvidenceRelation, missing,
					"if it is a dependency, write \"**Depends on:** …\"")
			}
		}
		n = end - 1
	}
}

// unheardTitles reports the titles of phases that order the phase and another one which they name,
// where the graph does not.
func (l *ledger) unheardTitles(said map[int]bool) {
	for i := range l.Units {
		u := &l.Units[i]
		if u.From == 0 || u.Own > 0 || l.readAs[u.From] != "" || said[u.From] {
			continue
		}
		if !l.mayName(u.Name) && !slices.ContainsFunc(u.Title.Asides, l.mayName) {
			continue
		}
		text := strings.Join(append([]string{u.Name}, u.Title.Asides...), ", ")
		hint := words.OrderHint(text)
		if hint == words.HintNone || hint == words.HintDenied || words.IsSoft(text) {
			continue
		}
		named := slices.DeleteFunc(l.allNamedIn(text), func(k int) bool { return k == i })
		if missing := l.unordered(i, named, hint); missing != "" {
			said[u.From] = true
			l.unread(u.From, plan.EvidenceRelation, missing,
				"if it is a dependency, write \"**Depends on:** …\"")
		}
	}
}

// unheardLine says what of the sentences of the lines [n, end), in the section of phase i, the
// graph does not have.
func (l *ledger) unheardLine(n, end, i int) (missing string) {
	text := l.tableHead(n)
	for k := n; k < end; k++ {
		text += " " + bareLine(l.Doc.Line(k))
	}
	if len(text) > 2*words.MaxSentence {
		return ""
	}
	rest := strings.TrimSpace(inline.Plain(text))
	for first := true; rest != ""; first = false {
		cut := words.SentenceEnd(rest)
		if !first || l.readAs[n] == "" || l.isOrdered(n) {
			found := l.unheardClauses(n, i, rest[:cut])
			if found == "" && !first && i >= 0 && strings.HasPrefix(l.readAs[n], "dependencies") {
				found = l.besideField(i, rest[:cut])
			}
			if missing == "" {
				missing = found
			}
		}
		rest = strings.TrimSpace(rest[cut:])
	}
	return missing
}

// besideField says which phase a sentence behind a field of dependencies names that the field does
// not, and the graph puts in no order with phase i: "Phase 1. Also the tables of phase 3."
func (l *ledger) besideField(i int, sentence string) string {
	if words.OrderHint(sentence) != words.HintNone || words.SaysBeside(sentence) {
		return ""
	}
	named := slices.DeleteFunc(l.namedIn(sentence), func(k int) bool { return k == i })
	return l.unordered(i, named, words.HintNone)
}

// lineGroup is the line behind the last that continues the sentence of line n.
func (l *ledger) lineGroup(n int) int {
	end := n + 1
	if l.readAs[n] != "" && !l.isOrdered(n) || strings.TrimSpace(l.Doc.Line(n)) == "" {
		return end
	}
	for ; end <= l.Doc.Count() && end < n+4; end++ {
		line := strings.TrimLeft(l.Doc.Line(end), " \t>")
		if line == "" || strings.HasPrefix(line, "**") || strings.IndexByte("#|`<-*+", line[0]) >= 0 ||
			document.AfterMarker(line) != "" || l.Doc.Code[end] || l.owner[end] != l.owner[n] ||
			strings.HasPrefix(strings.TrimSpace(l.Doc.Line(n)), "#") ||
			strings.HasPrefix(strings.TrimSpace(l.Doc.Line(n)), "|") {
			break
		}
	}
	return end
}

var lineMarks = lazyregexp.New(`^[ \t>]*([-*+]|\d+[.)])?[ \t]*(\[.\][ \t])?`)

// bareLine is a line without the marks of a quotation, an item, a box or a comment.
func bareLine(line string) string {
	line = strings.TrimPrefix(line, lineMarks.FindString(line))
	return strings.TrimSpace(strings.NewReplacer("<!--", "", "-->", "", "|", " ").Replace(line))
}

// mayOrder reports whether the lines [from, to) may name a phase and hold a word of order. It is
// called for every line, and allocates nothing.
func (l *ledger) mayOrder(from, to, i int) bool {
	first := l.Doc.Line(from)
	if strings.TrimSpace(first) == "" || strings.HasPrefix(first, "#") ||
		l.readAs[from] != "" && !l.isOrdered(from) && words.SentenceEnd(first) == len(first) {
		return false
	}
	named := false
	for n := from; n < to; n++ {
		line := l.Doc.Line(n)
		if len(line) > words.MaxSentence {
			return false
		}
		named = named || l.mayName(line)
	}
	if !named || strings.HasPrefix(strings.TrimSpace(first), "|") {
		return named
	}
	for n := from; n < to; n++ {
		if line := l.Doc.Line(n); l.Doc.IsAboutOrder(n) || i > 0 && l.plan.At(i).Unstated ||
			i < 0 && len(line) < 144 && (len(l.letters) > 0 || severalNumbers(line)) || words.OrderHint(line) != words.HintNone || words.IsChoice(line) {
			return true
		}
	}
	return false
}

// severalNumbers reports whether a line holds more than one number.
func severalNumbers(line string) bool {
	first := strings.IndexAny(line, "0123456789")
	return first >= 0 && strings.ContainsAny(strings.TrimLeft(line[first:], "0123456789"), "0123456789")
}

// mayName reports whether a line may name a phase.
func (l *ledger) mayName(line string) bool {
	if strings.ContainsAny(line, "0123456789") || words.MayBeEarlier(line) {
		return true
	}
	if l.phaseNames == nil {
		l.listNames()
	}
	for name := range l.phaseNames {
		if strings.Contains(line, name) {
			return true
		}
	}
	return slices.ContainsFunc(l.letters, func(label string) bool {
		return strings.Contains(line, label)
	})
}

// tableHead is the head of the table that line n is a row of, "" where it is none.
func (l *ledger) tableHead(n int) string {
	if !strings.HasPrefix(strings.TrimSpace(l.Doc.Line(n)), "|") {
		return ""
	}
	at := sort.Search(len(l.Doc.Tables), func(i int) bool { return l.Doc.Tables[i].Line >= n }) - 1
	if at < 0 || !slices.ContainsFunc(l.Doc.Tables[at].Rows,
		func(row document.Row) bool { return row.Line == n }) {
		return ""
	}
	return bareLine(l.Doc.Line(l.Doc.Tables[at].Line))
}

// conditional says that a sentence gives a choice between phases, which no graph has.
func (l *ledger) conditional(line, i int, named []int) string {
	if i >= 0 && l.boxed(line, i) || len(named) == 0 || len(named) == 1 && named[0] == i {
		return ""
	}
	return fmt.Sprintf("this line names phase %s in a condition, and a run does every phase",
		l.Units[named[0]].Label)
}

// denied says which phase a sentence in the section of phase i does not wait for, where i follows
// it by document order.
func (l *ledger) denied(line, i int, named []int, text string) string {
	if i < 0 || !l.plan.At(i).Unstated || !words.DeniedWait(text) || l.boxed(line, i) {
		return ""
	}
	for _, k := range named {
		if k != i && l.plan.Reaches(k, i) {
			return fmt.Sprintf("this line rules out that phase %s waits for phase %s, and phase %s "+
				"follows document order", l.Units[i].Label, l.Units[k].Label, l.Units[i].Label)
		}
	}
	return ""
}

// boxed reports whether a line is in a box of phase i.
func (l *ledger) boxed(line, i int) bool {
	for k := range l.Doc.Items {
		it := &l.Doc.Items[k]
		if it.Line <= line && line < it.End && l.Doc.InTask(k, l.Units[i].Own-1) {
			return true
		}
	}
	return false
}

// unordered says which of several phases the graph puts in no order with phase i, or, behind a word
// for "at the same time", in one. Behind no word at all the order may be any.
func (l *ledger) unordered(i int, named []int, hint words.Hint) string {
	needs, unstated := l.plan.Needs(i), l.plan.At(i).Unstated
	behind := func(k int) bool {
		return l.plan.At(k).Unstated && !slices.Contains(l.plan.Needs(k), i)
	}
	byOrder := unstated && slices.ContainsFunc(needs, func(k int) bool { return !slices.Contains(named, k) })
	for _, k := range named {
		before, after := l.plan.Reaches(k, i), l.plan.Reaches(i, k)
		switch {
		case k == i:
		case hint == words.HintBeside && (before || after):
			return fmt.Sprintf("this line is not followed: it puts phase %s beside phase %s, and the "+
				"graph orders the two", l.Units[i].Label, l.Units[k].Label)
		case hint == words.HintBeside:
		case before && byOrder && hint != words.HintNone:
			return fmt.Sprintf("this line orders phase %s and phase %s, and phase %s only follows "+
				"document order", l.Units[k].Label, l.Units[i].Label, l.Units[i].Label)
		case after && hint == words.HintWait && behind(k):
			return fmt.Sprintf("this line orders phase %s and phase %s, and phase %s only follows "+
				"document order", l.Units[i].Label, l.Units[k].Label, l.Units[k].Label)
		case !before && !after && !slices.Contains(l.plan.At(i).SoftDeps, l.plan.At(k).ID):
			return fmt.Sprintf("this line orders phase %s and phase %s, and the graph does not",
				l.Units[k].Label, l.Units[i].Label)
		}
	}
	return ""
}
