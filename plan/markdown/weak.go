package markdown

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/words"

	"autobuild/plan/markdown/inline"

	"autobuild/plan"
)

// weak reads, once all phases are known, the labels that may be about something else.
func (r *reading) weak(u *unit) {
	d := r.doc
	if u.from == 0 || len(u.Needs) > 0 {
		return
	}
	for _, l := range d.LabelsIn(u.from, u.introEnd(d)) {
		mayNeed := slices.Contains(words.WeakNeeds, l.Name) || l.Loose && slices.Contains(words.NeedLabels, l.Name)
		if !mayNeed || l.Item >= 0 && l.Item != u.own-1 && d.Items[l.Item].Box != 0 {
			continue
		}
		refs := d.Refs(l, plan.Ref{Text: inline.Plain(l.Value), Pos: d.Pos(l.Offset)})
		if slices.Contains(words.PrerequisiteNames, l.Name) {
			refs = r.onlyPhases(refs)
		}
		u.Needs = append(u.Needs, r.phaseRefs(refs)...)
		if len(u.Needs) > 0 {
			return
		}
	}
	for _, h := range d.HeadsIn(u.from+1, u.introEnd(d)) {
		if words.ClassOf(h.Text) != words.ClassDepends {
			continue
		}
		var refs []plan.Ref
		for _, p := range d.ParasIn(h.Line+1, min(h.End, u.to)) {
			refs = append(refs, plan.Ref{Text: inline.Plain(strings.TrimLeft(p.Raw, "[] ")), Pos: d.Pos(p.Offset)})
		}
		u.Needs = append(u.Needs, r.phaseRefs(refs)...)
	}
	if text, ok := u.title.Needs(); ok && len(u.Needs) == 0 {
		u.Needs = r.phaseRefs([]plan.Ref{{Text: text, Pos: d.Pos(u.offset)}})
	}
}

// phaseRefs keeps the references that speak of phases.
func (r *reading) phaseRefs(refs []plan.Ref) []plan.Ref {
	var kept []plan.Ref
	for _, ref := range refs {
		if r.index().Says(ref.Text) || words.RefLike(ref.Text) || r.foreign(ref.Text) {
			kept = append(kept, ref)
		}
	}
	return kept
}

// onlyPhases leaves out the tools and the like that stand beside phases under "Requires". An entry
// with the kind word of a phase stays, known or not.
func (r *reading) onlyPhases(refs []plan.Ref) []plan.Ref {
	for i := range refs {
		if known, unknown, _ := r.index().Count(refs[i].Text); known > 0 && unknown > 0 && !slices.ContainsFunc(words.SplitOutside(refs[i].Text), func(part string) bool {
			return !r.index().Says(part) && (words.RefLike(part) || r.foreign(part) || words.CodeLike(strings.TrimSpace(part)))
		}) {
			refs[i].Text = r.index().Named(refs[i].Text)
		}
	}
	return refs
}

// foreign reports whether a list begins with a phase of another document.
func (r *reading) foreign(text string) bool {
	if r.elsewhere == nil {
		return false
	}
	first, _, _ := strings.Cut(text, ",")
	first, _, _ = strings.Cut(first, "(")
	_, ok := r.elsewhere(strings.TrimSpace(first))
	return ok
}
