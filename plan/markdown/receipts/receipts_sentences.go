package receipts

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// unheardClauses looks at a sentence as a whole, or, where it is about order and about things at
// the same time, at each of its clauses.
func (l *ledger) unheardClauses(line, i int, text string) string {
	if i < 0 {
		if len(l.OrderSentences) > 0 && l.isOrdered(line) && l.isRead(line, text, l.allNamedIn(text)) &&
			!words.HoldsOthers(text) {
			return ""
		}
		if missing := l.unheardGroup(line, text); missing != "" {
			return missing
		}
	}
	if !words.MixesHints(text) {
		return l.unheardIn(line, i, text)
	}
	for _, clause := range words.HintClauses(text) {
		if missing := l.unheardIn(line, i, clause); missing != "" {
			return missing
		}
	}
	return ""
}

// unheardIn says what of a sentence in the section of phase i the graph does not have, "" when
// there is nothing. A negative i is a chapter about order: there the sentence itself names who
// waits.
func (l *ledger) unheardIn(line, i int, text string) string {
	hint := words.OrderHint(text)
	choice := words.IsChoice(text) && (i >= 0 || l.Doc.IsAboutOrder(line))
	mention := i < 0 || i > 0 && l.plan.At(i).Unstated && len(l.namedIn(text)) > 0
	if hint == words.HintNone && !choice && !mention || words.IsSoft(text) ||
		strings.HasSuffix(strings.TrimSpace(text), "?") {
		return ""
	}
	named := l.allNamedIn(text)
	if choice {
		return l.conditional(line, i, named)
	}
	if i < 0 {
		return l.unheardOutside(line, named, text, hint)
	}
	if hint == words.HintDenied {
		return l.denied(line, i, named, text)
	}
	earlier := words.EarlierPhases(text)
	if len(named) == 0 && !earlier {
		return ""
	}
	inTask := l.boxed(line, i)
	if inTask && hint != words.HintWait {
		return ""
	}
	if earlier && !inTask {
		named = nil
		for k := range i {
			named = append(named, k)
		}
	}
	named = slices.DeleteFunc(named, func(k int) bool { return k == i })
	if len(named) == 0 {
		return ""
	}
	missing := l.unordered(i, named, hint)
	l.heard[i] = true
	for _, k := range named {
		l.heard[k] = l.heard[k] || missing != "" && !earlier
	}
	return missing
}

// isOrdered reports whether dependencies were read from a sentence of the paragraph at a line.
func (l *ledger) isOrdered(line int) bool {
	return slices.ContainsFunc(l.OrderSentences, func(t reading.OrderSentence) bool { return t.Line == line })
}

// isRead reports whether dependencies were read from a sentence at a line, and between all of the
// phases that it names.
func (l *ledger) isRead(line int, sentence string, named []int) bool {
	const tail = 8 // bytes: a clause may have got the subject of the one before it
	var phases []int
	found := false
	for i := range l.OrderSentences {
		t := &l.OrderSentences[i]
		if end := t.Text[max(0, len(t.Text)-tail):]; t.Line == line && strings.Contains(sentence, end) {
			phases, found = append(phases, t.Phases...), true
		}
	}
	return found && !slices.ContainsFunc(named, func(k int) bool { return !slices.Contains(phases, k) })
}

// unheardGroup says what of a sentence about phases that it does not name, "all but phase 5", the
// graph does not have.
func (l *ledger) unheardGroup(line int, sentence string) string {
	hint := words.OrderHint(sentence)
	if hint == words.HintNone || hint == words.HintOrder && !l.isOrdering(line, sentence) ||
		!words.MeansGroup(sentence) || words.IsSoft(sentence) || strings.HasSuffix(sentence, "?") ||
		hint == words.HintDenied && !words.HoldsWait(sentence) {
		return ""
	}
	named := l.allNamedIn(sentence)
	if len(named) == 0 && !words.RulesOutNumber(sentence) || l.groupAgrees(sentence) {
		return ""
	}
	others := []int{0}
	for k := range l.Units {
		if !slices.Contains(named, k) {
			others = append(others, k)
		}
	}
	return l.followsOrder(others)
}

// groupAgrees reports whether the graph has what a sentence says of one phase and all others.
func (l *ledger) groupAgrees(sentence string) bool {
	rel, ok := words.Relate(sentence)
	if !ok || words.RulesOutNumber(sentence) {
		return false
	}
	if missing, about := l.groupEdge(rel); about {
		return missing == ""
	}
	first, _ := words.AllPhases(rel.Object)
	subject := l.Subjects(rel.Subject)
	if !rel.Inverse || len(subject) != 1 || first != "" || !words.MeansGroup(rel.Object) {
		return false
	}
	for k := range l.Units {
		if k != subject[0] && !l.plan.Reaches(subject[0], k) {
			return false
		}
	}
	return true
}

// isOrdering reports whether a weak word of order puts phases in an order: in a chapter about it, or
// where it puts one thing before another.
func (l *ledger) isOrdering(line int, sentence string) bool {
	return l.Doc.IsAboutOrder(line) || words.HoldsSequence(sentence)
}

// unheardOutside says what of a sentence outside all sections the graph does not have. A sentence
// that was not read counts as followed only where all phases that it names state what they need.
func (l *ledger) unheardOutside(line int, named []int, sentence string, hint words.Hint) string {
	if l.Doc.IsAboutOrder(line) {
		missing := l.lostEnd(sentence)
		if missing == "" && len(named) == 1 && words.HoldsEnd(sentence) && l.plan.At(named[0]).Unstated {
			missing = l.followsOrder([]int{0, max(named[0], 1)})
		}
		if missing != "" || len(named) == 1 {
			return missing
		}
	}
	if len(named) < 2 || l.isRead(line, sentence, named) || l.repeats(sentence) ||
		(hint == words.HintOrder || hint == words.HintNone) && !l.isOrdering(line, sentence) &&
			!l.joins(sentence) ||
		hint == words.HintDenied && l.isDenial(line, sentence) {
		return ""
	}
	missing := ""
	if l.namesWho(sentence) && hint != words.HintDenied && hint != words.HintNone {
		missing = l.unordered(named[0], named[1:], hint)
	}
	if missing == "" && hint != words.HintBeside {
		missing = l.followsOrder(named)
	}
	for _, k := range named {
		l.heard[k] = l.heard[k] || missing != ""
	}
	return missing
}

// lostEnd says which end of a sentence of a chapter about order is not recognised: who waits, or for
// what.
func (l *ledger) lostEnd(sentence string) string {
	for _, dash := range []string{" - ", " — ", " – "} {
		if first, _, found := strings.Cut(sentence, dash); found && words.HasRelation(first) {
			sentence = first // "Phase 3 starts after Phase 2 - builds on it"
		}
	}
	rel, ok := words.Relate(sentence)
	if !ok || !rel.Strong || rel.None || rel.Denied || rel.Inverse || rel.Object == "" ||
		words.BeginsWithItself(rel.Object) || plan.SaysAll(rel.Object) {
		return ""
	}
	subject := l.Subjects(rel.Subject)
	known, unknown, free := l.Index().Count(rel.Object)
	if len(subject) == 0 && known > 0 && l.looksNamed(rel.Subject) {
		return fmt.Sprintf("it is not recognised that %q is a phase, and the line says what it waits for",
			text.Clip(rel.Subject, maxQuoted))
	}
	for _, i := range subject {
		missed := known == 0 && !free && len(l.allNamedIn(rel.Object)) == 0
		if i > 0 && missed && (l.plan.At(i).Unstated || unknown > 0 && l.looksNamed(rel.Object)) {
			return fmt.Sprintf("phase %s says what it waits for, and the line names no phase that is "+
				"recognised", l.Units[i].Label)
		}
	}
	return ""
}

// looksNamed reports whether a part of a sentence has the form of a phase: a kind word, or a word
// near one, and a number, or a code.
func (l *ledger) looksNamed(part string) bool {
	part = words.WithoutOnly(strings.TrimSpace(part))
	return words.NamesByKind(part) && strings.ContainsAny(part, "0123456789") ||
		words.CodeLike(part) && words.RefLike(words.WithoutBrackets(part)) || l.nearKind(part) != ""
}

// isDenial reports whether a sentence with a word for "not" rules an order out, or stands where
// nothing is said of order: "without phase 2 no phase 5" is an order.
func (l *ledger) isDenial(line int, sentence string) bool {
	rel, ok := words.Relate(sentence)
	return ok && (rel.Denied || rel.None) || !l.isOrdering(line, sentence) && !l.joins(sentence)
}

// joins reports whether a sentence is little more than two phases and a few words between them, so
// that it can hardly be about anything else: "phase 4 trails phase 2".
func (l *ledger) joins(sentence string) bool {
	const most = 48 // bytes of a sentence beside the names
	all := l.names(sentence)
	if len(all) < 2 || len(sentence) > 3*most || reading.HasArrow(sentence) {
		return false
	}
	others, apart := len(sentence), false
	for k, n := range all {
		others -= n.to - n.from
		if k > 0 && n.from >= all[k-1].to && n.phase != all[k-1].phase {
			gap := strings.ToLower(strings.Trim(sentence[all[k-1].to:n.from], " ,;/&+–—-、，·("))
			apart = apart || gap != "" && !slices.Contains(listing, gap)
		}
	}
	return apart && others <= most
}

// listing are the words that join the names of a list.
var listing = []string{
	"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e", "и", "или", "和", "与", "と", "및", "와",
	"과", "the", "und die", "et la", "y la", "e a",
}

// namesWho reports whether a sentence with a verb of waiting names the phase that waits.
func (l *ledger) namesWho(sentence string) bool {
	rel, ok := words.Relate(sentence)
	return !ok || !rel.Strong || rel.Inverse || rel.Post || len(l.allNamedIn(rel.Subject)) > 0
}

// followsOrder says which of several phases only follows document order. The first of them may.
func (l *ledger) followsOrder(named []int) string {
	first := slices.Min(named)
	for _, k := range named {
		if k != first && l.plan.At(k).Unstated {
			return fmt.Sprintf("this line is about the order of phase %s, which only follows document "+
				"order", l.Units[k].Label)
		}
	}
	return ""
}

// repeats reports whether a sentence names who waits and for what, and the graph has just that.
func (l *ledger) repeats(sentence string) bool {
	rel, ok := words.Relate(sentence)
	if !ok || !rel.Strong || rel.None || rel.Denied || rel.Inverse || rel.Beside {
		return false
	}
	subject, object := l.namedIn(rel.Subject), l.namedIn(rel.Object)
	slices.Sort(object)
	return len(subject) == 1 && len(object) > 0 && len(l.allNamedIn(rel.Rest)) == 0 &&
		slices.Equal(l.plan.Needs(subject[0]), object)
}
