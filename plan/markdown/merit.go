package markdown

import (
	"slices"

	"autobuild/plan/markdown/words"
)

// merit is how much of a document a reading accounts for.
type merit struct {
	boxes   int // boxes in its sections, or that stand for one of its units
	lines   int // lines in its sections
	twice   int // units that have the id of another
	said    int // units that state their dependencies, or that there are none
	named   int // references that name units
	unknown int // references that name nothing
	prior   int // how particular the signs are
	score   int
}

// merit measures a reading.
func (r *reading) merit(total int) merit {
	var m merit
	r.bound()
	for i := range r.units {
		r.aliases(&r.units[i])
	}
	ids, labels := r.ids()
	for i := range r.doc.Items {
		it := &r.doc.Items[i]
		if it.Box == 0 || it.Quoted || r.doc.General(it.Line) {
			continue
		}
		if r.covered[it.Line] || ids[r.doc.BoxID(i)] {
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
			known, unknown, free := r.index().Count(text[:min(len(text), words.MostSaid)])
			if r.foreign(text) {
				known, unknown = known+unknown, 0
			}
			m.named, m.unknown = m.named+known, m.unknown+unknown
			said = said || known > 0 || free
		}
		if said {
			m.said++
		}
	}
	m.score = m.worth(total, len(r.units), r.doc.Count())
	r.known, r.covered, r.stating = nil, nil, m.said
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
	if m.unknown > 0 {
		score -= 150 * m.unknown / (m.unknown + m.named)
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
		if id := words.Normal(r.units[i].Label); id != "" {
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
			for _, l := range r.doc.LabelsIn(u.from, min(u.to, u.introEnd(r.doc))) {
				if !slices.Contains(words.NeedLabels, l.Name) && !slices.Contains(words.WeakNeeds, l.Name) || l.Item >= 0 && l.Item != u.own-1 && r.doc.InTask(l.Item, u.own-1) {
					continue
				}
				if len(l.Value) <= words.MostSaid && r.index().Says(l.Value) {
					said[i] = append(said[i], l.Value)
				}
			}
		}
		if text, ok := u.title.Needs(); ok && len(said[i]) == 0 {
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
		line := max(u.from, u.rowLine)
		if r.within(u) {
			continue // a heading around phases
		}
		if !ids[words.Normal(u.Label)] && line > 0 && (line >= len(r.covered) || !r.covered[line]) && !r.doc.General(line) {
			missing = append(missing, u)
		}
	}
	return slices.Clip(missing)
}

// within reports whether a unit of another reading has phases of this one in its section.
func (r *reading) within(other *unit) bool {
	for i := range r.units {
		if line := max(r.units[i].from, r.units[i].rowLine); line > other.from && line < other.to {
			return true
		}
	}
	return false
}

// others lists the units of another reading whose ids this one does not have.
func (r *reading) others(c *reading) []*unit {
	ids, _ := r.ids()
	var list []*unit
	for i := range c.units {
		if !ids[words.Normal(c.units[i].Label)] {
			list = append(list, &c.units[i])
		}
	}
	return list
}
