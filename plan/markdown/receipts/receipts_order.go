package receipts

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// mostRelations bounds the findings about lines of order, so that the history of a project does not
// fill the screen.
const mostRelations = 6

// relations accounts for the sentences that say what depends on what. One that was not read has to
// agree with the graph.
func (l *ledger) relations() {
	found := 0
	for _, s := range l.Doc.Sentences() {
		if as := l.readAs[s.Line]; as != "" {
			l.note(s.Line, plan.EvidenceRelation, "%s", as)
			continue
		}
		rel, ok := words.Relate(s.Text)
		missing, about := "", false
		if ok && !rel.Soft {
			missing, about = l.missingEdge(s, rel)
		}
		if !about && !rel.Soft {
			l.notUnderstood(s, rel)
		}
		switch {
		case !about && rel.Soft && len(l.namedIn(s.Text)) > 0:
			l.note(s.Line, plan.EvidenceRelation, "a preference")
		case !about:
		case missing == "":
			l.note(s.Line, plan.EvidenceRelation, "agrees with the graph")
		case found < mostRelations:
			found++
			l.unread(s.Line, plan.EvidenceRelation, "this line is not followed: "+missing,
				"say it in the column \"Depends On\", or in a line \"**Depends on:** …\" of the "+
					"section")
		default:
			l.unread(s.Line, plan.EvidenceRelation, "", "")
		}
	}
}

// notUnderstood reports a sentence about the whole of a phase that holds a word of order and
// names another phase, but is none of the sentences that are understood.
func (l *ledger) notUnderstood(s document.Sentence, rel words.Relation) {
	i := l.owner[s.Line] - 1
	if i < 0 || !l.isAboutWholePhase(s.Line, i) || s.Item >= 0 &&
		l.Doc.InTask(s.Item, l.Units[i].Own-1) ||
		len(s.Text) > words.MaxSentence {
		return
	}
	unstated := l.plan.At(i).Unstated
	if !unstated && !words.ContainsAny(strings.ToLower(s.Text), words.DependencyPrefixes...) {
		return
	}
	var object []int // of a verb that means nothing else: "we build on phase 6"
	if rel.Strong && !rel.None && !rel.Denied && !rel.Inverse {
		object = l.phases(rel.Object)
	}
	if unstated && i > 0 && !rel.None && (rel.Object == "" || !plan.SaysNone(rel.Object)) &&
		l.waitsForOther(s.Text) {
		l.unread(s.Line, plan.EvidenceRelation, fmt.Sprintf("phase %s says what it waits for, and "+
			"the line names no phase that is recognised", l.Units[i].Label),
			"if it is a phase, write \"**Depends on:** …\" with its id; a run waits for nothing else")
		return
	}
	for _, k := range l.namedIn(s.Text) {
		only := slices.Equal(l.plan.Needs(i), []int{k})
		if k == i || l.plan.Reaches(i, k) && !slices.Contains(object, k) || only && !rel.Denied ||
			!unstated && l.plan.Reaches(k, i) {
			continue
		}
		l.unread(s.Line, plan.EvidenceRelation,
			fmt.Sprintf("phase %s names phase %s in a sentence that is not understood",
				l.Units[i].Label, l.Units[k].Label),
			"if it is a dependency, write \"**Depends on:** …\"")
		return
	}
}

// missingEdge says which dependency a sentence states that the graph does not have, "" when there
// is none. about is false when the sentence is not about phases.
func (l *ledger) missingEdge(s document.Sentence, rel words.Relation) (missing string, about bool) {
	if s.Item >= 0 && l.owner[s.Line] > 0 &&
		l.Doc.InTask(s.Item, l.Units[l.owner[s.Line]-1].Own-1) {
		return "", false // a task may be about anything
	}
	subject := l.Subjects(rel.Subject)
	explicit := len(subject) > 0
	if rel.Denied {
		return l.deniedEdge(subject, l.phases(rel.Object))
	}
	if rel.None && rel.Mutual && len(subject) > 1 {
		return l.parallelConflict(subject)
	}
	if missing, about := l.groupEdge(rel); about {
		return missing, true
	}
	if rel.Beside {
		return l.parallelConflict(slices.Concat(subject, l.phases(rel.Object)))
	}
	object := l.phases(rel.Object)
	if owner := l.owner[s.Line]; !explicit && owner > 0 && l.isAboutWholePhase(s.Line, owner-1) &&
		(rel.Strong || rel.Inverse) && words.IsPhaseItself(rel.Subject) {
		subject = []int{owner - 1}
	}
	if entry := l.absentAmong(rel.Object); len(subject) > 0 && rel.Strong && entry != "" {
		return entry + " is not in the plan", true
	}
	if len(subject) == 0 || len(object) == 0 {
		return "", false
	}
	for _, i := range subject {
		for _, k := range object {
			first, second := k, i
			if rel.Inverse {
				first, second = i, k
			}
			if first == second || l.plan.Reaches(first, second) &&
				!l.onlyDocumentOrder(first, second, rel, object) {
				continue
			}
			if l.plan.Reaches(first, second) {
				return fmt.Sprintf("phase %s follows document order, not phase %s",
					l.Units[second].Label,
					l.Units[first].Label), true
			}
			return fmt.Sprintf("phase %s does not wait for phase %s", l.Units[second].Label,
				l.Units[first].Label), true
		}
	}
	return "", true
}

// deniedEdge names a phase that waits for one that a sentence says it does not wait for.
func (l *ledger) deniedEdge(subject, object []int) (missing string, about bool) {
	for _, i := range subject {
		for _, k := range object {
			if i != k && l.plan.Reaches(k, i) {
				return l.waits(i, "waits", k), true
			}
		}
	}
	return "", false
}

// groupEdge reads a sentence about all phases, or about those behind one of them: "everything after
// phase 3 depends on it".
func (l *ledger) groupEdge(rel words.Relation) (missing string, about bool) {
	behind, ok := words.AllPhases(rel.Subject)
	if !ok || !rel.Strong || rel.None || rel.Post {
		return "", false
	}
	after := l.list(behind, 1)
	object := l.phases(rel.Object)
	if len(object) == 0 {
		if object = after; !words.IsPhaseItself(rel.Object) {
			return "", false
		}
	}
	if len(object) == 0 || behind != "" && len(after) != 1 {
		return "", false
	}
	from := 0
	if len(after) == 1 {
		from = after[0] + 1
	}
	for i := from; i < len(l.Units); i++ {
		for _, k := range object {
			if !slices.Contains(object, i) && !l.plan.Reaches(k, i) {
				return l.waits(i, "does not wait", k), true
			}
		}
	}
	return "", true
}

// absentAmong is an entry of a list of phases that looks like one and is none: "7" of "phases 1 and
// 7".
func (l *ledger) absentAmong(object string) string {
	if len(object) > words.MaxSentence || !words.NamesByKind(object) {
		return ""
	}
	known, unknown, _ := l.Index().Count(object)
	if known == 0 || unknown == 0 {
		return ""
	}
	for _, entry := range l.Index().Unknown(object) {
		if words.RefLike(entry) && strings.ContainsAny(entry, "0123456789") {
			return entry
		}
	}
	return ""
}

// onlyDocumentOrder reports whether the phase at second follows its predecessor only by document
// order, while a sentence states that it waits for another one.
func (l *ledger) onlyDocumentOrder(first, second int, rel words.Relation, object []int) bool {
	if rel.Inverse || !rel.Strong || !l.plan.At(second).Unstated {
		return false
	}
	return !slices.Contains(l.plan.Needs(second), first) && len(object) > 0
}

// isAboutWholePhase reports whether a line is about the whole of a phase.
func (l *ledger) isAboutWholePhase(line, i int) bool { return line < l.Units[i].WholeEnd(l.Doc) }

// phases are the phases that a text names by id: with a kind word that phases have, or by a code.
func (l *ledger) phases(text string) []int {
	if len(text) > words.MaxSentence {
		return nil
	}
	if called := l.Index().Called(text); len(called) > 0 {
		return called
	}
	lower := strings.ToLower(text)
	kinded := false
	for _, word := range strings.FieldsFunc(lower,
		func(r rune) bool { return r < 0x80 && (r < 'a' || r > 'z') && r != '-' }) {
		kind, _ := plan.SplitKind(word + " 1")
		if kind == "" {
			continue
		}
		if !l.kinds[kind] && kind != "user story" && kind != "story" {
			return nil
		}
		kinded = true
	}
	if !kinded && !words.CodeLike(strings.TrimLeft(text, "# ")) &&
		!strings.HasPrefix(strings.TrimSpace(text), "#") {
		return nil
	}
	known, unknown, free := l.Index().Count(text)
	if free || known == 0 || unknown > 0 {
		return nil
	}
	return l.Index().Mentions(text)
}

// parallelConflict names two phases that a sentence puts side by side and that the graph puts one
// after the other.
func (l *ledger) parallelConflict(phases []int) (missing string, about bool) {
	slices.Sort(phases)
	phases = slices.Compact(phases)
	if len(phases) < 2 || len(phases) > 40 {
		return "", false
	}
	for a, i := range phases {
		for _, k := range phases[a+1:] {
			for _, pair := range [][2]int{{i, k}, {k, i}} {
				if l.plan.Reaches(pair[0], pair[1]) {
					return fmt.Sprintf("phase %s waits for phase %s", l.Units[pair[1]].Label,
						l.Units[pair[0]].Label), true
				}
			}
		}
	}
	return "", true
}

// chains accounts for the chains of phases: "1 → 2 → 4".
func (l *ledger) chains() {
	for _, s := range slices.Concat(l.Chains(), l.OrderColumns()) {
		if as := l.readAs[s.Line]; as != "" {
			l.note(s.Line, plan.EvidenceRelation, "%s", as)
			continue
		}
		first, second, lost := l.lostStep(s)
		if lost && s.Weak {
			continue
		}
		if lost {
			l.unread(s.Line, plan.EvidenceRelation,
				fmt.Sprintf(
					"this line is not followed: it puts phase %s before %s, which does not wait "+
						"for it",
					l.Units[first].Label, l.Units[second].Label),
				"what the table and the sections say counts; make them agree")
			continue
		}
		l.note(s.Line, plan.EvidenceRelation, "agrees with the graph")
	}
}

// lostStep finds a step of a sequence that the graph does not have. Where a sequence lists all
// phases one by one, only the opposite order in the graph counts as lost.
func (l *ledger) lostStep(s reading.Sequence) (first, second int, lost bool) {
	linear := len(s.Steps) == len(l.Units)
	for k := 1; k < len(s.Steps); k++ {
		for _, first = range s.Steps[k-1] {
			for _, second = range s.Steps[k] {
				if first != second && !l.plan.Reaches(first, second) && (!linear || l.plan.Reaches(second, first)) {
					return first, second, true
				}
			}
		}
	}
	return 0, 0, false
}

// unknownLabels reports labels of a section that name other phases in unknown words: "Beror på: Fas
// 1". They may state an order, so the graph has to order the two phases one way or the other.
func (l *ledger) unknownLabels() {
	for i := range l.Units {
		u := &l.Units[i]
		if u.From == 0 {
			continue
		}
		for _, lb := range l.Doc.LabelsIn(u.From+1, u.WholeEnd(l.Doc)) {
			if l.readAs[lb.Line] != "" || lb.Loose || lb.Item >= 0 &&
				l.Doc.InTask(lb.Item, u.Own-1) ||
				words.IsKnownLabel(lb.Name) {
				continue
			}
			l.unknownLabel(i, lb.Line, inline.Plain(lb.Value))
		}
	}
	for i := range l.Doc.Tables {
		l.unknownColumns(&l.Doc.Tables[i])
	}
}

// unknownColumns does the same for columns of tables of phases with unknown heads.
func (l *ledger) unknownColumns(t *document.Table) {
	c := document.WithKey(t, document.ReadColumns(t), nil)
	if c.Key < 0 || c.Needs >= 0 {
		return
	}
	kind, _ := plan.SplitKind(inline.Plain(t.Header[c.Key].Raw) + " 1")
	if kind != "" && len(l.kinds) > 0 && !l.kinds[kind] {
		return // its rows are weeks
	}
	for column, head := range t.Header {
		name := words.HeadWords(head.Raw)
		if slices.Contains(c.All(), column) || slices.Contains(words.KeyNames, name) ||
			slices.Contains(words.TitleNames, name) || words.IsKnownLabel(name) {
			continue
		}
		ordering := words.OrderHint(name) != words.HintNone // there a number alone is a phase
		for _, row := range t.Rows {
			id := words.ReadCell(row.At(c.Key).Raw)
			i, ok := l.Index().Find(words.Prefixed(id.Kind+" ", id.Label))
			cell := inline.PlainList(row.At(column).Raw)
			if ordering {
				cell = words.Prefixed(id.Kind+" ", cell)
			}
			if ok && words.NormalID(id.Label) == l.plan.At(i).ID &&
				words.RefLike(words.WithoutBrackets(cell)) && l.unknownLabel(i, row.Line, cell) {
				break
			}
		}
	}
}

// unknownLabel reports a line of phase i that names another phase where the graph does not order
// the two, or only because i states nothing.
func (l *ledger) unknownLabel(i, line int, value string) bool {
	value = words.WithoutBrackets(value)
	phases := l.phases(value)
	if known, unknown, _ := l.Index().Count(value); known > 0 && unknown == 0 &&
		l.namesAsDocument(value) {
		phases = l.Index().Mentions(value)
	}
	for _, k := range phases {
		ordered := l.plan.Reaches(k, i) || l.plan.Reaches(i, k)
		if k == i || ordered && !l.plan.At(i).Unstated || slices.Equal(l.plan.Needs(i), []int{k}) ||
			l.plan.Reaches(i, k) {
			continue
		}
		l.unread(line, plan.EvidenceRelation,
			fmt.Sprintf("phase %s names phase %s in a line that is not understood",
				l.Units[i].Label, l.Units[k].Label),
			"if it is a dependency, write \"**Depends on:** …\"")
		return true
	}
	return false
}

// namesAsDocument reports whether a text names a phase as the document calls its phases.
func (l *ledger) namesAsDocument(text string) bool {
	return slices.ContainsFunc(l.Units, func(u section.Unit) bool {
		return u.Title.Called != "" && strings.HasPrefix(text, u.Title.Called)
	})
}
