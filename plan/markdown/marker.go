package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
)

// Marker marks phases as done like Mark, and parses a text once: it keeps the byte offsets of all
// marks, and recognises the text with any of them. ParseMarked makes it. Its methods may be called
// from any goroutine.
type Marker struct {
	Start string // the text that the plan was read from
	plan  *plan.Plan

	mu      sync.Mutex
	text    string          // the text that was parsed
	foreign bool            // text is not Start
	edits   []phaseEdit     // of all phases in text, by place, without overlaps
	in      map[string]bool // ids of the phases in text
}

// phaseEdit is one change that marks a phase as done.
type phaseEdit struct {
	document.Edit
	phases []string // ids; a box may belong to several
}

// Done returns src with phases marked as done. It makes the marks that it can, and the error joins
// those of the phases that src does not have.
func (m *Marker) Done(src []byte, phases ...string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wanted := make(map[string]bool, len(phases))
	for _, id := range phases {
		wanted[id] = true
	}
	edits, known := m.find(src, wanted)
	if !known {
		if err := m.read(src); err != nil {
			return nil, fmt.Errorf("reading %s again to mark it: %w", m.plan.Path, err)
		}
		edits, _ = m.find(src, wanted)
	}
	var err error
	for _, id := range phases {
		if !m.in[id] {
			err = fmt.Errorf("phase %s is no longer in %s", id, m.plan.Path)
		}
	}
	if len(edits) == 0 {
		return src, err
	}
	return []byte(document.Apply(src, edits)), err
}

// Knows reports whether src differs from Start in nothing but marks of this Marker. It is false for
// all texts once Done has met one that does.
func (m *Marker) Knows(src []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.foreign {
		return false
	}
	_, known := m.find(src, nil)
	return known
}

// read parses a text and keeps where its marks go. Of edits that overlap, the first counts, as it
// does in document.Apply. The caller holds mu.
func (m *Marker) read(src []byte) error {
	r, err := open(src, Options{Reading: m.plan.Reading})
	if err != nil {
		return err
	}
	text := m.Start
	if string(src) != text {
		text = string(src)
	}
	m.adopt(r, text)
	return nil
}

// adopt keeps where the marks of a text go, which r is the reading of.
func (m *Marker) adopt(r *reading, text string) {
	m.text, m.foreign = text, text != m.Start
	m.edits, m.in = nil, make(map[string]bool, len(r.units))
	for _, e := range allEdits(r, m.in) {
		last := len(m.edits) - 1
		switch {
		case last >= 0 && m.edits[last].Edit == e.Edit:
			m.edits[last].phases = append(m.edits[last].phases, e.phases...)
		case last < 0 || e.From >= m.edits[last].To:
			m.edits = append(m.edits, e)
		}
	}
}

// allEdits are the edits that mark each unit as done, by place; it notes the ids of the units.
func allEdits(r *reading, in map[string]bool) []phaseEdit {
	var all []phaseEdit
	word := statusWord(r, plan.StatusDone)
	for i := range r.units {
		id := idOf(r.units[i].Label)
		if in[id] {
			continue // Mark, too, takes the first unit of an id
		}
		in[id] = true
		ids := []string{id}
		for _, e := range edits(r, &r.units[i], plan.StatusDone, word) {
			all = append(all, phaseEdit{Edit: e, phases: ids})
		}
	}
	slices.SortStableFunc(all, func(a, b phaseEdit) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return all
}

// find walks through src beside the text that was parsed. It returns the edits of src that the
// wanted phases still need, and false where src differs in anything but marks. The caller holds mu.
func (m *Marker) find(src []byte, wanted map[string]bool) (needed []document.Edit, known bool) {
	at, to := 0, 0 // in text, in src
	for _, e := range m.edits {
		between := m.text[at:e.From]
		if !hasPrefix(src[to:], between) {
			return nil, false
		}
		to += len(between)
		old := m.text[e.From:e.To]
		isMarked := hasPrefix(src[to:], e.Text)
		isOld := hasPrefix(src[to:], old)
		switch {
		case isMarked && (!isOld || len(e.Text) > len(old)):
			to += len(e.Text)
		case isOld:
			if slices.ContainsFunc(e.phases, func(id string) bool { return wanted[id] }) {
				needed = append(needed,
					document.Edit{From: to, To: to + len(old), Text: e.Text})
			}
			to += len(old)
		default:
			return nil, false
		}
		at = e.To
	}
	return needed, string(src[to:]) == m.text[at:]
}

// hasPrefix compares without a copy of either.
func hasPrefix(src []byte, s string) bool { return len(src) >= len(s) && string(src[:len(s)]) == s }
