package document

import (
	"slices"

	"autobuild/plan/markdown/words"
)

// pairedTitles reads the titles of headings that give one phase two numbers, "Milestone 9 & 10:
// Name", where neither number has a heading of its own.
func (d *Document) pairedTitles() {
	var ids map[string]bool
	for i := range d.Headings {
		h := &d.Headings[i]
		if h.Title.Label != "" {
			continue
		}
		t := words.ReadPair(h.Raw)
		if t.Label == "" {
			continue
		}
		if ids == nil {
			ids = d.titleIDs()
		}
		if !slices.ContainsFunc(t.Numbers(), func(label string) bool { return ids[titleID(t.Kind, label)] }) {
			h.Title = t
		}
	}
}

// titleIDs are the ids of all headings, each with its kind.
func (d *Document) titleIDs() map[string]bool {
	ids := map[string]bool{}
	for i := range d.Headings {
		if t := &d.Headings[i].Title; t.Label != "" {
			ids[titleID(t.Kind, t.Label)] = true
		}
	}
	return ids
}

func titleID(kind, label string) string { return kind + " " + words.NormalID(label) }
