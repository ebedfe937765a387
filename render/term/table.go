package term

import (
	"strings"

	"autobuild/internal/text"
	"autobuild/render"
)

// row is one phase of a table: a mark, its names, a word on how it stands, figures, and a remark of
// any length.
type row struct {
	mark, label, name, word string
	ink                     render.Ink // of the mark and the word
	facts                   [3]string
	remark                  string
	// the remark is never cut: where it does not fit, it goes on lines of its own
	whole bool
}

// leastRemark is the room that a remark needs to stand in the row itself.
const leastRemark = 16

// drawTable aligns rows in columns. The remark gets what room is left in its row. Where there is no
// room for columns, the figures and every remark go on lines of their own.
func drawTable(s render.Style, rows []row) string {
	var label, name, word int
	var facts [3]int
	for _, r := range rows {
		label, name, word = max(label, text.Width(r.label)), max(name, text.Width(r.name)),
			max(word, text.Width(r.word))
		for i, fact := range r.facts {
			facts[i] = max(facts[i], text.Width(fact))
		}
	}
	const edge, gap = 2, 2
	// for the name and all behind the word
	room := s.Columns() - edge - len("x ") - label - gap - word - gap
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
		line := strings.Repeat(" ", edge) + paint(s, r.ink, text.Pad(r.mark, 1)) + " " +
			paint(s, render.Strong, text.Pad(r.label, label)) + "  "
		if name > 0 {
			line += text.Pad(text.Cut(r.name, name, s.Marks().More), name) + "  "
		}
		line += paint(s, r.ink, text.Pad(r.word, word)) + "  "
		below := r.remark
		if narrow {
			below = strings.Join(present(append(r.facts[:], r.remark)...), ", ")
		} else {
			for i, fact := range r.facts {
				if facts[i] > 0 {
					line += text.Pad(fact, facts[i]) + "  "
				}
			}
			if !r.whole || text.Width(r.remark) <= wide {
				line, below = line+text.Cut(r.remark, wide, s.Marks().More), ""
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
		hang(s, &out, below)
	}
	return out.String()
}

// hang writes what belongs to the row above, indented.
func hang(s render.Style, out *strings.Builder, content string) {
	if content == "" {
		return
	}
	const indent, cells = 6, 480
	room := s.Columns() - indent
	for i, line := range text.Wrap(content, room) {
		if i == max(4, cells/room) {
			out.WriteString(strings.Repeat(" ", indent) + s.Marks().More + "\n")
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
