package markdown

import (
	"strings"

	"autobuild/plan"
)

// bracketed lists what stands in parentheses in a heading.
func bracketed(raw string) []string {
	var found []string
	for {
		_, after, open := strings.Cut(raw, "(")
		if !open {
			return found
		}
		inner, rest, closed := strings.Cut(after, ")")
		if !closed {
			return found
		}
		found = append(found, inner)
		raw = rest
	}
}

// shortName recognises names such as T5: capitals, then a number. P1 is a priority.
func shortName(label string) bool {
	number := strings.TrimLeft(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	capitals := len(label) - len(number)
	return capitals > 0 && capitals <= 3 && number != "" && numeric(number) && label[:capitals] != "P"
}

// central reads a section about dependencies outside all phases: "- Phase 2 depends on Phase 1",
// "- **Polish (Phase 4)**: Depends on Phase 3". Several sentences about one phase add up.
func (r *reading) central() {
	said := map[int][]plan.Ref{}
	for _, h := range r.doc.heads {
		if !strings.Contains(words(h.text), "dependenc") || r.covered[h.line] {
			continue
		}
		for _, it := range r.doc.itemsIn(h.line+1, h.end) {
			if it.box != 0 || it.quoted || it.depth > 0 || !strings.Contains(words(r.doc.above(it.line).text), "dependenc") {
				continue
			}
			subject, rest, ok := clause(it.raw)
			if !ok {
				continue
			}
			for _, i := range r.subjects(subject) {
				said[i] = append(said[i], r.clauseRefs(rest, it)...)
				r.units[i].Soft = append(r.units[i].Soft, preferences(rest)...)
			}
		}
	}
	for i, refs := range said {
		if len(r.units[i].Needs) == 0 {
			r.units[i].Needs = refs
		}
	}
}

// clause splits "X depends on Y" and "**X**: depends on Y"; rest is what stands behind the verb.
func clause(raw string) (subject, rest string, ok bool) {
	text := plain(raw)
	lower := strings.ToLower(text)
	for _, verb := range []string{" depends on ", " is blocked by ", " requires "} {
		if at := strings.Index(lower, verb); at > 0 && !strings.ContainsAny(lower[:at], ":：") {
			return text[:at], text[at+len(verb):], true
		}
	}
	before, after, found := strings.Cut(text, ":")
	return before, strings.TrimSpace(after), found
}

// subjects finds the phases that a clause is about: "Polish (Phase 4)", "User Stories (Phases 3-5)",
// "Phase 2", "User Story 1 (P1)".
func (r *reading) subjects(text string) []int {
	if open := strings.LastIndexByte(text, '('); open >= 0 {
		inner := strings.Trim(text[open:], "() ")
		if kind, _ := plan.SplitKind(inner); kind != "" {
			if hits := r.index().Mentions(inner); len(hits) > 0 {
				if strings.HasSuffix(inner, "+") && hasAny(words(text[:open]), "stories") {
					return r.onlyStories(hits)
				}
				return hits
			}
		}
		text = text[:open]
	}
	if i, ok := r.index().Find(strings.TrimSpace(text)); ok {
		return []int{i}
	}
	return nil
}

// onlyStories keeps the phases that are user stories: of "User Stories (Phase 3+)", the last phase is not one. Where no
// phase is called a story, all of them are meant.
func (r *reading) onlyStories(hits []int) []int {
	var stories []int
	for _, i := range hits {
		if strings.Contains(strings.ToLower(r.units[i].Name), "user story") {
			stories = append(stories, i)
		}
	}
	if len(stories) == 0 {
		return hits
	}
	return stories
}

// clauseRefs are the phases that the rest of a clause names.
func (r *reading) clauseRefs(rest string, it item) []plan.Ref {
	pos := r.doc.pos(it.off)
	for _, verb := range []string{"depends on ", "all depend on ", "depend on ", "can start after ", "must wait for ", "requires ", "blocked by "} {
		if len(rest) > len(verb) && strings.EqualFold(rest[:len(verb)], verb) {
			rest = rest[len(verb):]
			break
		}
	}
	rest = r.grouped(sentence(rest))
	if !r.index().Says(rest) {
		return nil
	}
	var refs []plan.Ref
	for part := range strings.SplitSeq(rest, ",") {
		if r.index().Says(part) && strings.TrimSpace(part) != "" {
			refs = append(refs, plan.Ref{Text: strings.TrimSpace(part), Pos: pos})
		}
	}
	return refs
}

// sentence is the first sentence of a text, without what follows a dash.
func sentence(s string) string {
	for _, end := range []string{". ", "。", " - ", " — ", " – ", "; "} {
		if before, _, found := strings.Cut(s, end); found {
			s = before
		}
	}
	return strings.TrimRight(strings.TrimSpace(s), ".")
}
