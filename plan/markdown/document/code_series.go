package document

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// codeSeries gives an id to headings that begin with a code and no separator, "S1 Schema", where
// they are a series: on one level, with the same letters, and numbers that go up by one. One alone
// may be any name: "S3 Bucket". Headings of numbers alone, "1.2 Schema", and of versions, "v1.2",
// are one where a box stands below each.
func (d *Document) codeSeries() {
	type series struct {
		level  int
		prefix string
	}
	found := map[series][]int{}
	titles := map[int]words.Title{}
	for i := range d.Headings {
		h := &d.Headings[i]
		if h.Title.Label != "" && h.Title.Kind+h.Title.Sep != "" {
			continue
		}
		if t, ok := codeTitle(h); ok {
			titles[i] = t
			key := series{h.Level, words.IDPrefix(t.Label)}
			found[key] = append(found[key], i)
		}
	}
	for key, heads := range found {
		if len(heads) < 2 || slices.Contains(words.NotPhasePrefixes, key.prefix) {
			continue
		}
		next, counts := 0, true
		for n, i := range heads {
			if key.prefix == "" || key.prefix == "v" {
				// else chapters
				counts = counts && d.HasBoxIn(d.Headings[i].Line, d.Headings[i].End)
				continue
			}
			number, err := strconv.Atoi(titles[i].Label[len(key.prefix):])
			counts = counts && err == nil && (n == 0 || number == next)
			next = number + 1
		}
		if !counts {
			continue
		}
		for _, i := range heads {
			d.Headings[i].Title = titles[i]
		}
	}
}

// codeTitle reads a heading that begins with capitals and a number, and goes on as a name does.
func codeTitle(h *Heading) (words.Title, bool) {
	label, rest := words.IDAt(words.Bare(strings.TrimSpace(inline.Plain(h.Raw))))
	letters := strings.TrimRight(label, "0123456789.")
	t := words.Title{
		Label: label, Sep: " ", Loose: true,
		Strikethrough: inline.IsStrikethrough(h.Raw), Status: words.StatusOf(h.Raw, false),
	}
	version := strings.TrimPrefix(label, "v")
	if version != label && strings.Contains(version, ".") && words.IsNumeric(version) {
		_, name, _ := words.SplitSeparator(rest)
		t.Name, t.Asides = words.SplitAsides(cmp.Or(name, strings.TrimSpace(rest)))
		return t, true
	}
	if letters == label || letters != "" && strings.Contains(label, ".") || len(letters) > 4 ||
		strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" || !words.CanBeName(rest) {
		return words.Title{}, false
	}
	t.Name, t.Asides = words.SplitAsides(strings.TrimSpace(rest))
	return t, true
}

// wordSeries gives an id to headings of a word that is not known as a kind, "Fas 1: Name", where
// they are a series with work in it: on one level, numbered one after the other, and boxes below at
// least one of them. A document without any box may have its work in prose. Numbers with a dot are
// those of parts, in any order. Letters, "(a)" or "A", are one where a box stands below each.
func (d *Document) wordSeries() {
	type series struct {
		level int
		word  string
	}
	found := map[series][]int{}
	titles := map[int]words.Title{}
	for i := range d.Headings {
		h := &d.Headings[i]
		if h.Title.Label != "" {
			if h.Title.Kind != "" && h.Level > 1 {
				return // the document has a word for its phases
			}
			continue
		}
		word, rest, _ := strings.Cut(words.Bare(h.Text), " ")
		first, _ := utf8.DecodeRuneInString(word)
		rest = bareLetter(rest)
		label, _ := words.IDAt(rest)
		lower := strings.ToLower(word)
		if t := words.ReadTitle(rest); label != "" && t.Label == label &&
			(words.IsNumeric(label) || len(label) == 1) && unicode.IsUpper(first) && inline.Words(word) == lower &&
			!slices.Contains(notSeries, lower) && !slices.Contains(words.OtherNames, lower) {
			t.Kind, t.Called = "part", word+" "+label
			titles[i] = t
			key := series{h.Level, lower}
			found[key] = append(found[key], i)
		}
	}
	for _, heads := range found {
		labels := make([]string, len(heads))
		for n, i := range heads {
			labels[n] = titles[i].Label
		}
		if !d.isWorkSeries(heads, labels) {
			continue
		}
		for _, i := range heads {
			d.Headings[i].Title = titles[i]
		}
	}
}

// isWorkSeries reports whether headings with some labels are the phases of a document.
func (d *Document) isWorkSeries(heads []int, labels []string) bool {
	boxes, dotted := 0, 0
	for n, i := range heads {
		if strings.Contains(labels[n], ".") {
			dotted++
		}
		if d.HasBoxIn(d.Headings[i].Line, d.Headings[i].End) {
			boxes++
		}
	}
	switch {
	case dotted == len(heads):
		return len(heads) > 1
	case !words.IsNumeric(labels[0]):
		return labels[0] == "A" && boxes == len(heads) && words.CountUp(labels)
	}
	first, _ := strconv.Atoi(labels[0])
	return (boxes > 0 || d.CountWorkBoxes() == 0) && dotted == 0 && first <= 1 &&
		words.CountUp(labels)
}

// bareLetter reads "(a)" at the beginning of a title as "A".
func bareLetter(title string) string {
	if len(title) > 2 && title[0] == '(' && title[2] == ')' && unicode.IsLetter(rune(title[1])) {
		return strings.ToUpper(title[1:2]) + title[3:]
	}
	return title
}

// HasBoxIn reports whether a box stands in some lines.
func (d *Document) HasBoxIn(from, to int) bool {
	return slices.ContainsFunc(d.ItemsIn(from, to), func(it Item) bool { return it.Box != 0 })
}

// notSeries are words that are numbered in documents and are not done one after the other.
var notSeries = []string{
	"option", "alternative", "example", "scenario", "figure", "table", "appendix", "question",
	"note",
	"risk", "case", "requirement", "decision",
	"finding", "bug", "lesson", "principle", "rule", "layer", "level", "tier", "version", "test",
	"assumption", "criterion", "objective", "chapter",
	"problem", "approach", "variant", "release", "pattern", "persona", "use", "variante",
	"опция", "вариант", "opzione", "opción", "opção", "beispiel",
	"exemple", "ejemplo", "exemplo", //nolint:misspell // French
	"esempio", "пример", "abbildung", "tabelle", "tableau", "tabla", "tabela", "kapitel", "chapitre",
	"capítulo", "capitolo", "глава", "anhang", "annexe", "anexo", "allegato", "рисунок", "таблица",
}
