package plan

import (
	"slices"
	"strings"
)

// Index answers, while a draft is still being read, whether a text names phases. Readers need it to
// distinguish "Prerequisites: Phase 1" from "Prerequisites: Node 20".
type Index struct {
	r resolver
}

// NewIndex builds an index of the phases read so far. It keeps the list, and gives an ID to the
// phases that have none. within is as in Draft, and may be nil.
func NewIndex(
	phases []DraftPhase, within func(label string) (phase string, ok bool),
) *Index {
	for i := range phases {
		if phases[i].ID == "" {
			if id, err := NormalID(phases[i].Label); err == nil {
				phases[i].ID = id
			}
		}
	}
	known := newNames(phases)
	known.within = within
	return &Index{r: resolver{names: known, draft: &Draft{}}}
}

// Find is the position of the phase that a label names, when it names exactly one.
func (x *Index) Find(label string) (int, bool) { return x.r.one(label) }

// Says reports whether a text, as a list of dependencies, has a meaning: none, all, or at least one
// phase by name.
func (x *Index) Says(text string) bool {
	if _, none := x.r.saysNone(text); none {
		return true
	}
	return len(x.Mentions(text)) > 0
}

// Mentions lists the positions of the phases that a list names, ascending; "all" names every one.
func (x *Index) Mentions(text string) []int {
	if _, none := x.r.saysNone(text); none {
		return nil
	}
	if hit, ok := x.r.phaseByName(text); ok {
		return []int{hit}
	}
	var hits []int
	for _, item := range x.r.splitList(text) {
		if found := x.r.phasesInBrackets(item); len(found) > 0 {
			hits = append(hits, found...)
			continue
		}
		if _, all := saysAll(item.text); all {
			for i := range x.r.phases {
				hits = append(hits, i)
			}
			continue
		}
		hits = append(hits, x.entry(item).hits...)
	}
	return unique(hits)
}

// entry reads an entry of a list, or the note behind one that names no phase itself.
func (x *Index) entry(item listItem) entry {
	e := x.r.read(item.text)
	if kind, _ := SplitKind(item.notes); len(e.hits) == 0 && !e.apart && kind != "" {
		return x.r.read(item.notes)
	}
	return e
}

// Called lists the phases of a list whose entries are nothing but names of phases, as prose writes
// them: "Setup and Backend", "the Setup phase". It is empty where an entry is something else, and
// where a single word may be meant in general, as in "it needs setup".
func (x *Index) Called(text string) (hits []int) {
	if len(x.r.called) == 0 {
		return nil
	}
	for _, item := range x.r.splitList(text) {
		hit, ok := x.r.calledBy(item.text)
		if !ok {
			return nil
		}
		hits = append(hits, hit)
	}
	return hits
}

// Named is a list of dependencies without the entries that name no phase: of "Phase 1, an API key"
// it is "Phase 1".
func (x *Index) Named(text string) string {
	var kept []string
	for _, item := range x.r.splitList(text) {
		if len(x.r.read(item.text).hits) > 0 {
			kept = append(kept, item.text)
		}
	}
	return strings.Join(kept, ", ")
}

// Unknown lists the entries of a list of dependencies that name no phase.
func (x *Index) Unknown(text string) []string {
	var list []string
	for _, item := range x.r.splitList(text) {
		if e := x.r.read(item.text); !e.namesPhase() && item.text != "" {
			list = append(list, item.text)
		}
	}
	return list
}

// Count counts the entries of a list of dependencies that name phases, and those that name nothing
// known. free is whether the list says "none" or "all".
func (x *Index) Count(text string) (known, unknown int, free bool) {
	if _, none := x.r.saysNone(text); none {
		return 0, 0, true
	}
	if _, ok := x.r.phaseByName(text); ok {
		return 1, 0, false
	}
	for _, item := range x.r.splitList(text) {
		e := x.entry(item)
		if item.text == "" || e.apart && len(e.hits) == 0 ||
			known > 0 && slices.Contains(states, item.text) {
			continue
		}
		_, all := saysAll(item.text)
		_, none := x.r.saysNone(item.text)
		switch {
		case len(e.hits) > 0 && e.unsure == "" || len(x.r.phasesInBrackets(item)) > 0:
			known++
		case all || none || saysPrevious(item.text):
			free = true
		case len(e.hits) == 0 && e.namesPhase(): // "not phase 1"
		default:
			unknown++
		}
	}
	return known, unknown, free
}
