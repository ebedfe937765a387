package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence is a sentence of a paragraph or a list item that may say what depends on what.
type sentence struct {
	text   string
	lead   string // what stands before the first colon of its paragraph
	line   int
	offset int
	item   int
}

// sentences lists the sentences that hold a word of dependency. It is read once.
func (d *document) sentences() []sentence {
	if d.sentenced {
		return d.sentenceList
	}
	d.sentenced = true
	for i := 0; i < len(d.paras); {
		k := i + 1
		for k < len(d.paras) && d.paras[k].line == d.paras[k-1].line+1 && d.paras[k].item == d.paras[i].item && !d.paras[k].head && !startsAnew(d.paras[k].raw) {
			k++
		}
		d.paragraphSentences(d.paras[i:k])
		i = k
	}
	return d.sentenceList
}

// startsAnew reports whether a line of a paragraph goes on with another sentence: it is bold, or
// begins with a verb of dependency in a capital letter.
func startsAnew(raw string) bool {
	raw = strings.TrimSpace(raw)
	first, _ := utf8.DecodeRuneInString(raw)
	if strings.HasPrefix(raw, "**") || !unicode.IsUpper(first) || !relational(raw) {
		return strings.HasPrefix(raw, "**")
	}
	rel, ok := relate(raw)
	return ok && rel.strong && rel.subject == "" && !rel.colon
}

// paragraphSentences cuts one paragraph into sentences.
func (d *document) paragraphSentences(lines []para) {
	some := d.orderly(lines[0].line)
	about := some
	for i := range lines {
		some = some || relational(lines[i].raw)
	}
	if !some || len(lines) > 60 || lines[0].item >= 0 && d.items[lines[0].item].quoted {
		return
	}
	var text strings.Builder
	var starts []int
	for i := range lines {
		starts = append(starts, text.Len())
		text.WriteString(strings.TrimSpace(lines[i].raw))
		text.WriteByte(' ')
	}
	whole := text.String()
	lead, _, found := strings.Cut(plain(whole), ":")
	if wide, _, other := strings.Cut(plain(whole), "："); other && (!found || len(wide) < len(lead)) {
		lead, found = wide, true
	}
	if !found || len(lead) > 120 {
		lead = ""
	}
	for from := 0; from < len(whole); {
		to := from + sentenceEnd(whole[from:])
		part := whole[from:to]
		if len(part) <= mostSaid && (about || relational(part)) {
			at := 0
			for at+1 < len(starts) && starts[at+1] <= from {
				at++
			}
			raw := part
			if lines[0].head && from == 0 {
				raw = strings.TrimLeft(raw, "[ ]xX*~-")
			}
			for _, clause := range clauses(plain(raw)) {
				d.sentenceList = append(d.sentenceList, sentence{text: clause, lead: lead, line: lines[at].line, offset: lines[at].offset, item: lines[0].item})
			}
		}
		from = to
	}
}
