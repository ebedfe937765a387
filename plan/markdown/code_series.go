package markdown

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// codeSeries gives an id to headings that begin with a code and no separator, "S1 Schema", where
// they are a series: on one level, with the same letters, and numbers that go up by one. One alone
// may be any name: "S3 Bucket". Headings of numbers alone, "1.2 Schema", are one where a box stands
// below each.
func (d *document) codeSeries() {
	type series struct {
		level  int
		prefix string
	}
	found := map[series][]int{}
	titles := map[int]title{}
	for i := range d.heads {
		h := &d.heads[i]
		if h.title.label != "" {
			continue
		}
		if t, ok := codeTitle(h); ok {
			titles[i] = t
			key := series{h.level, idPrefix(t.label)}
			found[key] = append(found[key], i)
		}
	}
	for key, heads := range found {
		if len(heads) < 2 || slices.Contains(notUnits, key.prefix) {
			continue
		}
		next, counts := 0, true
		for n, i := range heads {
			if key.prefix == "" {
				counts = counts && d.boxedIn(d.heads[i].line, d.heads[i].end) // else chapters
				continue
			}
			number, err := strconv.Atoi(titles[i].label[len(key.prefix):])
			counts = counts && err == nil && (n == 0 || number == next)
			next = number + 1
		}
		if !counts {
			continue
		}
		for _, i := range heads {
			d.heads[i].title = titles[i]
		}
	}
}

// codeTitle reads a heading that begins with capitals and a number, and goes on as a name does.
func codeTitle(h *heading) (title, bool) {
	label, rest := idAt(bare(strings.TrimSpace(plain(h.raw))))
	letters := strings.TrimRight(label, "0123456789.")
	if letters == label || letters != "" && strings.Contains(label, ".") || len(letters) > 4 || strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" || !titled(rest) {
		return title{}, false
	}
	t := title{struck: struck(h.raw), status: statusOf(h.raw, false), label: label, sep: " ", loose: true}
	t.name, t.asides = undecorated(strings.TrimSpace(rest))
	return t, true
}

// wordSeries gives an id to headings of a word that is not known as a kind, "Fas 1: Name", where
// they are a series with work in it: on one level, numbered one after the other, and boxes below at
// least one of them.
func (d *document) wordSeries() {
	type series struct {
		level int
		word  string
	}
	found := map[series][]int{}
	titles := map[int]title{}
	for i := range d.heads {
		h := &d.heads[i]
		if h.title.label != "" {
			if h.title.kind != "" {
				return // the document has a word for its phases
			}
			continue
		}
		word, rest, _ := strings.Cut(bare(h.text), " ")
		first, _ := utf8.DecodeRuneInString(word)
		label, _ := idAt(rest)
		lower := strings.ToLower(word)
		if t := readTitle(rest); label != "" && t.label == label && numeric(label) && unicode.IsUpper(first) && words(word) == lower && !slices.Contains(notSeries, lower) {
			t.kind, t.called = "part", word+" "+label
			titles[i] = t
			key := series{h.level, lower}
			found[key] = append(found[key], i)
		}
	}
	for _, heads := range found {
		boxed, counts := false, len(heads) > 1
		first, _ := strconv.Atoi(titles[heads[0]].label)
		for n, i := range heads {
			number, err := strconv.Atoi(titles[i].label)
			counts = counts && err == nil && number == first+n
			boxed = boxed || d.boxedIn(d.heads[i].line, d.heads[i].end)
		}
		if !boxed || !counts || first > 1 {
			continue
		}
		for _, i := range heads {
			d.heads[i].title = titles[i]
		}
	}
}

// boxedIn reports whether a box stands in some lines.
func (d *document) boxedIn(from, to int) bool {
	return slices.ContainsFunc(d.itemsIn(from, to), func(it item) bool { return it.box != 0 })
}

// notSeries are words that are numbered in documents and are not done one after the other.
var notSeries = []string{
	"option", "alternative", "example", "scenario", "figure", "table", "appendix", "question", "note", "risk", "case", "requirement", "decision",
	"finding", "bug", "lesson", "principle", "rule", "layer", "level", "tier", "version", "test", "assumption", "criterion", "objective", "chapter",
	"problem", "approach", "variant", "release", "pattern", "persona", "use",
}
