package reading

import (
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// part is a task of one phase with an id of its own.
type part struct {
	unit int // position of the phase; -1 where several phases have the id
	kind string
}

// Within gives the label of the one phase whose section has a box, an item or a heading with an id:
// "2" for "2.1". A plain number needs its kind word, because every list has items of low numbers.
// Where several phases have the id, phase is not empty and ok is false.
func (r *Reading) Within(label string) (phase string, ok bool) {
	kind, core := plan.SplitKind(label)
	if written, rest := words.IDAt(core); written == "" || rest != "" || r.Covered == nil ||
		!strings.ContainsAny(core, "0123456789") {
		return "", false
	}
	plain := strings.Trim(core, "0123456789") == ""
	if plain && kind == "" {
		return "", false
	}
	id := words.NormalID(core)
	if r.parts == nil {
		r.readParts()
	}
	p, found := r.parts[id]
	if found && p.unit < 0 && !plain {
		return r.Units[0].Label, false
	}
	if !found || p.unit < 0 || plain && kind != p.kind ||
		kind != "" && p.kind != "" && kind != p.kind {
		return "", false
	}
	return r.Units[p.unit].Label, true
}

// readParts collects the ids of tasks in the sections of all phases.
func (r *Reading) readParts() {
	r.parts = map[string]part{}
	ids, _ := r.IDs()
	for i := range r.Units {
		u := &r.Units[i]
		if u.From == 0 {
			continue
		}
		for _, h := range r.Doc.HeadingsIn(u.From+1, u.To) {
			r.addPart(ids, i, h.Text)
		}
		for _, it := range r.Doc.ItemsIn(u.From, u.To) {
			if startsWithID(it.Raw) &&
				(it.Box != 0 || it.Number != "" || strings.HasPrefix(it.Raw, u.Label+".")) {
				r.addPart(ids, i, words.Bare(inline.Plain(it.Raw)))
			}
		}
	}
}

// startsWithID reports whether an id with a digit may stand at the beginning of an item.
func startsWithID(raw string) bool {
	const longest = 24 // bytes of a kind word and an id
	return strings.ContainsAny(raw[:min(len(raw), longest)], "0123456789")
}

// addPart notes the id with which a title begins, unless a phase has it. A title in one section
// refers to another phase by "2.1" where there is a phase 2, and by the kind word of the phases.
func (r *Reading) addPart(ids map[string]bool, unit int, title string) {
	kind, core := plan.SplitKind(title)
	label, _ := words.IDAt(core)
	id := words.NormalID(label)
	if id == "" || ids[id] || !strings.ContainsAny(id, "0123456789") {
		return
	}
	u := &r.Units[unit]
	around, _, _ := strings.Cut(id, ".")
	if own := words.NormalID(u.Label); !strings.HasPrefix(id, own+".") &&
		(ids[around] || kind != "" && kind == u.Title.Kind) {
		return
	}
	if earlier, taken := r.parts[id]; taken && earlier.unit != unit {
		unit = -1
	}
	r.parts[id] = part{unit: unit, kind: kind}
}
