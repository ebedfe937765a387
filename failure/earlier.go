package failure

import (
	"cmp"
	"slices"
	"strings"
)

// Earlier is the failed attempt as later rules need it: files are those that it changed, of which
// 50 are kept; action is the decision about it.
func (d Diagnosis) Earlier(files []string, action Action) Earlier {
	return Earlier{
		Type: d.Type, Class: d.Class.Class, Category: d.Category, Fingerprint: d.Fingerprint,
		Message: d.Message, Count: d.Count,
		Files: slices.Clone(files[:min(len(files), MaxList)]), Action: action,
		Conflict: d.ConflictName(),
	}
}

// Less reports whether the failure is a smaller one of the same kind: both were counted, and fewer
// were found.
func (d Diagnosis) Less(than Earlier) bool {
	return d.Type == than.Type && d.Count > 0 && d.Count < than.Count
}

// ConflictName names what the phase is in conflict with, so that the same conflict can be counted:
// "2b: src/api/routes.ts". It is empty where there is no conflict.
func (d Diagnosis) ConflictName() string {
	var sides []string
	for _, c := range d.Conflicts {
		sides = append(sides, cmp.Or(c.Other, ToUser)+": "+c.File)
	}
	if len(sides) == 0 && d.Type == FileConflict {
		sides = slices.Clone(d.Files)
	}
	return Line(strings.Join(slices.Compact(slices.Sorted(slices.Values(sides))), ", "), MaxField)
}

// Redone is the number of decisions that redid the phase because of a conflict or a breach without
// a known author.
func (h History) Redone() int {
	n := 0
	for _, d := range h.Decisions {
		if d.Redo() {
			n++
		}
	}
	return n
}
