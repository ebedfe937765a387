package document

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/inline"
	"autobuild/plan/markdown/words"
)

// Sentence is a sentence of a paragraph or a list item that may say what depends on what.
type Sentence struct {
	Text   string
	Before string // what stands before the first colon of its paragraph
	Line   int
	Offset int
	Item   int
}

// Sentences lists the sentences that hold a word of dependency. It is read once.
func (d *Document) Sentences() []Sentence {
	if d.sentenced {
		return d.sentenceList
	}
	d.sentenced = true
	for i := 0; i < len(d.Paragraphs); {
		k := i + 1
		for k < len(d.Paragraphs) && d.Paragraphs[k].Line == d.Paragraphs[k-1].Line+1 &&
			d.Paragraphs[k].Item == d.Paragraphs[i].Item && !d.Paragraphs[k].Head &&
			!startsAnew(d.Paragraphs[k].Raw) {
			k++
		}
		d.paragraphSentences(d.Paragraphs[i:k])
		i = k
	}
	d.codeSentences()
	return d.sentenceList
}

// codeSentences reads what blocks of code outside sentences say of order: the lines below a heading
// about order, "phase-2: phase-1", and the elements of YAML and JSON, {"id": 2, "depends_on": [1]}.
func (d *Document) codeSentences() {
	for i := range d.CodeBlocks {
		f := &d.CodeBlocks[i]
		structured := slices.Contains([]string{"yaml", "yml", "json", "toml"}, f.Info)
		if structured && d.elements(f) {
			continue
		}
		plain := slices.Contains([]string{"", "text", "txt"}, f.Info)
		if !d.IsAboutOrder(f.Line) || !structured && !plain {
			continue
		}
		for n := f.From; n < f.End; n++ {
			line := strings.TrimSpace(d.Line(n))
			if bullet := AfterMarker(line); bullet != "" {
				line = bullet
			}
			if line != "" && len(line) <= words.MaxSentence {
				d.codeSentence(n, flowList.Replace(line))
			}
		}
	}
}

func (d *Document) codeSentence(n int, text string) {
	s := Sentence{Text: text, Line: n, Offset: d.Lines[n-1], Item: -1}
	d.sentenceList = append(d.sentenceList, s)
}

// flowList takes the brackets off a list of YAML or JSON.
var flowList = strings.NewReplacer("[]", "none", "[", "", "]", "", "\"", "", "'", "")

// keyed matches a key of YAML, JSON or TOML with its value: a scalar, a list in brackets, or a list
// of one line an entry.
var keyed = lazyregexp.New(`["']?([A-Za-z][A-Za-z_-]*)["']? *[:=] *` +
	`(\[[^\]]*\]|"[^"\n]*"|[^,\n\]}\[{]+|(?:\n *- +[^\n:]+)+)`)

// elements reads the elements of a block that have an id and dependencies, and reports whether
// there are any.
func (d *Document) elements(f *CodeBlock) (found bool) {
	id, line, counted := "", f.From, 0
	for _, m := range keyed.FindAllStringSubmatchIndex(f.Text, -1) {
		key := f.Text[m[2]:m[3]]
		value := strings.Join(strings.Fields(flowList.Replace(f.Text[m[4]:m[5]])), " ")
		switch kind := strings.ToLower(key); {
		case words.IsNeedLabel(WordsOfKey(key)) && id != "":
			value = strings.TrimPrefix(strings.ReplaceAll(value, " - ", ", "), "- ")
			line, counted = line+strings.Count(f.Text[counted:m[2]], "\n"), m[2]
			d.codeSentence(line, id+" depends on "+value)
			found = true
		case plan.IsKind(kind):
			id = kind + " " + value
		case kind == "id" || kind == "key":
			id = value
		}
	}
	return found
}

// startsAnew reports whether a line of a paragraph goes on with another sentence: it is bold, or
// begins with a verb of dependency in a capital letter.
func startsAnew(raw string) bool {
	raw = strings.TrimSpace(raw)
	first, _ := utf8.DecodeRuneInString(raw)
	if strings.HasPrefix(raw, "**") || !unicode.IsUpper(first) || !words.HasRelation(raw) {
		return strings.HasPrefix(raw, "**")
	}
	rel, ok := words.Relate(raw)
	return ok && rel.Strong && rel.Subject == "" && !rel.Colon
}

// paragraphSentences cuts one paragraph into sentences.
func (d *Document) paragraphSentences(lines []Paragraph) {
	some := d.IsAboutOrder(lines[0].Line)
	about := some
	for i := range lines {
		some = some || words.HasRelation(lines[i].Raw)
	}
	if !some || len(lines) > 60 || lines[0].Item >= 0 && d.Items[lines[0].Item].Quoted {
		return
	}
	var text strings.Builder
	var starts []int
	for i := range lines {
		starts = append(starts, text.Len())
		text.WriteString(strings.TrimSpace(lines[i].Raw))
		text.WriteByte(' ')
	}
	whole := text.String()
	lead, _, found := strings.Cut(inline.Plain(whole), ":")
	if wide, _, other := strings.Cut(inline.Plain(whole), "："); other &&
		(!found || len(wide) < len(lead)) {
		lead, found = wide, true
	}
	if !found || len(lead) > 120 {
		lead = ""
	}
	related := false // the sentence before holds a word of dependency
	for from := 0; from < len(whole); {
		to := from + words.SentenceEnd(whole[from:])
		part := whole[from:to]
		if related {
			part = words.WithVerb(strings.TrimSpace(part))
		}
		related = words.HasRelation(part)
		if len(part) <= words.MaxSentence && (about || words.HasRelation(part)) {
			at := 0
			for at+1 < len(starts) && starts[at+1] <= from {
				at++
			}
			raw := part
			if lines[0].Head && from == 0 {
				raw = strings.TrimLeft(raw, "[ ]xX*~-")
			}
			for _, clause := range words.Clauses(inline.Plain(raw)) {
				d.sentenceList = append(d.sentenceList,
					Sentence{
						Text: clause, Before: lead, Line: lines[at].Line, Offset: lines[at].Offset,
						Item: lines[0].Item,
					})
			}
		}
		from = to
	}
}
