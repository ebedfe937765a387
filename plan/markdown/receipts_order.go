package markdown

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
)

// mostRelations bounds the findings about lines of order, so that a chronicle of a project does not
// fill the screen.
const mostRelations = 6

// relations accounts for the sentences that say what depends on what. One that was not read has to
// agree with the graph.
func (l *ledger) relations() {
	found := 0
	for _, s := range l.doc.sentences() {
		if as := l.said[s.line]; as != "" {
			l.note(s.line, plan.EvidenceRelation, "%s", as)
			continue
		}
		rel, ok := relate(s.text)
		if !ok {
			l.unrelated(s)
		}
		if !ok || rel.soft {
			continue
		}
		missing, speaks := l.missing(s, rel)
		switch {
		case !speaks:
		case missing == "":
			l.note(s.line, plan.EvidenceRelation, "agrees with the graph")
		case found < mostRelations:
			found++
			l.unread(s.line, plan.EvidenceRelation, "this line is not followed: "+missing, "say it in the column \"Depends On\", or in a line \"**Depends on:** …\" of the section")
		default:
			l.unread(s.line, plan.EvidenceRelation, "", "")
		}
	}
}

// stems are the beginnings of words of dependency, whatever their endings.
var stems = []string{
	"depend", "dépend", "dipend", "requir", "requier", "requer", "nécessit", "erforder", "benötig", "abhäng", "hängt", "завис", "требу", "依赖", "依存",
	"의존", "prerequis", "prérequis", "voraus", "zależ", "avhäng", "afhank",
}

// unrelated reports a sentence about the whole of a phase that holds a word of dependency and names
// another phase, but is none of the sentences that are understood.
func (l *ledger) unrelated(s sentence) {
	i := l.owner[s.line] - 1
	if i < 0 || !l.atIntro(s.line, i) || s.item >= 0 && l.doc.inTask(s.item, l.units[i].own-1) || !hasAny(strings.ToLower(s.text), stems...) {
		return
	}
	fields := strings.Fields(s.text)
	for at := 0; at+1 < len(fields); at++ {
		kind, label := plan.SplitKind(fields[at] + " " + strings.Trim(fields[at+1], ".,;:()"))
		k, known := l.index().Find(kind + " " + label)
		if kind == "" || !l.kinds[kind] || !known || k == i || slices.Equal(l.plan.Needs(i), []int{k}) {
			continue
		}
		if l.plan.At(i).Unstated || !l.plan.Reaches(k, i) && !l.plan.Reaches(i, k) {
			l.unread(s.line, plan.EvidenceRelation, fmt.Sprintf("phase %s names phase %s in a sentence that is not understood", l.units[i].Label, l.units[k].Label),
				"if it is a dependency, write \"**Depends on:** …\"")
			return
		}
	}
}

// missing says what a sentence states that the graph does not have; speaks is false when it is not
// about phases.
func (l *ledger) missing(s sentence, rel relation) (missing string, speaks bool) {
	if s.item >= 0 && l.owner[s.line] > 0 && l.doc.inTask(s.item, l.units[l.owner[s.line]-1].own-1) {
		return "", false // a task may be about anything
	}
	subject := l.subjects(rel.subject)
	explicit := len(subject) > 0
	if rel.denied {
		return "", false
	}
	if rel.beside {
		return l.together(slices.Concat(subject, l.phases(rel.object)))
	}
	object := l.phases(rel.object)
	if owner := l.owner[s.line]; !explicit && owner > 0 && l.atIntro(s.line, owner-1) && (rel.strong || rel.inverse) && aboutItself(rel.subject) {
		subject = []int{owner - 1}
	}
	if entry := l.absentAmong(rel.object); len(subject) > 0 && rel.strong && entry != "" {
		return entry + " is not in the plan", true
	}
	if len(subject) == 0 || len(object) == 0 {
		return "", false
	}
	for _, i := range subject {
		for _, k := range object {
			first, second := k, i
			if rel.inverse {
				first, second = i, k
			}
			if first == second || l.plan.Reaches(first, second) && !l.invented(first, second, rel, object) {
				continue
			}
			if l.plan.Reaches(first, second) {
				return fmt.Sprintf("phase %s follows document order, not phase %s", l.units[second].Label, l.units[first].Label), true
			}
			return fmt.Sprintf("phase %s does not wait for phase %s", l.units[second].Label, l.units[first].Label), true
		}
	}
	return "", true
}

// absentAmong is an entry of a list of phases that looks like one and is none: "7" of "phases 1 and
// 7".
func (l *ledger) absentAmong(object string) string {
	if len(object) > mostSaid || !byKind(object) {
		return ""
	}
	known, unknown, _ := l.index().Count(object)
	if known == 0 || unknown == 0 {
		return ""
	}
	for _, entry := range l.index().Unknown(object) {
		if refLike(entry) && strings.ContainsAny(entry, "0123456789") {
			return entry
		}
	}
	return ""
}

// invented reports whether a phase states nothing that was read, so that it follows its
// predecessor, while a sentence says plainly that it waits for another one.
func (l *ledger) invented(first, second int, rel relation, object []int) bool {
	if rel.inverse || !rel.strong || !l.plan.At(second).Unstated {
		return false
	}
	return !slices.Contains(l.plan.Needs(second), first) && len(object) > 0
}

// aboutItself reports whether the subject of a sentence can only be the phase that it stands in.
func aboutItself(subject string) bool {
	w := words(subject)
	return w == "" || among(itself, w)
}

// atIntro reports whether a line is about the whole of a phase.
func (l *ledger) atIntro(line, i int) bool { return line < l.doc.introEnd(&l.units[i]) }

// phases are the phases that a text names by id: with a kind word that phases have, or by a code.
func (l *ledger) phases(text string) []int {
	if len(text) > mostSaid {
		return nil
	}
	lower := strings.ToLower(text)
	kinded := false
	for _, word := range strings.FieldsFunc(lower, func(r rune) bool { return r < 0x80 && (r < 'a' || r > 'z') && r != '-' }) {
		kind, _ := plan.SplitKind(word + " 1")
		if kind == "" {
			continue
		}
		if !l.kinds[kind] && kind != "user story" && kind != "story" {
			return nil
		}
		kinded = true
	}
	if !kinded && !codeLike(strings.TrimLeft(text, "# ")) && !strings.HasPrefix(strings.TrimSpace(text), "#") {
		return nil
	}
	known, unknown, free := l.index().Count(text)
	if free || known == 0 || unknown > 0 {
		return nil
	}
	return l.index().Mentions(text)
}

// together says which of several phases that may run side by side the graph puts one after the
// other.
func (l *ledger) together(phases []int) (missing string, speaks bool) {
	slices.Sort(phases)
	phases = slices.Compact(phases)
	if len(phases) < 2 || len(phases) > 40 {
		return "", false
	}
	for a, i := range phases {
		for _, k := range phases[a+1:] {
			for _, pair := range [][2]int{{i, k}, {k, i}} {
				if l.plan.Reaches(pair[0], pair[1]) {
					return fmt.Sprintf("phase %s waits for phase %s", l.units[pair[1]].Label, l.units[pair[0]].Label), true
				}
			}
		}
	}
	return "", true
}

// chained accounts for the chains of phases: "1 → 2 → 4".
func (l *ledger) chained() {
	for _, s := range l.chains() {
		if as := l.said[s.line]; as != "" {
			l.note(s.line, plan.EvidenceRelation, "%s", as)
			continue
		}
		first, second, lost := l.lostStep(s)
		if lost && s.doubtful {
			continue
		}
		if lost {
			l.unread(s.line, plan.EvidenceRelation,
				fmt.Sprintf("this line is not followed: it puts phase %s before %s, which does not wait for it", l.units[first].Label, l.units[second].Label),
				"what the table and the sections say counts; make them agree")
			continue
		}
		l.note(s.line, plan.EvidenceRelation, "agrees with the graph")
	}
}

// lostStep finds a step of a sequence that the graph does not have. One phase after the other, all
// of them, is an order that a graph allows unless it says the opposite.
func (l *ledger) lostStep(s sequence) (first, second int, lost bool) {
	linear := len(s.layers) == len(l.units)
	for k := 1; k < len(s.layers); k++ {
		for _, first = range s.layers[k-1] {
			for _, second = range s.layers[k] {
				if !l.plan.Reaches(first, second) && (!linear || l.plan.Reaches(second, first)) {
					return first, second, true
				}
			}
		}
	}
	return 0, 0, false
}

// strangers accounts for the labels of a section that name other phases in words that mean nothing
// here: "Beror på: Fas 1". They may state an order, so the graph has to agree with it, whichever
// way round it is.
func (l *ledger) strangers() {
	for i := range l.units {
		u := &l.units[i]
		if u.from == 0 {
			continue
		}
		for _, lb := range l.doc.labelsIn(u.from+1, l.doc.introEnd(u)) {
			if l.said[lb.line] != "" || lb.loose || lb.item >= 0 && l.doc.inTask(lb.item, u.own-1) || knownLabel(lb.name) {
				continue
			}
			l.stranger(i, lb.line, plain(lb.value))
		}
	}
	for i := range l.doc.tables {
		l.strangeColumns(&l.doc.tables[i])
	}
}

// strangeColumns looks at the columns of tables of phases whose heads mean nothing here.
func (l *ledger) strangeColumns(t *table) {
	c := keyed(t, readColumns(t), nil)
	if c.key < 0 || c.needs >= 0 {
		return
	}
	for column, head := range t.header {
		name := headWords(head.raw)
		if slices.Contains(c.all(), column) || among(keyNames, name) || among(titleNames, name) || knownLabel(name) {
			continue
		}
		for _, row := range t.rows {
			id := cellTitle(row.at(c.key).raw)
			i, ok := l.index().Find(prefixed(id.kind+" ", id.label))
			cell := cellList(row.at(column).raw)
			if ok && normal(id.label) == l.plan.At(i).ID && refLike(withoutBrackets(cell)) && l.stranger(i, row.line, cell) {
				break
			}
		}
	}
}

// stranger reports a line that names a phase beside phase i where the graph does not order the two,
// or only because i states nothing.
func (l *ledger) stranger(i, line int, value string) bool {
	value = withoutBrackets(value)
	phases := l.phases(value)
	if known, unknown, _ := l.index().Count(value); l.called(value) && known > 0 && unknown == 0 {
		phases = l.index().Mentions(value)
	}
	for _, k := range phases {
		ordered := l.plan.Reaches(k, i) || l.plan.Reaches(i, k)
		if k == i || ordered && !l.plan.At(i).Unstated || slices.Equal(l.plan.Needs(i), []int{k}) || l.plan.Reaches(i, k) {
			continue
		}
		l.unread(line, plan.EvidenceRelation, fmt.Sprintf("phase %s names phase %s in a line that is not understood", l.units[i].Label, l.units[k].Label),
			"if it is a dependency, write \"**Depends on:** …\"")
		return true
	}
	return false
}

// called reports whether a text names a phase as the document calls its phases.
func (l *ledger) called(text string) bool {
	return slices.ContainsFunc(l.units, func(u unit) bool { return u.title.called != "" && strings.HasPrefix(text, u.title.called) })
}

// knownLabel reports whether a label has a meaning here, or one that is about no order.
func knownLabel(name string) bool {
	if classOf(name) != classNone || needing(name) {
		return true
	}
	for _, list := range [][]string{besideLabels, unlockLabels, statusLabels, estimateNames, prerequisiteNames, asides} {
		if among(list, name) {
			return true
		}
	}
	return false
}

// asides are labels that point at another phase and order nothing.
var asides = []string{
	"next", "next phase", "see", "see also", "related", "related to", "note", "notes",
	"checkpoint", "reference", "references", "parallelization", "follow-up", "followed by", "used by", "context", "goal", "why", "out of scope",
}

// charts accounts for the edges of flow charts.
func (l *ledger) charts() {
	for k := range l.doc.fences {
		f := &l.doc.fences[k]
		chart := l.flowOf(f)
		if chart == nil || l.owner[f.line] > 0 {
			continue
		}
		edges, nodes, resolved := chart.edges(l.index())
		if len(edges) == 0 || resolved*2 <= nodes {
			continue
		}
		l.absentInChart(f, chart)
		lost := slices.IndexFunc(edges, func(e [2]int) bool { return !l.plan.Reaches(e[0], e[1]) })
		if lost < 0 {
			l.note(f.line, plan.EvidenceChart, "agrees with the graph")
			continue
		}
		from, to := l.units[edges[lost][0]].Label, l.units[edges[lost][1]].Label
		l.unread(f.line, plan.EvidenceChart, fmt.Sprintf("the chart is not followed: it draws %s before %s, which does not wait for it", from, to),
			"what the table and the sections say counts; make them agree")
	}
}

// itself are the subjects that can only be the phase in whose section they stand.
var itself = []string{
	"this", "it", "this phase", "this step", "this task", "this milestone", "this story",
	"this unit", "this one", "phase", "the phase", "work", "all work", "dies", "diese", "diese aufgabe", "dieser", "ceci", "celle-ci", "esto", "isto",
	"cette étape", "cette phase", "elle", "diese phase", "dieser schritt", "esta fase", "este paso",
	"essa fase", "este passo", "этот этап", "эта фаза", "本阶段", "该阶段", "此阶段", "このフェーズ", "이 단계",
}
