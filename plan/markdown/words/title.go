package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// Title is what the text of a heading, a table cell or a list item says of a phase: "Phase 2A:
// Backend (est. 5)".
type Title struct {
	Kind          string // "phase", "task group"; empty when the text starts with the id
	Label         string // "2A"; empty when there is no id, and then this is no title of a phase
	Sep           string // what stands between label and name; empty when the label stands alone
	Name          string
	Status        plan.Status
	Strikethrough bool
	// as the document calls the phase where its kind word is not known: "Fas 1"
	Called string
	Loose  bool     // no separator stands between label and name: "Phase 2 Backend"
	Paired bool     // the label has two numbers: 3-4 for "Phase 3 & 4: Name"
	Asides []string // what stood in brackets behind the name, or after a middle dot
}

// numberWords are the ids that people spell out.
var numberWords = []string{
	"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
	"eleven", "twelve",
}

// ReadTitle reads a title. Only an id behind the kind word, and then a separator or the end, makes
// one: "Phase 2 results" names no phase.
func ReadTitle(raw string) Title {
	t := Title{Strikethrough: inline.IsStrikethrough(raw)}
	text := strings.ReplaceAll(strings.TrimSpace(inline.Plain(marked(raw))), keycap, ". ")
	if t.Status = StatusOf(text, false); strings.HasPrefix(text, clipboard) {
		t.Status = plan.StatusUnknown
	}
	text, kind, core := withoutPlace(unbracketed(Bare(text)))
	if kind != "" && plan.Plural(text) {
		return t // "Phases 2-4" is about several
	}
	label, rest := IDAt(strings.TrimPrefix(core, "#"))
	if bare, found := strings.CutSuffix(label, ".md"); found {
		label = bare
	}
	rest = strings.TrimPrefix(rest, ".md")
	if label == "" {
		return t
	}
	sep, name, ok := SplitSeparator(rest)
	issue := kind == "" && strings.HasPrefix(core, "#") && IsNumeric(label) // "#101 Name"
	if !ok && (kind != "" || issue) && CanBeName(rest) {
		sep, name, ok, t.Loose = " ", strings.TrimSpace(rest), true, true
	}
	if !ok && kind != "" {
		// "Step 17 completed": the status takes the place of a name
		if said := statusAside(rest); said != plan.StatusUnknown && strings.HasPrefix(rest, " ") &&
			len(rest) < maxStatusTail {
			t.Kind, t.Label, t.Status, t.Asides = kind, label, said, []string{strings.TrimSpace(rest)}
			return t
		}
	}
	if !ok || kind != "" && rangeTail(rest, name) {
		return t
	}
	t.Kind, t.Label, t.Sep = kind, label, sep
	front := ""
	if sep == "(" {
		front, name = frontAside(name)
	}
	name, tail := inline.CutTrailingEmoji(name)
	if t.Name, t.Asides = SplitAsides(name); front != "" {
		t.Asides = append([]string{front}, t.Asides...)
	}
	t.Name = strings.TrimSpace(t.Name + tail)
	if len(t.Asides) > 0 && t.Status == plan.StatusUnknown {
		if last := t.Asides[len(t.Asides)-1]; !strings.HasPrefix(inline.Words(last), "blocked by") {
			t.Status = statusAside(last)
		}
	}
	return t
}

// maxStatusTail bounds a status that follows an id without a separator, in bytes.
const maxStatusTail = 40

// rangeTail reports whether what follows an id is the end of a range: "Phase 3–5: Later".
func rangeTail(rest, name string) bool {
	tail, found := strings.CutPrefix(rest, "–")
	if !found {
		tail, found = strings.CutPrefix(rest, "—")
	}
	if !found {
		if tail = name; !strings.Contains(rest, ":") || strings.HasPrefix(rest, ":") {
			return false
		}
	}
	label, after := IDAt(tail)
	return label != "" && IsNumeric(label) && (after == "" || after[0] == ':')
}

// clipboard means planned in a column of statuses, and decorates the titles of a document.
const clipboard = "📋"

// KindWord is the kind word that a title begins with, as it is written: "Étape" of "Étape 2: API".
func KindWord(raw string) string {
	text, kind, core := withoutPlace(unbracketed(Bare(strings.TrimSpace(inline.Plain(marked(raw))))))
	word, found := strings.CutSuffix(text, core)
	if kind == "" || !found {
		return ""
	}
	return strings.TrimRight(word, " #:-_№")
}

// unbracketed takes the brackets off an id at the beginning: "[Phase 1] Read" is "Phase 1: Read".
func unbracketed(text string) string {
	for _, pair := range [][2]string{{"[", "]"}, {"(", ")"}, {"【", "】"}, {"（", "）"}} {
		inner, found := strings.CutPrefix(text, pair[0])
		id, rest, closed := strings.Cut(inner, pair[1])
		if !found || !closed {
			continue
		}
		kind, core := plan.SplitKind(id)
		if label, tail := IDAt(core); label != "" && tail == "" &&
			(kind != "" || CodeLike(label) || len(label) < 4) {
			return id + ": " + strings.TrimLeft(rest, " :：—–-")
		}
	}
	return text
}

// frontAside takes the brackets between an id and a name off: of "(after Phase 1): API" the name is
// "API".
func frontAside(text string) (aside, name string) {
	for _, pair := range [][2]string{{"(", ")"}, {"[", "]"}, {"（", "）"}} {
		inner, found := strings.CutPrefix(text, pair[0])
		inner, rest, closed := strings.Cut(inner, pair[1])
		if sep, name, ok := SplitSeparator(rest); found && closed && ok && sep != "" &&
			sep != "(" &&
			name != "" && !decoration(name) {
			return inner, name
		}
	}
	return "", text
}

// CanBeName reports whether what follows an id without a separator can be a name: it begins as
// names do.
func CanBeName(rest string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " *_"))
	return strings.HasPrefix(rest, " ") && (unicode.IsUpper(first) || first > 0x2e80 &&
		unicode.IsLetter(first))
}

// IDAt reads an id at the start of s.
func IDAt(s string) (label, rest string) {
	if first := inline.FirstRune(s); plan.Numeral(first) {
		end := 0
		for _, r := range s {
			if !plan.Numeral(r) {
				break
			}
			end += utf8.RuneLen(r)
		}
		return s[:end], s[end:]
	}
	end := 0
	for end < len(s) && (s[end] < 0x80 && inline.IsLetterOrDigit(s[end]) || s[end] == '.' ||
		s[end] == '-' || s[end] == '_') {
		end++
	}
	token := strings.TrimRight(s[:end], ".-_")
	if token == "" || !inline.IsLetterOrDigit(token[0]) {
		return "", s
	}
	if cut := numberThenWord(token); cut > 0 {
		token = token[:cut]
	}
	switch {
	case strings.ContainsAny(token, "0123456789") && len(token) <= 40:
	case len(token) == 1 && token[0] >= 'A' && token[0] <= 'Z':
	case roman(token), prefixedLetter(token):
	default:
		for _, word := range numberWords {
			if strings.EqualFold(token, word) {
				return token, s[len(token):]
			}
		}
		return "", s
	}
	return token, s[len(token):]
}

// numberThenWord finds the end of the id in "1-Setup": a number, and a dash that only separates.
func numberThenWord(token string) int {
	end := 0
	for end < len(token) && (token[end] >= '0' && token[end] <= '9' || token[end] == '.') {
		end++
	}
	if end == 0 || end+2 >= len(token) {
		return 0
	}
	if token[end] != '-' && token[end] != '.' {
		return 0
	}
	rest := token[end+1:]
	if len(rest) > 1 && letters(rest[:2]) {
		return end
	}
	return 0
}

// prefixedLetter recognises "STORY-A".
func prefixedLetter(token string) bool {
	at := strings.LastIndexByte(token, '-')
	return at > 0 && at == len(token)-2 && token == strings.ToUpper(token)
}

func letters(s string) bool {
	for i := range len(s) {
		if s[i]|0x20 < 'a' || s[i]|0x20 > 'z' {
			return false
		}
	}
	return true
}

func roman(token string) bool {
	return len(token) <= 4 && strings.Trim(token, "IVX") == ""
}

// separators stand between an id and a name.
var separators = []string{
	":", "：", "—", "–", "-", ".", "．", "、", ")", "|", "｜", "·", "=>", "→",
	"－", "〜",
}

// SplitSeparator splits what follows an id; ok is false when neither a separator nor the end does.
func SplitSeparator(rest string) (sep, name string, ok bool) {
	trimmed := strings.TrimLeft(rest, " \t")
	if after := strings.TrimLeftFunc(trimmed, inline.IsBlankOrEmoji); after == "" ||
		strings.ContainsRune(":-.)|(—–", inline.FirstRune(after)) {
		trimmed = after
	}
	if trimmed == "" {
		return "", "", true
	}
	if strings.HasPrefix(trimmed, "(") || strings.HasPrefix(trimmed, "[") ||
		strings.HasPrefix(trimmed, "（") {
		return "(", trimmed, true
	}
	for _, sep := range separators {
		if after, found := strings.CutPrefix(trimmed, sep); found {
			return sep, strings.TrimLeft(after, " \t-–—:"), true
		}
	}
	return "", "", false
}

// SplitAsides splits a name from the remarks behind it: "(est. 5)", "· parallel with 3",
// "[checkpoint: 0b41b9b]", "— COMPLETE".
func SplitAsides(name string) (bare string, asides []string) {
	name = strings.TrimSpace(name)
	for range 6 {
		before, aside := lastAside(name)
		if aside == "" {
			break
		}
		asides = append([]string{aside}, asides...)
		name = before
	}
	return name, asides
}

func lastAside(name string) (before, aside string) {
	for _, pair := range [][2]string{{"(", ")"}, {"[", "]"}, {"（", "）"}, {"{", "}"}} {
		if !strings.HasSuffix(name, pair[1]) {
			continue
		}
		if at := strings.LastIndex(name, pair[0]); at >= 0 &&
			decoration(name[at+len(pair[0]):len(name)-len(pair[1])]) {
			return strings.TrimSpace(name[:at]), name[at+len(pair[0]) : len(name)-len(pair[1])]
		}
	}
	for _, back := range []string{"←", "<-"} {
		if at := strings.LastIndex(name, back); at >= 0 &&
			strings.ContainsAny(name[at:], "0123456789") {
			return strings.TrimSpace(name[:at]), "after " + strings.TrimLeft(name[at+len(back):],
				"- ")
		}
	}
	for _, sep := range []string{"·", "—", "–", " - ", "--", "|"} {
		if at := strings.LastIndex(name, sep); at >= 0 && decoration(name[at+len(sep):]) {
			return strings.TrimRight(name[:at], " -"), strings.TrimSpace(name[at+len(sep):])
		}
	}
	return name, ""
}

// decoration reports whether an aside is a statement about the phase, such as an estimate or a
// dependency.
func decoration(s string) bool {
	w := inline.Words(s)
	for _, start := range []string{
		"est", "depends", "depend ", "after ", "only after ", "any time", "anytime", "can start",
		"parallel", "checkpoint", "priority", "blocked by", "requires", "needs ",
		"submit after", "can run", "runs in parallel", "recommended after", "no dep", "independent",
		"依赖",
		"依存", "无依赖", "abhängig von", "nach ", "keine abhängig",
		"unabhängig", "dépend de", "après ", "depende de", "зависит от", "после ", "hängt ab",
	} {
		if strings.HasPrefix(w, start) {
			return true
		}
	}
	if rest, ok := asideNeeds(s); ok && strings.ContainsAny(rest, "0123456789") {
		return true
	}
	return statusAside(s) != plan.StatusUnknown && len(w) < 30 || duration(s)
}

// duration reports whether an aside begins with how long something takes: "3 days, after phase 1".
func duration(s string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(s, "~≈ ")), ",")
	_, rest, ok := number(strings.TrimSpace(first))
	unit := strings.TrimLeft(rest, " ")
	return ok && len(unit) > 1 && hours[unit] > 0
}

// Aside finds the text behind one of several words in the asides of a title: of "est. 5, depends on
// 2A", asked for "depends on", it is "2A".
func (t Title) Aside(starts ...string) (string, bool) {
	for _, aside := range t.Asides {
		for part := range splitAside(aside) {
			lower := strings.ToLower(part)
			for _, start := range starts {
				if strings.HasPrefix(lower, start) {
					return strings.TrimLeft(part[len(start):], " .:="), true
				}
			}
		}
	}
	return "", false
}

// Needs is the dependencies that the asides of a title state; "none" when they state that there are
// none.
func (t Title) Needs() (string, bool) {
	for _, aside := range t.Asides {
		for part := range splitAside(aside) {
			if text, ok := asideNeeds(part); ok {
				return text, true
			}
		}
	}
	if text, ok := t.Aside("any time", "anytime", "can run any time", "can run anytime",
		"can start any time", "can start anytime"); ok && text == "" {
		return "none", true
	}
	if _, ok := t.Aside("no dep", "independent", "无依赖", "依存なし", "unabhängig",
		"keine abhängig"); ok {
		return "none", true
	}
	return "", false
}

// Estimate is what the asides of a title say of how long the phase takes: "est. 5", "3 days".
func (t Title) Estimate() plan.Estimate {
	if text, ok := t.Aside("est.", "estimate", "est"); ok {
		return Estimate(text)
	}
	for _, aside := range t.Asides {
		for part := range splitAside(aside) {
			if duration(part) {
				return Estimate(part)
			}
		}
	}
	return plan.Estimate{}
}

// splitAside cuts an aside where a new statement begins, which is not at every comma: "depends on
// 1, 2".
func splitAside(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for i := range len(s) {
			if s[i] != ',' && s[i] != ';' && s[i] != '|' {
				continue
			}
			if next := strings.TrimLeft(s[i+1:], " "); decoration(next) {
				if !yield(strings.TrimSpace(s[start:i])) {
					return
				}
				start = i + 1
			}
		}
		yield(strings.TrimSpace(s[start:]))
	}
}

// afterAside are words of dependency in asides, beside those of labels.
var afterAside = []string{
	"only after", "submit after", "needs", "need", "start when",
	"starts when",
}

// asideNeeds is the text behind the longest word of dependency that an aside begins with.
func asideNeeds(s string) (rest string, ok bool) {
	s = strings.ReplaceAll(s, "_", " ") // "depends_on: [1]"
	lower := strings.ToLower(s)
	if len(lower) != len(s) {
		lower = asciiLower(s)
	}
	size := 0
	for _, list := range [][]string{afterAside, NeedLabels, WeakNeeds} {
		for _, word := range list {
			if len(word) > size && strings.HasPrefix(lower, word) &&
				standsAlone(lower, 0, len(word)) {
				size = len(word)
			}
		}
	}
	if rest = strings.TrimLeft(s[size:], " .:=："); size > 0 {
		return rest, rest != ""
	}
	rel, ok := Relate(s) // "1の後", "blocked until 2 is done"
	return rel.Object, ok && rel.Strong && rel.Subject == "" && rel.Object != "" && !rel.Denied &&
		!rel.None && !rel.Beside
}
