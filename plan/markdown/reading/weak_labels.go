package reading

import (
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// readWeakLabels reads, once all phases are known, the labels that may be about something else.
func (r *Reading) readWeakLabels(u *section.Unit) {
	d := r.Doc
	if u.From == 0 || len(u.Needs) > 0 {
		return
	}
	for _, l := range d.LabelsIn(u.From, u.WholeEnd(d)) {
		mayNeed := slices.Contains(words.WeakNeeds, l.Name) || l.Loose &&
			slices.Contains(words.NeedLabels, l.Name)
		if !mayNeed || l.Item >= 0 && l.Item != u.Own-1 && d.Items[l.Item].Box != 0 {
			continue
		}
		refs := d.LabelRefs(l, plan.Ref{Text: inline.References(l.Value), Pos: d.Pos(l.Offset)})
		if slices.Contains(words.PrerequisiteNames, l.Name) {
			refs = r.onlyPhases(refs)
		}
		u.Needs = append(u.Needs, r.phaseRefs(refs)...)
		if len(u.Needs) > 0 {
			return
		}
	}
	for _, h := range d.HeadingsIn(u.From+1, u.WholeEnd(d)) {
		if words.ClassOf(h.Text) != words.ClassDepends && !words.IsNeedLabel(inline.Words(h.Text)) {
			continue
		}
		var refs []plan.Ref
		for _, p := range d.ParagraphsIn(h.Line+1, min(h.End, u.To)) {
			ref := plan.Ref{Text: inline.Plain(strings.TrimLeft(p.Raw, "[] ")), Pos: d.Pos(p.Offset)}
			if !r.saysWho(ref.Text, u) {
				refs = append(refs, ref)
			}
		}
		u.Needs = append(u.Needs, r.phaseRefs(refs)...)
	}
	if text, ok := u.Title.Needs(); ok && len(u.Needs) == 0 {
		u.Needs = r.phaseRefs([]plan.Ref{{Text: text, Pos: d.Pos(u.Offset)}})
	}
}

// saysWho reports whether a line states what another phase than u waits for: "Phase 2: no
// dependencies".
func (r *Reading) saysWho(text string, u *section.Unit) bool {
	if !words.HasRelation(text) {
		return false
	}
	rel, ok := words.Relate(text)
	return ok && slices.ContainsFunc(r.Subjects(rel.Subject), func(i int) bool { return &r.Units[i] != u })
}

// phaseRefs keeps the references that name phases.
func (r *Reading) phaseRefs(refs []plan.Ref) []plan.Ref {
	var kept []plan.Ref
	for _, ref := range refs {
		if r.Index().Says(ref.Text) || words.RefLike(ref.Text) || r.namesForeignPhase(ref.Text) {
			kept = append(kept, ref)
		}
	}
	return kept
}

// onlyPhases drops tools and the like from lists under "Requires". An entry with the kind word of a
// phase stays, known or not.
func (r *Reading) onlyPhases(refs []plan.Ref) []plan.Ref {
	for i := range refs {
		if known, unknown, _ := r.Index().Count(refs[i].Text); known > 0 && unknown > 0 &&
			!slices.ContainsFunc(words.SplitOutsideBrackets(refs[i].Text), func(part string) bool {
				return !r.Index().Says(part) &&
					(words.RefLike(part) || r.namesForeignPhase(part) ||
						words.CodeLike(strings.TrimSpace(part)))
			}) {
			refs[i].Text = r.Index().Named(refs[i].Text)
		}
	}
	return refs
}

// namesForeignPhase reports whether a list begins with a phase of another document.
func (r *Reading) namesForeignPhase(text string) bool {
	if r.Elsewhere == nil {
		return false
	}
	first, _, _ := strings.Cut(text, ",")
	first, _, _ = strings.Cut(first, "(")
	_, ok := r.Elsewhere(strings.TrimSpace(first))
	return ok
}
