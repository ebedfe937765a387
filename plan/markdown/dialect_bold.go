package markdown

import (
	"slices"
	"strconv"
	"strings"
)

// bold is the form of phases under bold lines instead of headings: "**Phase 1: Set up**".
type bold struct{}

func (bold) name() string { return "bold" }

func (bold) signs(d *document) bool { return len(boldTitles(d)) >= 2 }

// boldTitles finds the paragraph lines that begin with a bold title of a phase.
func boldTitles(d *document) []para {
	var found []para
	for _, p := range d.paras {
		if p.item >= 0 || !strings.HasPrefix(p.raw, "**") {
			continue
		}
		if slices.Contains(unitKinds, readTitle(p.raw).kind) {
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
func boldNumbers(d *document) []para {
	var found []para
	for _, p := range d.paras {
		if p.item >= 0 || !strings.HasPrefix(p.raw, "**") {
			continue
		}
		if t := readTitle(p.raw); t.label == strconv.Itoa(len(found)+1) && t.name != "" {
			found = append(found, p)
		}
	}
	for i, p := range found {
		to := d.count() + 1
		if i+1 < len(found) {
			to = found[i+1].line
		}
		if !d.boxedIn(p.line, to) {
			return nil
		}
	}
	return found
}

func (bold) prior(*document) int { return 18 }

func (bold) read(r *reading) {
	titles := boldTitles(r.doc)
	for i, p := range titles {
		h := heading{line: p.line, level: 7, raw: p.raw, text: plain(p.raw), offset: p.offset, title: readTitle(p.raw)}
		u := unit{to: r.doc.count() + 1}
		if i+1 < len(titles) {
			u.to = titles[i+1].line
		}
		for _, next := range r.doc.headsIn(p.line, u.to) {
			u.to = next.line
			break
		}
		u.Label = h.title.label
		r.head(&u, &h)
		r.units = append(r.units, u)
	}
}
