package markdown

import (
	"slices"
	"sort"
	"strings"

	"autobuild/plan"
)

// A document can often be read in several ways: as a table of tasks, as the phases of its headings,
// as a list of boxes. Every way that its signs allow is tried as far as its phases, and the one
// that accounts for most of the document is taken: for its boxes, and for its statements of what
// depends on what.

// merit is how much of a document a reading accounts for.
type merit struct {
	boxes int // boxes in its sections, or that stand for one of its units
	lines int // lines in its sections
	twice int // units that have the id of another
	said  int // units that state their dependencies, or that there are none
	named int // references that name units
	bad   int // references that name nothing
	prior int // how particular the signs are
	score int
}

// candidate is a reading as far as its units.
type candidate struct {
	*reading
	merit
}

// mostSaid bounds the text of one statement that is weighed, in bytes.
const mostSaid = 600

// choose reads the document in every way that it allows and takes the best. Nil when there is none.
func choose(doc *document, opts Options) (best *reading, rivals []candidate) {
	var all []candidate
	total := doc.openBoxes()
	for i, d := range dialects() {
		if opts.Dialect != "" && opts.Dialect != d.name() || opts.Dialect == "" && !d.signs(doc) {
			continue
		}
		r := &reading{doc: doc, opts: opts, dialect: d.name()}
		d.read(r)
		if len(r.units) == 0 && opts.Dialect == "" {
			continue
		}
		c := candidate{reading: r}
		c.merit = r.merit(total)
		c.prior = max(60-2*i, 30)
		if w, ok := d.(interface{ prior(d *document) int }); ok {
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
	if len(c.units) == 0 || c.boxes+c.said > 0 || c.units[0].row > 0 {
		return
	}
	const long = 60 // lines of a document that has room for more than its phases
	switch {
	case c.prior < 30 && c.lines*10 < c.doc.count() && c.doc.count() > long:
		c.guessed("a small part of the document", "these")
	case c.prior < 30 && among(partKinds, c.units[0].title.kind):
		c.guessed("headings of parts", "the parts")
	}
}

// agree removes the penalty for unknown references from a table whose rows are the phases of
// another reading: such references are mistakes of the plan. The table must state a known
// dependency, or share a phase name.
func agree(all []candidate) {
	for i := range all {
		c := &all[i]
		if c.bad == 0 || len(c.units) == 0 || c.units[0].row == 0 {
			continue
		}
		for j := range all {
			if len(all[j].units) > 0 && all[j].units[0].row == 0 && c.samePhases(all[j]) && (c.said > 0 || c.shareName(all[j])) {
				c.score += 150 * c.bad / (c.bad + c.named)
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
		if !ids[normal(c.units[i].Label)] {
			return false
		}
	}
	return true
}

// shareName reports whether a row is called as the phase of its id in another reading.
func (c candidate) shareName(other candidate) bool {
	names := map[string]string{}
	for i := range other.units {
		names[normal(other.units[i].Label)] = other.units[i].Name
	}
	return slices.ContainsFunc(c.units, func(u unit) bool {
		name := names[normal(u.Label)]
		return strings.EqualFold(u.called, name) || overlap(u.called, name)
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
		if !ids[normal(other.units[i].Label)] || other.units[i].title.kind == "" {
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
			if normal(o.Label) != normal(u.Label) {
				continue
			}
			u.Aliases = append(u.Aliases, o.title.kind+" "+o.Label)
			if o.title.kind == "milestone" {
				u.Aliases = append(u.Aliases, "M"+o.Label)
			}
			for _, l := range c.doc.labelsIn(o.from, o.to) {
				if among(needLabels, l.name) || among(weakNeeds, l.name) {
					u.Needs = c.doc.refs(l, plan.Ref{Text: plain(l.value), Pos: c.doc.pos(l.off)})
					break
				}
			}
		}
	}
}

// openBoxes counts the boxes that are work, not the criteria of the whole.
func (d *document) openBoxes() int {
	n := 0
	for i := range d.items {
		if d.items[i].box != 0 && !d.items[i].quoted && !d.general(d.items[i].line) {
			n++
		}
	}
	return n
}

// general reports whether a line stands under a heading about the whole plan: its criteria, its
// checks.
func (d *document) general(line int) bool {
	if d.generals == nil {
		d.generals = make([]bool, d.count()+2)
		for i := range d.heads {
			h := &d.heads[i]
			if c := classOf(h.text); c == classCriteria || c == classGates || c == classVerify {
				for n := h.line; n < h.end; n++ {
					d.generals[n] = true
				}
			}
		}
	}
	return line < len(d.generals) && d.generals[line]
}

// boxID is the id that a box at the top of a list names together with a kind word, "" when it does
// not.
func (d *document) boxID(i int) string {
	if d.boxIDs == nil {
		d.boxIDs = make([]string, len(d.items))
		for k := range d.items {
			it := &d.items[k]
			if it.box == 0 || it.depth > 0 {
				continue
			}
			if kind, _ := plan.SplitKind(strings.TrimLeft(it.raw, "*_ ")); kind != "" {
				d.boxIDs[k] = normal(readTitle(firstLine(it.raw)).label)
			}
		}
	}
	return d.boxIDs[i]
}

// around is the heading whose section a heading stands in.
func (d *document) around(h heading) heading {
	heads := d.headsIn(0, h.line)
	for i := len(heads) - 1; i >= 0; i-- {
		if heads[i].level < h.level && heads[i].end > h.line {
			return heads[i]
		}
	}
	return heading{}
}

// merit measures a reading.
func (r *reading) merit(total int) merit {
	var m merit
	r.bound()
	for i := range r.units {
		r.aliases(&r.units[i])
	}
	ids, labels := r.ids()
	for i := range r.doc.items {
		it := &r.doc.items[i]
		if it.box == 0 || it.quoted || r.doc.general(it.line) {
			continue
		}
		if r.covered[it.line] || ids[r.doc.boxID(i)] {
			m.boxes++
		}
	}
	m.twice = labels - len(ids)
	for _, in := range r.covered {
		if in {
			m.lines++
		}
	}
	statements := r.statements()
	for _, texts := range statements {
		said := false
		for _, text := range texts {
			known, unknown, free := r.index().Count(text[:min(len(text), mostSaid)])
			if r.foreign(text) {
				known, unknown = known+unknown, 0
			}
			m.named, m.bad = m.named+known, m.bad+unknown
			said = said || known > 0 || free
		}
		if said {
			m.said++
		}
	}
	m.score = m.worth(total, len(r.units), r.doc.count())
	r.known, r.covered, r.speaks = nil, nil, m.said
	return m
}

// worth is the merit as one number: what it covers, and how many of its units say what they need. A
// few words that name nothing are remarks; where most name nothing the reading is wrong.
func (m merit) worth(total, units, lines int) int {
	score := 20 * m.lines / max(1, lines)
	if total > 0 {
		score += 100 * m.boxes / total
	}
	if units > 0 {
		score += min(100, 200*m.said/units)
	}
	if m.bad > 0 {
		score -= 150 * m.bad / (m.bad + m.named)
	}
	if units < 2 {
		score -= 60
	}
	return score - 100*m.twice/max(1, units)
}

// ids lists the ids of the units, and counts those that have a label.
func (r *reading) ids() (ids map[string]bool, labels int) {
	ids = map[string]bool{}
	for i := range r.units {
		if id := normal(r.units[i].Label); id != "" {
			ids[id] = true
			labels++
		}
	}
	return ids, labels
}

// statements lists, for each unit, the texts that say what it depends on.
func (r *reading) statements() [][]string {
	said := make([][]string, len(r.units))
	byLine := r.central()
	for i := range r.units {
		u := &r.units[i]
		for _, ref := range u.Needs {
			said[i] = append(said[i], ref.Text)
		}
		if len(said[i]) == 0 && u.from > 0 {
			for _, l := range r.doc.labelsIn(u.from, min(u.to, r.doc.introEnd(u))) {
				if !among(needLabels, l.name) && !among(weakNeeds, l.name) || l.item >= 0 && l.item != u.own-1 && r.doc.inTask(l.item, u.own-1) {
					continue
				}
				if len(l.value) <= mostSaid && r.index().Says(l.value) {
					said[i] = append(said[i], l.value)
				}
			}
		}
		if text, ok := u.title.needs(); ok && len(said[i]) == 0 {
			said[i] = append(said[i], text)
		}
		if len(said[i]) == 0 && len(byLine[i]) > 0 {
			said[i] = append(said[i], byLine[i][0].Text)
		}
	}
	return said
}

// lacks lists the units of another reading that this one does not have, neither by id nor within a
// section.
func (r *reading) lacks(other *reading) []*unit {
	ids, _ := r.ids()
	var missing []*unit
	for i := range other.units {
		u := &other.units[i]
		line := max(u.from, u.row)
		if r.within(u) {
			continue // a heading around phases
		}
		if !ids[normal(u.Label)] && line > 0 && (line >= len(r.covered) || !r.covered[line]) && !r.doc.general(line) {
			missing = append(missing, u)
		}
	}
	return slices.Clip(missing)
}

// within reports whether a unit of another reading has phases of this one in its section.
func (r *reading) within(other *unit) bool {
	for i := range r.units {
		if line := max(r.units[i].from, r.units[i].row); line > other.from && line < other.to {
			return true
		}
	}
	return false
}
