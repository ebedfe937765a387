package render

import "strings"

// row is one phase of a table: a mark, its names, a word on how it stands, figures, and a remark of any length.
type row struct {
	mark, label, name, word string
	ink                     ink // of the mark and the word
	facts                   [3]string
	remark                  string
	whole                   bool // the remark is never cut: where it does not fit, it goes on lines of its own
}

// leastRemark is the room that a remark needs to stand in the row itself.
const leastRemark = 16

// table aligns rows in columns. The remark gets what room is left in its row. Where there is no room for columns, the
// figures and every remark go on lines of their own.
func (s Style) table(rows []row) string {
	var label, name, word int
	var facts [3]int
	for _, r := range rows {
		label, name, word = max(label, Width(r.label)), max(name, Width(r.name)), max(word, Width(r.word))
		for i, fact := range r.facts {
			facts[i] = max(facts[i], Width(fact))
		}
	}
	const edge, gap = 2, 2
	room := s.width() - edge - len("x ") - label - gap - word - gap // for the name and all behind the word
	wide := room - name - gap
	for _, w := range facts {
		if w > 0 {
			wide -= w + gap
		}
	}
	narrow := wide < leastRemark
	if narrow {
		name = max(0, min(name, room))
	}
	var out strings.Builder
	for _, r := range rows {
		line := strings.Repeat(" ", edge) + s.paint(r.ink, pad(r.mark, 1)) + " " + s.paint(strong, pad(r.label, label)) + "  "
		if name > 0 {
			line += pad(cut(r.name, name, s.glyphs().more), name) + "  "
		}
		line += s.paint(r.ink, pad(r.word, word)) + "  "
		below := r.remark
		if narrow {
			below = strings.Join(present(append(r.facts[:], r.remark)...), ", ")
		} else {
			for i, fact := range r.facts {
				if facts[i] > 0 {
					line += pad(fact, facts[i]) + "  "
				}
			}
			if !r.whole || Width(r.remark) <= wide {
				line, below = line+cut(r.remark, wide, s.glyphs().more), ""
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
		s.hang(&out, below)
	}
	return out.String()
}

// hang writes what belongs to the row above, indented.
func (s Style) hang(out *strings.Builder, text string) {
	if text == "" {
		return
	}
	const indent, cells = 6, 480
	room := s.width() - indent
	for i, line := range wrap(text, room) {
		if i == max(4, cells/room) {
			out.WriteString(strings.Repeat(" ", indent) + s.glyphs().more + "\n")
			return
		}
		out.WriteString(strings.Repeat(" ", indent) + line + "\n")
	}
}

// present leaves out what is empty.
func present(words ...string) []string {
	var kept []string
	for _, w := range words {
		if w != "" {
			kept = append(kept, w)
		}
	}
	return kept
}
