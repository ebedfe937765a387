package reading

import (
	"slices"

	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// Merit is how much of a document a reading accounts for.
type Merit struct {
	Boxes   int // boxes in its sections, or that stand for one of its units
	Lines   int // lines in its sections
	twice   int // units that have the id of another
	Said    int // units that state their dependencies, or that there are none
	Named   int // references that name units
	Unknown int // references that name nothing
	Weight  int // how particular the signs are
	Score   int
}

// Merit measures a reading.
func (r *Reading) Merit(total int) Merit {
	var m Merit
	r.boundSections()
	r.parts = map[string]part{} // readings are compared by the ids of their phases alone
	for i := range r.Units {
		r.addAliases(&r.Units[i])
	}
	r.addGroups()
	if !r.IDsDiffer() {
		r.separateRepeated()
	}
	ids, labels := r.IDs()
	for i := range r.Doc.Items {
		it := &r.Doc.Items[i]
		if it.Box == 0 || it.Quoted || r.Doc.IsAboutPlan(it.Line) {
			continue
		}
		if r.Covered[it.Line] || ids[r.Doc.BoxID(i)] {
			m.Boxes++
		}
	}
	m.twice = labels - len(ids)
	for _, in := range r.Covered {
		if in {
			m.Lines++
		}
	}
	statements := r.dependencyTexts()
	for _, texts := range statements {
		said := false
		for _, text := range texts {
			known, unknown, free := r.Index().Count(text[:min(len(text), words.MaxSentence)])
			if r.namesForeignPhase(text) {
				known, unknown = known+unknown, 0
			}
			m.Named, m.Unknown = m.Named+known, m.Unknown+unknown
			said = said || known > 0 || free
		}
		if said {
			m.Said++
		}
	}
	m.Score = m.worth(total, len(r.Units), r.Doc.Count())
	r.Known, r.Covered, r.Stating = nil, nil, m.Said
	return m
}

// worth is the merit as one number: what it covers, and how many of its units say what they need. A
// few words that name nothing are remarks; where most name nothing the reading is wrong.
func (m Merit) worth(total, units, lines int) int {
	score := 20 * m.Lines / max(1, lines)
	if total > 0 {
		score += 100 * m.Boxes / total
	}
	if units > 0 {
		score += min(100, 200*m.Said/units)
	}
	score -= m.UnknownLoss(units)
	if units < 2 {
		score -= 60
	}
	return score - 100*m.twice/max(1, units)
}

// UnknownLoss is what a reading loses by references that name nothing. They weigh by their share of
// all references, and of the units where there are more of these: one odd word condemns no reading.
func (m Merit) UnknownLoss(units int) int {
	return 150 * m.Unknown / max(1, m.Unknown+m.Named, units)
}

// IDs lists the ids of the units, and counts those that have a label.
func (r *Reading) IDs() (ids map[string]bool, labels int) {
	ids = map[string]bool{}
	for i := range r.Units {
		if id := words.NormalID(r.Units[i].Label); id != "" {
			ids[id] = true
			labels++
		}
	}
	return ids, labels
}

// IDsDiffer reports whether no two units have one id.
func (r *Reading) IDsDiffer() bool {
	ids, labels := r.IDs()
	return len(ids) == labels
}

// dependencyTexts lists, for each unit, the texts that say what it depends on.
func (r *Reading) dependencyTexts() [][]string {
	said := make([][]string, len(r.Units))
	byLine := r.orderSentences()
	for i := range r.Units {
		u := &r.Units[i]
		for _, ref := range u.Needs {
			said[i] = append(said[i], ref.Text)
		}
		if len(said[i]) == 0 && u.From > 0 {
			for _, l := range r.Doc.LabelsIn(u.From, min(u.To, u.WholeEnd(r.Doc))) {
				if !words.IsNeedLabel(l.Name) || l.Item >= 0 && l.Item != u.Own-1 &&
					r.Doc.InTask(l.Item, u.Own-1) {
					continue
				}
				if len(l.Value) <= words.MaxSentence && r.Index().Says(l.Value) {
					said[i] = append(said[i], l.Value)
				}
			}
		}
		if text, ok := u.Title.Needs(); ok && len(said[i]) == 0 {
			said[i] = append(said[i], text)
		}
		if len(said[i]) == 0 && len(byLine[i]) > 0 {
			said[i] = append(said[i], byLine[i][0].Text)
		}
	}
	return said
}

// MissingFrom lists the units of another reading that this one does not have, neither by id nor
// within a section.
func (r *Reading) MissingFrom(other *Reading) []*section.Unit {
	ids, _ := r.IDs()
	lines := make([]int, len(r.Units))
	for i := range r.Units {
		lines[i] = max(r.Units[i].From, r.Units[i].RowLine)
	}
	slices.Sort(lines)
	var missing []*section.Unit
	for i := range other.Units {
		u := &other.Units[i]
		line := max(u.From, u.RowLine)
		first, _ := slices.BinarySearch(lines, u.From+1)
		if first < len(lines) && lines[first] < u.To {
			continue // a heading around phases
		}
		if !ids[words.NormalID(u.Label)] && line > 0 &&
			(line >= len(r.Covered) || !r.Covered[line]) &&
			!r.Doc.IsAboutPlan(line) {
			missing = append(missing, u)
		}
	}
	return slices.Clip(missing)
}

// Others lists the units of another reading whose ids this one does not have.
func (r *Reading) Others(c *Reading) []*section.Unit {
	ids, _ := r.IDs()
	var list []*section.Unit
	for i := range c.Units {
		if !ids[words.NormalID(c.Units[i].Label)] {
			list = append(list, &c.Units[i])
		}
	}
	return list
}
