package document

import (
	"sort"

	"autobuild/plan/markdown/inline"
)

// Topic is a run of lines that are about one thing.
type Topic struct {
	From, To int
	Class    Class
	Name     string
	Item     int // the item that a label belongs to, or -1
}

// Topics divides the lines [from, to) of a section by its sub-headings and labels. A deeper heading
// inherits the class of the one above it unless it has its own. A label holds until the next label
// or heading, or, within a list item, to the end of the item.
func (d *Document) Topics(from, to int) []Topic {
	s := topicReader{doc: d, heads: d.HeadingsIn(from+1, to), to: to}
	s.add(from, ClassNone, "", -1)
	for _, l := range d.LabelsIn(from, to) {
		s.headings(l.Line)
		s.label(l)
	}
	s.headings(to)
	return d.bounded(s.topics)
}

// topicReader collects topics in the order of their lines.
type topicReader struct {
	doc    *Document
	heads  []Heading // those still ahead
	to     int
	topics []Topic
	open   []openHeading
	base   Class // what the current heading is about
}

// openHeading is what a heading around the current line is about.
type openHeading struct {
	level int
	class Class
}

func (s *topicReader) add(line int, c Class, name string, item int) {
	s.topics = append(s.topics, Topic{From: line, To: s.to, Class: c, Name: name, Item: item})
}

// headings adds the headings up to a line.
func (s *topicReader) headings(line int) {
	for len(s.heads) > 0 && s.heads[0].Line <= line {
		h := s.heads[0]
		s.heads = s.heads[1:]
		for len(s.open) > 0 && s.open[len(s.open)-1].level >= h.Level {
			s.open = s.open[:len(s.open)-1]
		}
		s.base = ClassOf(h.Text)
		if s.base == ClassNone && len(s.open) > 0 {
			s.base = s.open[len(s.open)-1].class
		}
		s.open = append(s.open, openHeading{h.Level, s.base})
		s.add(h.Line, s.base, inline.Words(h.Text), -1)
	}
}

func (s *topicReader) label(l Label) {
	c := ClassOf(l.Name)
	switch {
	case l.Item >= 0 && c == ClassNone:
	case l.Item >= 0 && c == ClassCommit && s.doc.Items[l.Item].End <= l.Line+1:
		s.add(l.Line, c, l.Name, -1) // its fence stands below the list
	case l.Item >= 0:
		s.add(l.Line, c, l.Name, l.Item)
	case c == ClassNone && l.Value == "":
		s.add(l.Line, ClassOther, l.Name, -1)
	case c != ClassNone && (l.Bold || l.Value == ""):
		s.add(l.Line, c, l.Name, -1)
	case l.Bold:
		s.add(l.Line, s.base, l.Name, -1)
	}
}

// bounded gives every topic its end.
func (d *Document) bounded(all []Topic) []Topic {
	outer := -1 // the latest topic that is not within an item
	var done []Topic
	for i := range all {
		s := all[i]
		if s.Item >= 0 {
			s.To = d.Items[s.Item].End
			done = append(done, s)
			continue
		}
		if outer >= 0 {
			done[outer].To = s.From
		}
		outer = len(done)
		done = append(done, s)
	}
	return done
}

// ClassAt is the class of a line: that of the innermost topic around it. Topics of list items lie
// within the others, and only the nearest of them can be around the line.
func ClassAt(all []Topic, line int) Class {
	const nearest = 64
	from := sort.Search(len(all), func(i int) bool { return all[i].From > line }) - 1
	items := 0
	for i := from; i >= 0; i-- {
		s := &all[i]
		if s.Item >= 0 {
			if items++; items > nearest {
				continue
			}
		}
		if s.From <= line && line < s.To {
			return s.Class
		}
	}
	return ClassNone
}
