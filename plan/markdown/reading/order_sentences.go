package reading

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// orderSentences reads sentences outside all phases about their order: "- Phase 2 depends on Phase
// 1", "**Polish (Phase 4)**: Depends on Phase 3", "Milestone 4 depends on both 2 and 3". Several
// sentences about one phase add up.
func (r *Reading) orderSentences() map[int][]plan.Ref {
	said, loose, grouped := map[int][]plan.Ref{}, map[int][]plan.Ref{}, map[int][]plan.Ref{}
	r.OrderSentences, r.unlocks = nil, nil
	for _, s := range r.Doc.Sentences() {
		if s.Line < len(r.Covered) && r.Covered[s.Line] || r.IsPhaseLine(s.Line) ||
			r.isPhaseItem(s) {
			continue
		}
		subject, refs := r.readOrder(s)
		r.take(s, subject, refs)
		if len(subject) == 0 {
			r.readInverse(s)
			r.readGroup(s, grouped)
		}
		r.readOthers(s, grouped)
		to := said
		if !r.Doc.IsAboutOrder(s.Line) {
			to = loose
		}
		for _, i := range subject {
			for _, ref := range refs {
				if hits := r.Index().Mentions(ref.Text); len(hits) != 1 || hits[0] != i {
					to[i] = append(to[i], ref)
				}
			}
		}
	}
	for k, more := range []map[int][]plan.Ref{r.orderTables(), loose, grouped} {
		for i, refs := range more {
			if len(said[i]) == 0 && (k < 2 || len(r.Units[i].Needs) == 0) {
				said[i] = refs
			}
		}
	}
	return said
}

// OrderSentence is a clause that edges were read from, and the phases between which they are.
type OrderSentence struct {
	Line    int
	Text    string
	Subject []int
	Phases  []int // the subject too
}

// take records what a clause was read as.
func (r *Reading) take(s document.Sentence, subject []int, refs []plan.Ref) {
	if len(subject) == 0 || len(refs) == 0 {
		return
	}
	phases := slices.Clone(subject)
	for _, ref := range refs {
		phases = append(phases, r.Index().Mentions(ref.Text)...)
	}
	r.OrderSentences = append(r.OrderSentences, OrderSentence{s.Line, s.Text, subject, phases})
}

// isPhaseItem reports whether the list item of a sentence stands for a phase: what it says is read
// with the phase.
func (r *Reading) isPhaseItem(s document.Sentence) bool {
	return s.Item >= 0 && r.owned != nil && r.owned[s.Item]
}

// IsPhaseLine reports whether a line is the row or the box of a phase.
func (r *Reading) IsPhaseLine(line int) bool {
	return line < len(r.ownLines) && r.ownLines[line]
}

// readOrder reads which phases a sentence is about, and what they depend on. A name before a colon
// is a phase only under a heading about order; elsewhere the sentence itself has to say "depends
// on".
func (r *Reading) readOrder(s document.Sentence) (subject []int, refs []plan.Ref) {
	about := r.Doc.IsAboutOrder(s.Line)
	rel, ok := words.Relate(s.Text)
	if !ok && about {
		rel, ok = r.colonList(s.Text)
	}
	if !ok || rel.Beside || rel.Inverse || rel.Soft || rel.Denied || rel.Post && !about {
		return nil, nil
	}
	switch {
	case rel.Subject == "" && about:
		if subject = r.Subjects(s.Before); len(subject) == 0 {
			subject = r.contextPhases(s)
		}
	case rel.Subject != "" && (about || (rel.Strong || rel.None && rel.Rest == "") && !rel.Colon):
		subject = r.Subjects(rel.Subject)
		if len(subject) == 0 && about {
			subject = r.Subjects(r.withoutAside(rel.Subject))
		}
	}
	if len(subject) == 0 || rel.Mutual && len(subject) > 1 && !rel.Colon {
		return nil, nil // "1 and 2 are independent": of each other
	}
	return subject, r.orderObjects(s, rel)
}

// orderObjects lists the references in the object of a sentence.
func (r *Reading) orderObjects(s document.Sentence, rel words.Relation) (refs []plan.Ref) {
	pos := r.Doc.Pos(s.Offset)
	if rel.None {
		return []plan.Ref{{Text: "none", Pos: pos}}
	}
	object := r.expandGroup(rel.Object)
	if plan.SaysAll(rel.Object) {
		// "all phases but 3": the exception belongs to the list
		return []plan.Ref{{Text: object + rel.Rest, Pos: pos, Sentence: true}}
	}
	if !r.Index().Says(object) {
		return nil
	}
	known, unknown, free := r.Index().Count(object)
	if known == 0 && !free && !r.Doc.IsAboutOrder(s.Line) {
		return nil // "Phase 4 needs 2 voices"
	}
	if known == 1 && unknown == 0 {
		return []plan.Ref{{Text: object, Pos: pos, Sentence: true}}
	}
	for _, part := range words.SplitOutsideBrackets(object) {
		if part = strings.TrimSpace(part); part != "" && r.Index().Says(part) {
			refs = append(refs, plan.Ref{Text: part, Pos: pos, Sentence: true})
		}
	}
	return refs
}

// readOwnSentences reads what the section of a phase says of its order in a sentence: "It depends
// on Phase 1." Only a sentence about the phase itself counts, and only where nothing else states
// it.
func (r *Reading) readOwnSentences() {
	owner := r.silentOwners()
	for _, s := range r.Doc.Sentences() {
		i := owner[s.Line] - 1
		if i < 0 || r.IsPhaseLine(s.Line) || s.Item >= 0 && r.Doc.InTask(s.Item, r.Units[i].Own-1) {
			continue
		}
		rel, ok := words.Relate(s.Text)
		if rel.Inverse && words.BeginsWithItself(rel.Object) {
			// "Phase 1 must land before this one"
			rel = words.Relation{Object: rel.Subject, Strong: true}
		}
		if !ok || !isOwn(rel) || !r.aboutPhase(rel.Subject, i) {
			continue
		}
		if plan.SaysAll(rel.Object) && !rel.None {
			// "It depends on all earlier phases, except Phase 3": the exception belongs to the list
			r.Units[i].Needs = append(r.Units[i].Needs, plan.Ref{
				Text: rel.Object + rel.Rest, Pos: r.Doc.Pos(s.Offset), Sentence: true,
			})
			continue
		}
		if rel.None && r.namesOther(s.Text, i) {
			continue // "It does not need Beta" says nothing of the others
		}
		if !rel.None && !r.namesOnlyPhases(rel.Object) {
			continue // "requires 2 servers"
		}
		refs := r.orderObjects(s, rel)
		r.take(s, []int{i}, refs)
		for _, ref := range refs {
			if hits := r.Index().Mentions(ref.Text); len(hits) != 1 || hits[0] != i {
				r.Units[i].Needs = append(r.Units[i].Needs, ref)
			}
		}
	}
}

// silentOwners are the phases, plus one, by the lines of their sections, of those that state no
// dependency.
func (r *Reading) silentOwners() map[int]int {
	owner := map[int]int{}
	for i := range r.Units {
		u := &r.Units[i]
		if u.From == 0 || len(u.Needs) > 0 {
			continue
		}
		end := min(u.To, u.WholeEnd(r.Doc))
		for n := u.From; n < end; n++ {
			owner[n] = i + 1
		}
	}
	return owner
}

// namesOther reports whether a sentence holds the name of another phase than i.
func (r *Reading) namesOther(text string, i int) bool {
	const most, shortest = 1000, 4 // phases, bytes
	for k := range r.Units[:min(most, len(r.Units))] {
		if name := r.Units[k].Name; k != i && len(name) >= shortest && strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// namesOnlyPhases reports whether an object lists phases by kind word or by name, and nothing else.
func (r *Reading) namesOnlyPhases(object string) bool {
	known, unknown, free := r.Index().Count(object)
	return known > 0 && unknown == 0 && !free && words.NamesByKind(object) ||
		len(r.Index().Called(object)) > 0
}

// isOwn reports whether a sentence in the section of a phase can be about what the phase waits for.
func isOwn(rel words.Relation) bool {
	return (rel.Strong || rel.None && rel.Rest == "") && !rel.Inverse && !rel.Beside && !rel.Soft &&
		!rel.Colon && !rel.Denied
}

// aboutPhase reports whether the subject of a sentence in the section of a phase is that phase.
func (r *Reading) aboutPhase(subject string, i int) bool {
	if words.IsPhaseItself(subject) {
		return true
	}
	hits := r.Subjects(subject)
	return len(hits) == 1 && hits[0] == i && words.NamesByKind(subject)
}

// colonList reads "Phase 3: Phase 1, Phase 2" and "Setup (Phase 1): none", without a verb.
func (r *Reading) colonList(text string) (words.Relation, bool) {
	subject, object, found := strings.Cut(text, ":")
	if wide, after, other := strings.Cut(text, "："); !found && other {
		subject, object, found = wide, after, true
	}
	object = words.FirstClause(object)
	if !found || object == "" || !words.RefLike(object) &&
		!strings.HasPrefix(strings.ToLower(object), "no") &&
		!strings.HasPrefix(strings.ToLower(object), "n/a") {
		return words.Relation{}, false
	}
	return words.Relation{Subject: subject, Object: object, Colon: true}, true
}

// withoutAside is a subject without what follows a dash: "Step 3 (serve command) —".
func (r *Reading) withoutAside(subject string) string {
	for _, dash := range []string{" — ", " – ", " - "} {
		subject, _, _ = strings.Cut(subject, dash)
	}
	return subject
}

// contextPhases finds the phases that a sentence without a subject is about: those of the list item
// around it, or of the line in bold before its list.
func (r *Reading) contextPhases(s document.Sentence) []int {
	d := r.Doc
	if s.Item >= 0 {
		if parent := d.Items[s.Item].Parent; parent >= 0 {
			if hits := r.Subjects(strings.TrimRight(inline.Plain(d.Items[parent].Raw), ":： ")); len(
				hits) > 0 {
				return hits
			}
		}
	}
	for n := s.Line - 1; n > max(0, s.Line-12); n-- {
		line := strings.TrimSpace(d.Line(n))
		switch {
		case line == "":
		case strings.HasPrefix(line, "**"):
			return r.Subjects(strings.TrimRight(inline.Plain(line), ":： "))
		case strings.HasPrefix(line, "#"):
			return r.Subjects(strings.TrimSpace(strings.TrimLeft(line, "#")))
		case document.AfterMarker(line) == "" && !strings.HasPrefix(d.Line(n), " "):
			return nil
		}
	}
	return nil
}

// Subjects finds the phases that a clause is about: "Polish (Phase 4)", "User Stories (Phases
// 3-5)", "Phase 2", "User Story 1 (P1)", "Milestones 1 and 2".
func (r *Reading) Subjects(text string) []int {
	text = strings.Trim(text, " *_:：—–-·")
	if open := strings.LastIndexByte(text, '('); open >= 0 {
		inner := strings.Trim(text[open:], "() ")
		if kind, _ := plan.SplitKind(inner); kind != "" {
			if hits := r.Index().Mentions(inner); len(hits) > 0 {
				if strings.HasSuffix(inner, "+") && words.ContainsAny(inline.Words(text[:open]),
					"stories") {
					return r.onlyStories(hits)
				}
				return hits
			}
		}
	}
	text = words.WithoutArticle(words.WithoutOnly(words.WithoutBrackets(text)))
	if !r.ofKind(text) {
		return nil
	}
	if i, ok := r.Index().Find(text); ok {
		return []int{i}
	}
	if t := words.ReadTitle(text); t.Label != "" && !words.RefLike(t.Name) {
		if i, ok := r.Index().Find(words.Prefixed(t.Kind+" ", t.Label)); ok {
			return []int{i}
		}
		if i, ok := r.Index().Find(t.Label); ok &&
			(t.Kind != "" || !words.IsNumeric(t.Label) || r.Units[i].Title.Kind == "") {
			return []int{i}
		}
	}
	if kind, _ := plan.SplitKind(text); kind != "" || strings.HasPrefix(text, "#") ||
		words.CodeLike(text) {
		if known, unknown, _ := r.Index().Count(text); known > 0 && unknown == 0 {
			return r.Index().Mentions(text)
		}
	}
	return r.Index().Called(text)
}

// onlyStories keeps the phases that are user stories: of "User Stories (Phase 3+)", the last phase
// is not one. Where no phase is called a story, all of them are meant.
func (r *Reading) onlyStories(hits []int) []int {
	var stories []int
	for _, i := range hits {
		if strings.Contains(strings.ToLower(r.Units[i].Name), "user story") {
			stories = append(stories, i)
		}
	}
	if len(stories) == 0 {
		return hits
	}
	return stories
}

// Group is a phrase that stands for several phases.
type Group struct {
	Words  []string
	Labels []string
}

// expandGroup replaces a phrase for several phases by their labels.
func (r *Reading) expandGroup(text string) string {
	if strings.ContainsAny(text, "0123456789") {
		return text // "all implementation phases (1-7)" says which
	}
	lower := strings.ToLower(text)
	for _, g := range r.Groups {
		for _, phrase := range g.Words {
			if strings.Contains(lower, phrase) && len(g.Labels) > 0 {
				return strings.Join(g.Labels, ", ")
			}
		}
	}
	return text
}

// readPreferences adds the preferences that sentences outside all phases state.
func (r *Reading) readPreferences() {
	for _, s := range r.Doc.Sentences() {
		if s.Line < len(r.Covered) && r.Covered[s.Line] || !r.Doc.IsAboutOrder(s.Line) {
			continue
		}
		rel, ok := words.Relate(s.Text)
		if !ok {
			continue
		}
		subject := r.Subjects(rel.Subject)
		if len(subject) == 0 {
			subject = r.Subjects(s.Before)
		}
		text := rel.Rest
		if rel.Soft {
			text = rel.Object
		}
		if !words.IsSoft(text) && !rel.Soft {
			continue
		}
		for _, i := range subject {
			r.Units[i].Soft = append(r.Units[i].Soft,
				plan.Ref{Text: text, Pos: r.Doc.Pos(s.Offset)})
		}
	}
}
