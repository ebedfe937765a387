package dialect

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// leaveFragments ranks a reading that is a small part of another below it: at most half of the other
// one's units, which has at least its boxes; or a single unit that is the document itself.
func leaveFragments(all []candidate) {
	for i := range all {
		for j := range all {
			c, o := &all[i], &all[j]
			if len(o.Units) < 2*len(c.Units) || o.Unknown > o.Named || !o.IDsDiffer() ||
				c.Said > o.Said {
				continue
			}
			if c.isFragment(o) {
				o.Score = max(o.Score, c.Score+1) // it accounts for all that c does
			} else if c.isDocument(o) {
				c.Score = min(c.Score, o.Score-1)
			}
		}
	}
}

// isFragment reports whether all units of a reading are among those of another, and others of these
// stand outside its sections. Numbers do not say that two are the same, their names do.
func (c *candidate) isFragment(other *candidate) bool {
	names := map[string]string{}
	for i := range other.Units {
		names[words.NormalID(other.Units[i].Label)] = other.Units[i].Name
	}
	nested := c.inside(other)
	return c.Boxes <= other.Boxes && len(c.Units)+nested < len(other.Units) &&
		!slices.ContainsFunc(c.Units, func(u section.Unit) bool {
			name, found := names[words.NormalID(u.Label)]
			return !found || words.IDPrefix(u.Label) == "" && !words.ShareWord(u.Name, name)
		})
}

// isDocument reports whether the only unit of a reading is the title of the document, and another
// reading has parts of it: those that its id numbers, or that hold all its boxes.
func (c *candidate) isDocument(other *candidate) bool {
	if len(c.Units) != 1 || c.Units[0].Level != 1 || c.Units[0].RowLine > 0 {
		return false
	}
	id := words.NormalID(c.Units[0].Label)
	return c.Boxes <= other.Boxes || !slices.ContainsFunc(other.Units, func(u section.Unit) bool {
		sub, found := strings.CutPrefix(words.NormalID(u.Label), id)
		return !found || sub == "" || !strings.ContainsAny(sub[:1], ".-")
	})
}

// inside counts the units of another reading that stand within the sections of this one's.
func (c *candidate) inside(other *candidate) (n int) {
	for _, o := range other.Units {
		line := max(o.From, o.RowLine)
		if slices.ContainsFunc(c.Units, func(u section.Unit) bool {
			return u.From < line && line < c.Doc.SectionEnd(u.From)
		}) {
			n++
		}
	}
	return n
}
