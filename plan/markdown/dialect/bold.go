package dialect

import (
	"slices"
	"strconv"
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/section"
	"autobuild/plan/markdown/words"
)

// bold is the form of phases under bold lines instead of headings: "**Phase 1: Set up**".
type bold struct{}

func (bold) name() string { return "bold" }

func (bold) signs(d *document.Document) bool { return len(boldTitles(d)) >= 2 }

// boldTitles finds the paragraph lines that begin with a bold title of a phase.
func boldTitles(d *document.Document) []document.Paragraph {
	var found []document.Paragraph
	for _, p := range d.Paragraphs {
		if p.Item >= 0 || !strings.HasPrefix(p.Raw, "**") {
			continue
		}
		if slices.Contains(words.UnitKinds, words.ReadTitle(p.Raw).Kind) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return boldNumbers(d)
	}
	return found
}

// boldNumbers finds the bold lines that are only numbered, one after the other: "**1. Set up**". A
// box stands below each.
func boldNumbers(d *document.Document) []document.Paragraph {
	var found []document.Paragraph
	for _, p := range d.Paragraphs {
		if p.Item >= 0 || !strings.HasPrefix(p.Raw, "**") {
			continue
		}
		if t := words.ReadTitle(p.Raw); t.Label == strconv.Itoa(len(found)+1) && t.Name != "" {
			found = append(found, p)
		}
	}
	for i, p := range found {
		to := d.Count() + 1
		if i+1 < len(found) {
			to = found[i+1].Line
		}
		if !d.HasBoxIn(p.Line, to) {
			return nil
		}
	}
	return found
}

func (bold) prior(*document.Document) int { return 18 }

func (bold) read(r *reading.Reading) {
	addLines(r, boldTitles(r.Doc), words.ReadTitle)
}

// addLines adds a unit for each line, with all up to the next one or a heading. read reads the title
// of a line.
func addLines(
	r *reading.Reading, titles []document.Paragraph, read func(raw string) words.Title,
) {
	for i, p := range titles {
		h := document.Heading{
			Line: p.Line, Level: 7, Raw: p.Raw, Text: inline.Plain(p.Raw),
			Offset: p.Offset, Title: read(p.Raw),
		}
		u := section.Unit{To: r.Doc.Count() + 1}
		if i+1 < len(titles) {
			u.To = titles[i+1].Line
		}
		for _, next := range r.Doc.HeadingsIn(p.Line, u.To) {
			u.To = next.Line
			break
		}
		u.Label = h.Title.Label
		r.SetHeading(&u, &h)
		r.Units = append(r.Units, u)
	}
}
