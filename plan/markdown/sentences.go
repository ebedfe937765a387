package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence is a sentence of a paragraph or a list item that may say what depends on what.
type sentence struct {
	text string
	lead string // what stands before the first colon of its paragraph
	line int
	off  int
	item int
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
				d.sentenceList = append(d.sentenceList, sentence{text: clause, lead: lead, line: lines[at].line, off: lines[at].off, item: lines[0].item})
			}
		}
		from = to
	}
}

// joints may stand between two clauses that both say something of the order.
var joints = []string{", and ", ", but ", ", while ", ", und ", ", aber ", ", et ", ", mais ", ", y ", ", pero ", ", e ", ", mas ", ", но ", ", а ", ", ", " but ", "，"}

// clauses cuts a sentence where it goes on with another statement of order: "Phase 2 can run beside
// 3, but needs 1". A clause without a subject has that of the one before it.
func clauses(text string) []string {
	const most = 8
	var all []string
	for from := 0; len(all) < most; {
		at, size := len(text), 0
		for _, joint := range joints {
			if k := strings.Index(text[from:], joint); k >= 0 && (from+k < at || from+k == at && len(joint) > size) {
				at, size = from+k, len(joint)
			}
		}
		if size == 0 {
			break
		}
		from = at + size
		head, ok := relate(text[:at])
		tail, also := relate(text[from:])
		if !ok && also && tail.subject == "" {
			head.subject = leadingItself(text[:at]) // "It is small, but needs phase 2"
			ok = head.subject != ""
		}
		if !ok || !also || tail.colon || strings.TrimSpace(text[:at]) == "" || tail.subject != "" && !byKind(tail.subject) {
			continue
		}
		all = append(all, text[:at])
		if text = text[from:]; tail.subject == "" && !tail.post {
			text = strings.TrimSpace(head.subject + " " + text)
		}
		from = 0
	}
	return append(all, text)
}

// leadingItself is the word for the phase itself that a sentence begins with: "This phase".
func leadingItself(text string) string {
	lower, longest := strings.ToLower(text), 0
	for _, word := range itself {
		if strings.HasPrefix(lower, word+" ") {
			longest = max(longest, len(word))
		}
	}
	return text[:longest]
}

// sentenceEnd is the length of the first sentence. "1. Name" and "e.g. this" do not end one.
func sentenceEnd(s string) int {
	for i, c := range s {
		switch c {
		case '。', '；', ';':
			return i + len(string(c))
		case '.':
			rest := s[i+1:]
			if strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "** ") || strings.HasPrefix(rest, ") ") {
				before := strings.TrimLeftFunc(s[:i], func(r rune) bool { return !unicode.IsDigit(r) && !unicode.IsLetter(r) })
				last := before[strings.LastIndexByte(before, ' ')+1:]
				if len(last) > 2 || strings.Contains(before, " ") && numeric(last) {
					return i + 1
				}
			}
		}
	}
	return len(s)
}

// relational reports whether a text holds a word of dependency at all. It is asked of every line.
func relational(s string) bool {
	lower := strings.ToLower(s)
	if hasAny(lower, hints...) {
		return true
	}
	return !isASCII(lower) && hasAny(lower, wideHints...)
}

// hints are parts of the words of dependency that are ASCII, wideHints of the others.
var (
	hints = []string{
		"depend", "block", "requi", "reque", "after ", "wait", "follow", "need", "parallel", "unlock", "no dep", "prerequisite", "before ",
		"builds on", "build on", "preced", "enable", "once ", "baut auf", "erforder", "nach ", "as soon as", "when ", "brauch", "sobald", "wenn ",
		"cuando", "quando", "quand ", "must", "setz", "based on", "stacked on", "on top of", "commenc", "empi", "empez", "comenz", "comien", "repose sur",
		"se basa", "aufbauend", "until", "paral", "beside", "alongside", "simultan", "concurren", "gleichzeitig", "dipend", "nessuna", "necesita",
		"necessita", "nessit", "tras ", "dopo", "depois ", "unblock", "bloque", "can start", "can go", "come after", "comes after", "comes before", "on top",
	}
	wideHints = []string{
		"abhängig", "hängt", "hängen", "benötig", "dépend", "après", "nécessit", "завис", "после", "требу", "phụ thuộc", "依", "前置", "取决", "完了後",
		"の後", "의존", "완료", "이후", "完成后", "完成後", "完成之", "之后", "并行", "並行", "並列", "병렬", "阻塞", "선행", "독립", "независ", "indépend", "dès que",
		"когда", "需要", "须先", "需先", "必须先", "基于", "démarr", "começ", "voraus", "параллел", "同时", "同時", "блокир", "após", "después", "нет завис", "без завис",
		"が必要", "必要と", "してから",
	}
)
