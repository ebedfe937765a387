package receipts

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// turns accounts for the sentences that order phases without a word of dependency: "start with
// phase 3", "in reverse order", "run this last". They make no edges, so the graph has to agree with
// them.
func (l *ledger) turns() {
	done := map[int]bool{}
	for _, r := range l.all {
		if r.Kind == plan.EvidenceRelation {
			done[r.Line] = true
		}
	}
	found := 0
	for i := range l.Doc.Paragraphs {
		p := &l.Doc.Paragraphs[i]
		of := l.owner[p.Line] - 1
		if done[p.Line] || l.IsPhaseLine(p.Line) || len(p.Raw) > words.MaxSentence ||
			of >= 0 && (!l.isAboutWholePhase(p.Line, of) ||
				p.Item >= 0 && l.Doc.InTask(p.Item, l.Units[of].Own-1)) ||
			p.Item >= 0 && l.Doc.Items[p.Item].Quoted || !words.LooksLikeTurn(p.Raw) {
			continue
		}
		for rest := inline.Plain(p.Raw); rest != ""; {
			end := words.SentenceEnd(rest)
			missing := l.turn(p.Line, of, rest[:end])
			rest = rest[end:]
			if missing == "" {
				continue
			}
			if found++; found > mostRelations {
				return
			}
			l.unread(p.Line, plan.EvidenceRelation, "this line is not followed: "+missing,
				"say it in the column \"Depends On\", or in a line \"**Depends on:** …\" of the "+
					"section")
			break
		}
	}
}

// turn says what of the order that a sentence states the graph does not have, "" when there is
// nothing. of is the phase in whose section it stands, -1 for none.
func (l *ledger) turn(line, of int, text string) string {
	turn, before, after := words.ReadTurn(strings.TrimRight(text, " .。!;；"))
	if words.IsSoft(text) || strings.HasPrefix(strings.TrimSpace(l.Doc.Line(line)), ">") ||
		strings.HasSuffix(strings.TrimSpace(text), "?") {
		return ""
	}
	switch turn {
	case words.TurnReverse:
		return l.reversed(line, of, text)
	case words.TurnFree:
		missing, _ := l.parallelConflict(l.freeOnes(of, before, text))
		return missing
	case words.TurnBefore:
		first, second := l.bothSides(of, before, after)
		if behindName(text, before) && len(l.list(before, mostBeside)) > 0 && len(l.list(firstPart(after), 2)) > 0 {
			first, second = second, first // "阶段3之前完成阶段5"
		}
		for _, i := range first {
			for _, k := range second {
				if i != k && !l.plan.Reaches(i, k) {
					return l.waits(k, "does not wait", i)
				}
			}
		}
	case words.TurnFirst, words.TurnLast:
		return l.atAnEnd(turn, of, l.inTurn(of, before, after))
	}
	return ""
}

// behindName reports whether the word for "before" that follows a part of a text belongs to the name
// before it, as in scripts without blanks.
func behindName(text, before string) bool {
	_, rest, _ := strings.Cut(text, before)
	return before != "" && words.Ideograph(inline.FirstRune(strings.TrimLeft(rest, " ")))
}

// atAnEnd says what contradicts that phases come first or last.
func (l *ledger) atAnEnd(turn words.Turn, of int, subject []int) string {
	if of >= 0 && !slices.Contains(subject, of) {
		for _, i := range subject { // "phase 6 first", in the section of another
			if turn == words.TurnFirst && !l.plan.Reaches(i, of) {
				return l.waits(of, "does not wait", i)
			}
		}
		return ""
	}
	for _, i := range subject {
		for k := range l.Units {
			switch {
			case slices.Contains(subject, k):
			case turn == words.TurnFirst && slices.Contains(l.plan.Needs(i), k):
				return l.waits(i, "waits", k)
			case turn == words.TurnLast && slices.Contains(l.plan.Needs(k), i):
				return l.waits(k, "waits", i)
			}
		}
	}
	return ""
}

func (l *ledger) waits(i int, verb string, k int) string {
	return fmt.Sprintf("phase %s %s for phase %s", l.Units[i].Label, verb, l.Units[k].Label)
}

// undoing are parts of words for taking things back, which goes in reverse order by nature.
var undoing = []string{
	"roll", "revert", "undo", "teardown", "tear down", "shut", "uninstall", "clean", "destroy", "stop",
	"rück", "annul", "deshacer", "откат", "回滚", "戻", "롤백",
}

// reversed reads "in reverse order" outside all phases.
func (l *ledger) reversed(line, of int, text string) string {
	lower := strings.ToLower(text + " " + l.Doc.HeadingAbove(line).Text)
	brief := len(strings.Fields(text)) <= 8
	if of >= 0 || words.ContainsAny(lower, undoing...) ||
		!brief && !l.Doc.IsAboutOrder(line) && !l.namesKind(text) {
		return ""
	}
	for i := 1; i < len(l.Units); i++ {
		if l.plan.At(i).Unstated {
			return fmt.Sprintf("phase %s follows document order", l.Units[i].Label)
		}
	}
	return ""
}

// namesKind reports whether a text holds the kind word of the phases, also in the plural.
func (l *ledger) namesKind(text string) bool {
	return holdsKind(text, func(kind string) bool { return l.kinds[kind] })
}

// namesAnyKind reports whether a text holds a kind word: "week 2" is no phase.
func (l *ledger) namesAnyKind(text string) bool {
	return holdsKind(text, func(string) bool { return true })
}

func holdsKind(text string, counts func(kind string) bool) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r)
	}), func(word string) bool {
		kind, _ := plan.SplitKind(word + " 1")
		return kind != "" && counts(kind)
	})
}

// freeOnes are the phases that a sentence puts side by side: those that it names, or all of them.
func (l *ledger) freeOnes(of int, before, text string) []int {
	if of >= 0 {
		return nil
	}
	if named := l.list(before, mostBeside); len(named) > 1 {
		return named
	}
	lower := " " + strings.ToLower(text) + " "
	named := l.namesKind(text) && words.ContainsAny(lower, "all ", " the ", "every ", " no ",
		"alle ", " die ", "toutes ", "les ", "todas ", "las ", "as ", "все ", "所有", "各", "すべて", "全",
		"모든")
	meant := words.ContainsAny(lower, " they ", " these ", " sie ", " elles ", " ils ", "они ")
	if len(l.namedIn(text)) > 0 || !named && !meant ||
		len(strings.Fields(text)) > 2*mostBeside {
		return nil
	}
	all := make([]int, len(l.Units))
	for i := range all {
		all[i] = i
	}
	return all
}

// mostBeside bounds the words beside the names of phases in a part of a sentence about them.
const mostBeside = 5

// bothSides finds the phases on both sides of a word for "before". Where that word stands at the
// end, both are named before it.
func (l *ledger) bothSides(of int, before, after string) (first, second []int) {
	first, second = l.list(before, mostBeside), l.list(firstPart(after), 2)
	if of >= 0 {
		switch {
		case len(second) == 0 && words.BeginsWithItself(after) && before == "":
			_, rest, _ := strings.Cut(after, ",") // "Before this, do phase 6"
			return l.list(rest, 2), []int{of}
		case len(second) == 0 && after != "" && words.BeginsWithItself(after):
			second = []int{of}
		case len(first) == 0 && words.IsPhaseItself(before):
			first = []int{of}
		}
		if !slices.Contains(first, of) && !slices.Contains(second, of) {
			return nil, nil
		}
	}
	if len(second) == 0 && len(first) > 1 && !slices.Contains(first, of) {
		return first[:1], first[1:]
	}
	return first, second
}

// inTurn finds the phases that come first or last.
func (l *ledger) inTurn(of int, before, after string) []int {
	tail := after == "" || words.Ideograph(inline.FirstRune(after)) || strings.ContainsAny(after[:1], ",;:-") ||
		strings.HasPrefix(after, "then ") || strings.HasPrefix(after, "and ")
	switch {
	case of >= 0 && tail && words.IsPhaseItself(withoutVerb(before)) &&
		withoutVerb(before) != "":
		return []int{of}
	case of >= 0 && !tail:
		return nil
	case tail && before != "":
		return l.list(before, 3)
	case len(strings.Fields(before)) <= 3:
		return l.list(firstPart(after), 2)
	}
	return nil
}

// withoutVerb takes one word off the front of a text that ends with a word for the phase itself:
// "run this".
func withoutVerb(text string) string {
	if words.IsPhaseItself(text) {
		return text
	}
	_, rest, _ := strings.Cut(text, " ")
	return rest
}

// firstPart is a text up to where it goes on with something else.
func firstPart(text string) string {
	if end := strings.IndexAny(text, ",;.("); end >= 0 {
		text = text[:end]
	}
	return words.FirstClause(text)
}

// list lists the phases that a part of a sentence names, when it holds at most as many other words
// as given: "finish phase 3", "Phases 2 and 3 can be done", "do 3", "Backend".
func (l *ledger) list(text string, most int) (phases []int) {
	text = words.WithoutBrackets(text)
	if text == "" || len(text) > words.MaxSentence {
		return nil
	}
	others := 0
	for _, word := range strings.Fields(text) {
		if kind, _ := plan.SplitKind(word + " 1"); kind == "" &&
			!strings.ContainsAny(word, "0123456789") {
			others++
		}
	}
	if others > most+1 {
		return nil
	}
	rest := text
	for n := 0; n < 3 && rest != ""; n++ { // "Finish Backend"
		if called := l.Index().Called(rest); len(called) > 0 {
			return called
		}
		_, rest, _ = strings.Cut(rest, " ")
	}
	if named, at := l.namedFrom(text); len(named) > 0 {
		for _, k := range l.Index().Mentions(text[at:]) {
			if !slices.Contains(named, k) {
				named = append(named, k)
			}
		}
		return named
	}
	at := strings.IndexFunc(text, unicode.IsDigit)
	if at < 0 || at > 0 && others > 2 || l.namesAnyKind(text) {
		return nil
	}
	end := strings.LastIndexFunc(text, unicode.IsDigit) + 1
	if known, unknown, free := l.Index().Count(text[at:end]); known > 0 && unknown == 0 && !free {
		return l.Index().Mentions(text[at:end])
	}
	return nil
}

// waitsForOther reports whether a sentence says when a phase starts, and names no phase.
func (l *ledger) waitsForOther(text string) bool {
	return words.SaysStart(text) && !words.EarlierPhases(text) && !words.IsSoft(text) &&
		!plan.SaysNone(text) && len(l.allNamedIn(text)) == 0
}
