package markdown

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"autobuild/plan/markdown/document"

	"autobuild/plan/markdown/words"

	"autobuild/plan/markdown/inline"

	"autobuild/internal/text"
	"autobuild/plan"
)

// A document can often be read in several ways: as a table of tasks, as the phases of its headings,
// as a list of boxes. Every way that its signs allow is tried as far as its phases, and the one
// that accounts for most of the document is taken: for its boxes, and for its statements of what
// depends on what.

// candidate is a reading as far as its units.
type candidate struct {
	*reading
	merit
}

// choose reads the document in the chosen dialect, or in every way that it allows, and takes the
// best reading. Nil when there is none.
func choose(doc *document.Document, chosen string) (best *reading, rivals []candidate) {
	var all []candidate
	total := doc.OpenBoxes()
	for i, d := range dialects() {
		if chosen != "" && chosen != d.name() || chosen == "" && !d.signs(doc) {
			continue
		}
		r := &reading{doc: doc, dialect: d.name()}
		d.read(r)
		if len(r.units) == 0 && chosen == "" {
			continue
		}
		c := candidate{reading: r}
		c.merit = r.merit(total)
		c.prior = max(60-2*i, 30)
		if w, ok := d.(interface {
			prior(d *document.Document) int
		}); ok {
			c.prior = w.prior(doc)
		}
		c.score += c.prior
		all = append(all, c)
	}
	for i := range all {
		all[i].doubt()
	}
	if len(all) == 0 {
		return nil, nil
	}
	agree(all)
	sort.SliceStable(all, func(a, b int) bool { return all[a].score > all[b].score })
	for i := 1; i < len(all); i++ {
		if all[i].sections(all[0]) {
			all[i].borrow(all[0])
			return all[i].reading, append(all[:i:i], all[i+1:]...)
		}
	}
	return all[0].reading, all[1:]
}

// doubt marks a reading as a guess when nothing in its sections is work: no box, and no word on
// their order.
func (c *candidate) doubt() {
	if len(c.units) == 0 || c.boxes+c.said > 0 || c.units[0].rowLine > 0 {
		return
	}
	const long = 60 // lines of a document that has room for more than its phases
	switch {
	case c.prior < 30 && c.lines*10 < c.doc.Count() && c.doc.Count() > long:
		c.guessed("a small part of the document", "these")
	case c.prior < 30 && slices.Contains(words.PartKinds, c.units[0].title.Kind):
		c.guessed("headings of parts", "the parts")
	}
}

// agree removes the penalty for unknown references from a table whose rows are the phases of
// another reading: such references are mistakes of the plan. The table must state a known
// dependency, or share a phase name.
func agree(all []candidate) {
	for i := range all {
		c := &all[i]
		if c.unknown == 0 || len(c.units) == 0 || c.units[0].rowLine == 0 {
			continue
		}
		for j := range all {
			if len(all[j].units) > 0 && all[j].units[0].rowLine == 0 && c.samePhases(all[j]) && (c.said > 0 || c.shareName(all[j])) {
				c.score += 150 * c.unknown / (c.unknown + c.named)
				break
			}
		}
	}
}

// samePhases reports whether two readings have phases of the same ids.
func (c candidate) samePhases(other candidate) bool {
	if len(c.units) != len(other.units) {
		return false
	}
	ids, _ := other.ids()
	for i := range c.units {
		if !ids[words.Normal(c.units[i].Label)] {
			return false
		}
	}
	return true
}

// shareName reports whether a row is called as the phase of its id in another reading.
func (c candidate) shareName(other candidate) bool {
	names := map[string]string{}
	for i := range other.units {
		names[words.Normal(other.units[i].Label)] = other.units[i].Name
	}
	return slices.ContainsFunc(c.units, func(u unit) bool {
		name := names[words.Normal(u.Label)]
		return strings.EqualFold(u.called, name) || words.Overlap(u.called, name)
	})
}

// sections reports whether a reading has the same phases as another, and holds the work that the
// other only lists: its milestones say what depends on what, and its phases say what is to be done.
func (c candidate) sections(other candidate) bool {
	if c.said > 0 || c.lines < 4*other.lines || len(c.units) != len(other.units) || other.said == 0 || c.prior < 0 {
		return false
	}
	ids, _ := c.ids()
	for i := range other.units {
		if !ids[words.Normal(other.units[i].Label)] || other.units[i].title.Kind == "" {
			return false
		}
	}
	return true
}

// borrow takes over what another reading of the same phases says of their order.
func (c candidate) borrow(other candidate) {
	for k := range c.units {
		u := &c.units[k]
		for i := range other.units {
			o := &other.units[i]
			if words.Normal(o.Label) != words.Normal(u.Label) {
				continue
			}
			u.Aliases = append(u.Aliases, o.title.Kind+" "+o.Label)
			if o.title.Kind == "milestone" {
				u.Aliases = append(u.Aliases, "M"+o.Label)
			}
			for _, l := range c.doc.LabelsIn(o.from, o.to) {
				if slices.Contains(words.NeedLabels, l.Name) || slices.Contains(words.WeakNeeds, l.Name) {
					u.Needs = c.doc.Refs(l, plan.Ref{Text: inline.Plain(l.Value), Pos: c.doc.Pos(l.Offset)})
					break
				}
			}
		}
	}
}

// nameRivals reports what a reading that lost holds and the one that won does not.
func nameRivals(r *reading, lost []candidate) {
	for _, c := range lost {
		listed := c.prior >= 40 && c.units[0].rowLine > 0
		if c.named+c.boxes == 0 && !listed || c.unknown > c.named || c.prior < 10 {
			continue
		}
		if !slices.ContainsFunc(c.units, func(u unit) bool { return u.own == 0 || !r.doc.Orderly(u.from) }) {
			continue // a list of what waits for what
		}
		missing := r.lacks(c.reading)
		if r.stating == 0 && c.named > 0 {
			missing = r.others(c.reading) // their order is lost, though their text is not
		}
		if len(missing) == 0 || len(missing)*2 < len(c.units) && r.stating > 0 {
			continue
		}
		u := missing[0]
		labels := make([]string, 0, len(missing))
		for _, m := range missing {
			labels = append(labels, m.Label)
		}
		r.warn("W-RIVAL", u.Pos, fmt.Sprintf("read as %s, the document has %d phases that this reading lacks: %s", c.dialect, len(missing), text.JoinSome(labels, 6)),
			"--dialect "+c.dialect+" reads it so; else put them into the phases, or leave them")
		return
	}
}
