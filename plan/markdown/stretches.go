package markdown

import "sort"

// stretch is a run of lines that are about one thing.
type stretch struct {
	from, to int
	class    class
	name     string
	item     int // the item that a label belongs to, or -1
}

// stretches divides the lines [from, to) of a section by its sub-headings and labels. A deeper
// heading goes on with what the one above it is about, unless it says something itself; a label
// rules until the next label or heading, or, within a list item, to the end of the item.
func (d *document) stretches(from, to int) []stretch {
	s := stretcher{doc: d, heads: d.headsIn(from+1, to), to: to}
	s.add(from, classNone, "", -1)
	for _, l := range d.labelsIn(from, to) {
		s.headings(l.line)
		s.label(l)
	}
	s.headings(to)
	return d.bounded(s.all)
}

// stretcher collects stretches in the order of their lines.
type stretcher struct {
	doc   *document
	heads []heading // those still ahead
	to    int
	all   []stretch
	open  []announced
	base  class // what the current heading is about
}

// announced is what a heading around the current line is about.
type announced struct {
	level int
	class class
}

func (s *stretcher) add(line int, c class, name string, item int) {
	s.all = append(s.all, stretch{from: line, to: s.to, class: c, name: name, item: item})
}

// headings adds the headings up to a line.
func (s *stretcher) headings(line int) {
	for len(s.heads) > 0 && s.heads[0].line <= line {
		h := s.heads[0]
		s.heads = s.heads[1:]
		for len(s.open) > 0 && s.open[len(s.open)-1].level >= h.level {
			s.open = s.open[:len(s.open)-1]
		}
		s.base = classOf(h.text)
		if s.base == classNone && len(s.open) > 0 {
			s.base = s.open[len(s.open)-1].class
		}
		s.open = append(s.open, announced{h.level, s.base})
		s.add(h.line, s.base, words(h.text), -1)
	}
}

func (s *stretcher) label(l label) {
	c := classOf(l.name)
	switch {
	case l.item >= 0 && c == classNone:
	case l.item >= 0 && c == classCommit && s.doc.items[l.item].end <= l.line+1:
		s.add(l.line, c, l.name, -1) // its fence stands below the list
	case l.item >= 0:
		s.add(l.line, c, l.name, l.item)
	case c == classNone && l.value == "":
		s.add(l.line, classOther, l.name, -1)
	case c != classNone && (l.bold || l.value == ""):
		s.add(l.line, c, l.name, -1)
	case l.bold:
		s.add(l.line, s.base, l.name, -1)
	}
}

// bounded gives every stretch its end.
func (d *document) bounded(all []stretch) []stretch {
	outer := -1 // the latest stretch that is not within an item
	var done []stretch
	for i := range all {
		s := all[i]
		if s.item >= 0 {
			s.to = d.items[s.item].end
			done = append(done, s)
			continue
		}
		if outer >= 0 {
			done[outer].to = s.from
		}
		outer = len(done)
		done = append(done, s)
	}
	return done
}

// about is the class of a line: that of the innermost stretch around it. Stretches that belong to
// list items lie within the others, and only the nearest of them can be around the line.
func about(all []stretch, line int) class {
	const nearest = 64
	from := sort.Search(len(all), func(i int) bool { return all[i].from > line }) - 1
	items := 0
	for i := from; i >= 0; i-- {
		s := &all[i]
		if s.item >= 0 {
			if items++; items > nearest {
				continue
			}
		}
		if s.from <= line && line < s.to {
			return s.class
		}
	}
	return classNone
}
