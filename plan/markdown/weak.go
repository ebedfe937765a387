package markdown

import (
	"slices"
	"strings"

	"autobuild/plan"
)

// weak reads, once all phases are known, the labels that may be about something else.
func (r *reading) weak(u *unit) {
	d := r.doc
	if u.from == 0 || len(u.Needs) > 0 {
		return
	}
	for _, l := range d.labelsIn(u.from, u.introEnd(d)) {
		mayNeed := slices.Contains(weakNeeds, l.name) || l.loose && slices.Contains(needLabels, l.name)
		if !mayNeed || l.item >= 0 && l.item != u.own-1 && d.items[l.item].box != 0 {
			continue
		}
		refs := d.refs(l, plan.Ref{Text: plain(l.value), Pos: d.pos(l.offset)})
		if slices.Contains(prerequisiteNames, l.name) {
			refs = r.onlyPhases(refs)
		}
		u.Needs = append(u.Needs, r.phaseRefs(refs)...)
		if len(u.Needs) > 0 {
			return
		}
	}
	for _, h := range d.headsIn(u.from+1, u.introEnd(d)) {
		if classOf(h.text) != classDepends {
			continue
		}
		var refs []plan.Ref
		for _, p := range d.parasIn(h.line+1, min(h.end, u.to)) {
			refs = append(refs, plan.Ref{Text: plain(strings.TrimLeft(p.raw, "[] ")), Pos: d.pos(p.offset)})
		}
		u.Needs = append(u.Needs, r.phaseRefs(refs)...)
	}
	if text, ok := u.title.needs(); ok && len(u.Needs) == 0 {
		u.Needs = r.phaseRefs([]plan.Ref{{Text: text, Pos: d.pos(u.offset)}})
	}
}

// phaseRefs keeps the references that speak of phases.
func (r *reading) phaseRefs(refs []plan.Ref) []plan.Ref {
	var kept []plan.Ref
	for _, ref := range refs {
		if r.index().Says(ref.Text) || refLike(ref.Text) || r.foreign(ref.Text) {
			kept = append(kept, ref)
		}
	}
	return kept
}

// onlyPhases leaves out the tools and the like that stand beside phases under "Requires". An entry
// with the kind word of a phase stays, known or not.
func (r *reading) onlyPhases(refs []plan.Ref) []plan.Ref {
	for i := range refs {
		if known, unknown, _ := r.index().Count(refs[i].Text); known > 0 && unknown > 0 && !slices.ContainsFunc(splitOutside(refs[i].Text), func(part string) bool {
			return !r.index().Says(part) && (refLike(part) || r.foreign(part) || codeLike(strings.TrimSpace(part)))
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
