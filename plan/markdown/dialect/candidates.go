package dialect

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// A document can often be read in several ways: as a table of tasks, as the phases of its headings,
// as a list of boxes. Each dialect whose signs it has is tried as far as its phases. The reading
// with the highest merit wins: the one with most boxes and most stated dependencies in its phases.

// candidate is a reading up to its units, with its merit.
type candidate struct {
	*reading.Reading
	reading.Merit
}

// choose reads the document in the chosen dialect, or in every way that it allows, and takes the
// best reading. Nil when there is none.
func choose(doc *document.Document, chosen string) (best *reading.Reading, rivals []candidate) {
	all := candidates(doc, chosen)
	if len(all) == 0 {
		return nil, nil
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].Score > all[b].Score })
	for i := 1; i < len(all); i++ {
		if all[i].sections(all[0]) {
			all[i].borrow(all[0])
			return all[i].Reading, append(all[:i:i], all[i+1:]...)
		}
	}
	return all[0].Reading, all[1:]
}

// candidates lists the readings of a document, with their scores. Where no dialect reads it, it
// may be one ticket.
func candidates(doc *document.Document, chosen string) (all []candidate) {
	for i, d := range dialects() {
		if c, ok := try(doc, d, chosen); ok {
			if _, particular := d.(prior); !particular {
				c.setWeight(max(60-2*i, 30))
			}
			all = append(all, c)
		}
	}
	if len(all) == 0 && chosen == "" {
		if c, ok := try(doc, titled{}, ""); ok {
			return []candidate{c}
		}
	}
	for i := range all {
		all[i].doubt()
	}
	agree(all)
	leaveWork(all)
	leaveEpics(all)
	leaveChapters(all)
	leaveFragments(all)
	return all
}

// prior is a dialect that says itself how particular its signs are.
type prior interface {
	prior(d *document.Document) int
}

// try reads a document in a dialect, where this is the chosen one, or the document has its signs.
func try(doc *document.Document, d dialect, chosen string) (c candidate, ok bool) {
	if chosen != "" && chosen != d.name() || chosen == "" && !d.signs(doc) {
		return c, false
	}
	c.Reading = &reading.Reading{Doc: doc, Dialect: d.name()}
	d.read(c.Reading)
	c.LeaveAsides()
	if len(c.Units) == 0 && chosen == "" {
		return c, false
	}
	total := doc.CountWorkBoxes()
	c.Merit = c.Reading.Merit(total)
	if w, particular := d.(prior); particular {
		c.setWeight(w.prior(doc))
	}
	if c.OnlyAsides() {
		c.Score -= 1000 // any other reading is better
	}
	return c, chosen != "" || !c.holdsFewBoxes(total)
}

// setWeight adds how particular the signs of a dialect are to the score of its reading.
func (c *candidate) setWeight(weight int) {
	c.Weight = weight
	c.Score += weight
}

// holdsFewBoxes reports whether the units are boxes of a list, and most boxes of the document are
// neither among them nor below them: then they are tasks.
func (c *candidate) holdsFewBoxes(total int) bool {
	return 2*c.Boxes < total && !slices.ContainsFunc(c.Units, func(u section.Unit) bool {
		return u.Own == 0 || c.Doc.Items[u.Own-1].Box == 0
	})
}

// doubt marks a reading as a guess when nothing in its sections is work: no box, and no word on
// their order.
func (c *candidate) doubt() {
	if len(c.Units) == 0 || c.Boxes+c.Said > 0 || c.Units[0].RowLine > 0 {
		return
	}
	const long = 60 // lines of a document that has room for more than its phases
	switch {
	case c.Weight < 30 && c.Lines*10 < c.Doc.Count() && c.Doc.Count() > long:
		c.WarnDoubt("a small part of the document", "these")
	case c.Weight < 30 && slices.Contains(words.PartKinds, c.Units[0].Title.Kind):
		c.WarnDoubt("headings of parts", "the parts")
	}
}

// agree removes the penalty for unknown references from a table whose rows are the phases of
// another reading: such references are mistakes of the plan. The table must state a known
// dependency, or share a phase name.
func agree(all []candidate) {
	for i := range all {
		c := &all[i]
		if c.Unknown == 0 || len(c.Units) == 0 || c.Units[0].RowLine == 0 {
			continue
		}
		for j := range all {
			if len(all[j].Units) > 0 && all[j].Units[0].RowLine == 0 && c.samePhases(all[j]) &&
				(c.Said > 0 || c.shareName(all[j])) {
				c.Score += c.UnknownLoss(len(c.Units))
				break
			}
		}
	}
}

// leaveWork marks down a table whose rows have no box, where the sections of another reading hold
// all boxes of the document and its phases are others: the rows are parts of what is built.
func leaveWork(all []candidate) {
	const loss = 40 // what stated dependencies outweigh by half
	for i := range all {
		c := &all[i]
		total := c.Doc.CountWorkBoxes()
		if total == 0 || c.Boxes > 0 || len(c.Units) == 0 || c.Units[0].RowLine == 0 {
			continue
		}
		if slices.ContainsFunc(all, func(other candidate) bool {
			return other.Boxes == total && len(other.Units) > 1 && other.Weight >= 24 &&
				other.Units[0].RowLine == 0 && !c.samePhases(other)
		}) {
			c.Score -= loss
		}
	}
}

// leaveEpics lowers the rank of a reading of epics if another reading has their stories, R.1 of
// epic R, outside the sections of the epics. Boxes in such sections are about the epic.
func leaveEpics(all []candidate) {
	for i := range all {
		c := &all[i]
		if len(c.Units) == 0 || c.Units[0].Title.Kind != "epic" {
			continue
		}
		ids, _ := c.IDs()
		for j := range all {
			if outside := all[j].storiesOutside(ids, c); outside && all[j].Score <= c.Score {
				c.Score = all[j].Score - 1
			}
		}
	}
}

// leaveChapters lowers the rank of a reading of headings that have only numbers below that of
// phases with a kind word which all stand within one of them, or outside of all: there the numbers
// are those of chapters. Chapters of which most have boxes keep their rank over phases without any.
func leaveChapters(all []candidate) {
	for i := range all {
		c := &all[i]
		if c.Dialect != (numberedHeads{}).name() {
			continue
		}
		for j := range all {
			o := &all[j]
			if len(o.Units) > 1 && o.isLabelled() && o.IDsDiffer() && o.Unknown <= o.Named &&
				c.holding(o) <= 1 && (o.Boxes > 0 || 2*c.boxed() < len(c.Units)) {
				c.Score = min(c.Score, o.Score-1)
			}
		}
	}
}

// isLabelled reports whether a word for a kind of phases stands with each unit: before its id, or
// as the head of a column of its table.
func (c *candidate) isLabelled() bool {
	return !slices.ContainsFunc(c.Units, func(u section.Unit) bool {
		return u.Title.Kind == "" && u.RowLine == 0
	})
}

// holding counts the units in whose sections units of another reading stand.
func (c *candidate) holding(other *candidate) (n int) {
	for _, u := range c.Units {
		if slices.ContainsFunc(other.Units, func(o section.Unit) bool {
			line := max(o.From, o.RowLine)
			return u.From < line && line < c.Doc.SectionEnd(u.From)
		}) {
			n++
		}
	}
	return n
}

// boxed counts the units with a box in their section.
func (c *candidate) boxed() (n int) {
	for _, u := range c.Units {
		if c.Doc.HasBoxIn(u.From, c.Doc.SectionEnd(u.From)) {
			n++
		}
	}
	return n
}

// storiesOutside reports whether all units are stories of the given epics. Their headings are
// outside the sections of the other reading.
func (c candidate) storiesOutside(epics map[string]bool, other *candidate) bool {
	return len(c.Units) > 1 && !slices.ContainsFunc(c.Units, func(u section.Unit) bool {
		return u.Title.Kind != "story" || !epics[epicOf(words.NormalID(u.Label))] ||
			slices.ContainsFunc(other.Units, func(o section.Unit) bool {
				return o.From < u.From && u.From < o.To
			})
	})
}

// samePhases reports whether two readings have phases of the same ids.
func (c candidate) samePhases(other candidate) bool {
	if len(c.Units) != len(other.Units) {
		return false
	}
	ids, _ := other.IDs()
	for i := range c.Units {
		if !ids[words.NormalID(c.Units[i].Label)] {
			return false
		}
	}
	return true
}

// shareName reports whether a row is called as the phase of its id in another reading.
func (c candidate) shareName(other candidate) bool {
	names := map[string]string{}
	for i := range other.Units {
		names[words.NormalID(other.Units[i].Label)] = other.Units[i].Name
	}
	return slices.ContainsFunc(c.Units, func(u section.Unit) bool {
		name := names[words.NormalID(u.Label)]
		return strings.EqualFold(u.Called, name) || words.ShareWord(u.Called, name)
	})
}

// sections reports whether a reading has the same phases as another and holds their work, while the
// other only lists the phases and their dependencies.
func (c candidate) sections(other candidate) bool {
	if c.Said > 0 || c.Lines < 4*other.Lines || len(c.Units) != len(other.Units) ||
		other.Said == 0 || c.Weight < 0 {
		return false
	}
	ids, _ := c.IDs()
	for i := range other.Units {
		if !ids[words.NormalID(other.Units[i].Label)] || other.Units[i].Title.Kind == "" {
			return false
		}
	}
	return true
}

// borrow copies the stated dependencies of another reading of the same phases.
func (c candidate) borrow(other candidate) {
	for k := range c.Units {
		u := &c.Units[k]
		for i := range other.Units {
			o := &other.Units[i]
			if words.NormalID(o.Label) != words.NormalID(u.Label) {
				continue
			}
			u.Aliases = append(u.Aliases, o.Title.Kind+" "+o.Label)
			if o.Title.Kind == "milestone" {
				u.Aliases = append(u.Aliases, "M"+o.Label)
			}
			if u.Needs = o.Needs; len(u.Needs) > 0 {
				u.Beside, u.Unlocks, u.Row = o.Beside, o.Unlocks, o.Row
				break // a row of a table
			}
			for _, l := range c.Doc.LabelsIn(o.From, o.To) {
				if words.IsNeedLabel(l.Name) {
					u.Needs = c.Doc.LabelRefs(l,
						plan.Ref{Text: inline.References(l.Value), Pos: c.Doc.Pos(l.Offset)})
					break
				}
			}
		}
	}
}

// reportRivals reports what a reading that lost holds and the one that won does not.
func reportRivals(r *reading.Reading, lost []candidate) {
	for _, c := range lost {
		listed := c.Weight >= 40 && c.Units[0].RowLine > 0
		if c.Named+c.Boxes == 0 && !listed || c.Unknown > c.Named || c.Weight < 10 ||
			c.OnlyAsides() {
			continue
		}
		if !slices.ContainsFunc(c.Units,
			func(u section.Unit) bool { return u.Own == 0 || !r.Doc.IsAboutOrder(u.From) }) {
			continue // a list of what waits for what
		}
		missing := r.MissingFrom(c.Reading)
		if r.Stating == 0 && c.Named > 0 {
			missing = r.Others(c.Reading) // their order is lost, though their text is not
		}
		if len(missing) == 0 || len(missing)*2 < len(c.Units) && r.Stating > 0 {
			continue
		}
		u := missing[0]
		labels := make([]string, 0, len(missing))
		for _, m := range missing {
			labels = append(labels, m.Label)
		}
		r.Warn("W-RIVAL", u.Pos,
			fmt.Sprintf("read as %s, the document has %d phases that this reading lacks: %s",
				c.Dialect, len(missing), text.JoinSome(labels, 6)),
			"put them into the phases, or leave them")
		return
	}
}
