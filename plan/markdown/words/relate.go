package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// Relation is what one sentence says of the order of phases.
type Relation struct {
	Subject string // who waits; empty when the sentence does not say
	Object  string // for what
	Strong  bool   // by a verb that means nothing else
	None    bool   // for nothing
	Mutual  bool   // several subjects may only be independent of each other
	Beside  bool   // both at the same time
	Inverse bool   // the subject comes first
	Colon   bool   // the subject stands before a colon
	Post    bool   // the verb stands at the end
	Soft    bool   // it is only a preference
	Denied  bool   // the subject does not wait for the object, which says nothing of others
	Rest    string // what follows the object
}

// withoutFootnote is the text of a footnote without its mark.
func withoutFootnote(text string) string {
	if note, found := strings.CutPrefix(text, "[^"); found {
		if _, after, closed := strings.Cut(note, "]:"); closed {
			return strings.TrimSpace(after)
		}
	}
	return text
}

// Relate reads a sentence. The verb decides where the subject ends; a colon before it ends the
// subject too: "Polish (Phase 4): Depends on Phase 3".
func Relate(text string) (Relation, bool) {
	text = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), ".。;；"))
	text = withoutFootnote(text)
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = asciiLower(text)
	}
	text, lower = joined(text, lower)
	rel, ok := Relation{}, false
	if at, size := earliest(lower, NeedWords); size > 0 {
		rel.Subject, rel.Object, rel.Strong, ok = text[:at], text[at+size:], true, true
		if negated(lower[:at]) {
			if ofThings(lower[at+size:]) {
				return Relation{}, false
			}
			rel = afterNone(text, lower, at, at+size)
			rel.deny(text[at+size:])
		}
	} else if at, size := notBefore(lower); size > 0 {
		rel.Subject, rel.Object, rel.Strong, ok = text[:at], text[at+size:], true, true
	} else if at, size := earliest(lower, before); size > 0 {
		rel.Subject, rel.Object, rel.Inverse, ok = text[:at], text[at+size:], true, true
	} else if at, size := beforeMust(lower); size > 0 {
		rel.Subject, rel.Object, rel.Inverse, ok = text[:at], text[at+size:], true, true
	} else if at, size := afterStart(lower); size > 0 {
		rel.Subject, rel.Object, rel.Strong, ok = text[:at], text[at+size:], true, true
	} else if at, size := earliest(lower, postverbs); size > 0 {
		rel.Subject, rel.Object = splitTopic(text[:at])
		rel.Strong, rel.Post, ok = true, true, true
		if rest := text[at+size:]; ContainsAny(rest, " — ", " – ", " - ") {
			rel.Rest = rest
		}
	} else if at, size := earliest(lower, freely); size > 0 {
		rel.Subject, rel.None, ok = text[:at], true, true
		rel.Rest = strings.TrimSpace(text[at+size:])
		rel.deny(rel.Rest)
	} else if at, size := earliest(lower, beside); size > 0 {
		rel.Subject, rel.Object, rel.Beside, ok = text[:at], text[at+size:], true, true
	}
	if !ok {
		return Relation{}, false
	}
	rel.Mutual = rel.None && !rel.Strong && ContainsAny(lower, independents...)
	if at := strings.LastIndexAny(rel.Subject, ":："); at >= 0 {
		rel.Subject, rel.Colon = rel.Subject[:at], true
	}
	rel.trim()
	whole := rel.Object
	rel.Object = FirstClause(rel.Object)
	if at := strings.Index(whole, rel.Object); at >= 0 && rel.Rest == "" {
		rel.Rest = whole[at+len(rel.Object):]
	}
	rel.Soft = IsSoft(lower[:len(lower)-len(rel.Rest)])
	if _, size := earliest(strings.ToLower(rel.Object), freely); size > 0 && rel.Strong &&
		!strings.ContainsAny(rel.Object, "0123456789") {
		rel.None, rel.Object = true, ""
	}
	if rel.Strong && isNothing(rel.Object) {
		rel.None, rel.Object = true, ""
	}
	return rel, true
}

var stateBehind = lazyregexp.New(`(?i)(\d\S*)( (is|are|have|has|ist|sind|est|sont|está|están|estão|è|sono))?` +
	`( been| both| beide)? (fertig|abgeschlossen|erledigt|beendet|durch|finished|shipped|landed|merged|live|` +
	`terminée?s?|achevée?s?|finie?s?|prête?s?|terminad[oa]s?|acabad[oa]s?|list[oa]s|complet[oa]s?|conclu[ií]d[oa]s?|` +
	`pront[oaie]s?|completat[eaio]|terminat[eaio]|готов\pL*|заверш\pL*)( (ist|sind|sein|wurden?|worden|был\pL*))*$`)

// withoutState takes what is said of the last phase off an object: "Phase 3 fertig ist".
func withoutState(object string) string { return stateBehind.ReplaceAllString(object, "$1") }

// deny turns a denial of every dependency into one of some, where what follows names them.
func (rel *Relation) deny(rest string) {
	if rel.None && ofSome(rest) {
		rel.None, rel.Denied, rel.Object = false, true, rest
	}
}

// isNothing reports whether the subject or the object of a sentence is a word for no phase at all.
func isNothing(text string) bool {
	return slices.Contains([]string{
		"nothing", "none", "no phase", "no other phase", "no other phases", "nichts", "keiner phase",
		"keiner anderen phase", "rien", "aucune phase", "aucune autre phase", "nada", "ninguna fase",
		"ninguna otra fase", "nenhuma fase", "nenhuma outra fase", "niente", "ничего", "ни от чего",
	}, inline.Words(text))
}

// independents are parts of words that may also mean independent of each other.
var independents = []string{"independ", "indépend", "unabhäng", "независ"}

// WaitsFor reports whether the text on an arrow says that what stands before it waits for what it
// points to: "depends on", "needs", "hängt ab von".
func WaitsFor(label string) bool {
	rel, ok := Relate("A " + strings.Trim(label, "\"' ") + " B")
	return ok && rel.Strong && !rel.Post && !rel.None && !rel.Denied && rel.Object == "B"
}

// trim takes the verb off the subject, and the main clause off a condition: of "phase 1 is done,
// rows are copied" it leaves what stands before the comma. A part that has a number may be another
// phase.
func (rel *Relation) trim() {
	const digits = "0123456789"
	rel.Subject, rel.Object = unverbed(rel.Subject), withoutState(rel.Object)
	if rel.Subject != "" || !rel.Strong || rel.Post {
		return
	}
	for at := range len(rel.Object) {
		size := 0
		switch {
		case strings.HasPrefix(rel.Object[at:], ", "):
			size = len(", ")
		case strings.HasPrefix(rel.Object[at:], "，"):
			size = len("，")
		}
		before, rest := rel.Object[:at], rel.Object[at+size:]
		if size > 0 && strings.ContainsAny(before, digits) && !strings.ContainsAny(rest, digits) &&
			strings.Contains(rest, " ") {
			rel.Object = before
			return
		}
	}
}

// joined puts the two parts of a German verb together: "Setzt Schritt 1 voraus" is "Setzt voraus
// Schritt 1".
func joined(text, lower string) (string, string) {
	rest, found := strings.CutSuffix(lower, " voraus")
	if !found {
		return text, lower
	}
	at, size := earliest(rest, []string{"setzt", "setzen"})
	if size == 0 {
		return text, lower
	}
	text = text[:at+size] + " voraus" + text[at+size:len(rest)]
	return text, asciiLower(text)
}

// ofSome reports whether what follows "independent" or "does not need" is about something in
// particular, and not about all other phases.
func ofSome(rest string) bool {
	rest = strings.ToLower(strings.TrimLeft(rest, " "))
	for _, word := range []string{"on ", "of ", "from ", "von ", "de ", "del ", "du ", "от "} {
		if after, found := strings.CutPrefix(rest, word); found {
			return !ContainsAny(after, "any", "other", "all ", "each other", "ander", "autre",
				"otr",
				"outr", "друг") && after != ""
		}
	}
	rest, _, _ = strings.Cut(rest, ",")
	return strings.ContainsAny(rest, "0123456789")
}

// ofThings reports whether what follows "do not rely on" is about neither phases nor everything:
// "the browser for sums". Only words of ASCII are looked at.
func ofThings(rest string) bool {
	if !inline.IsASCII(rest) || strings.ContainsAny(rest, "0123456789#") || ContainsAny(rest, "any",
		"other", "all", "each", "nothing", "previous", "prior", "earlier", "ander", "autre", "otr",
		"outr", "altr", "alles", "tout", "todo", "tutt") {
		return false
	}
	things := strings.Fields(strings.Map(func(r rune) rune {
		if r == '-' || unicode.IsLetter(r) {
			return r
		}
		return ' '
	}, rest))
	return len(things) > 1 && !slices.ContainsFunc(things, func(word string) bool {
		kind, _ := plan.SplitKind(word + " 1")
		return kind != ""
	})
}

// musts say that something has to happen; "before" behind them is an order.
var musts = []string{
	"must", "has to", "have to", "needs to", "need to", "should", "muss", "müssen", "doit",
	"doivent", "debe", "deben", "deve", "devem",
}

// beforeMust finds "must land before": at is where the subject ends.
func beforeMust(lower string) (at, size int) {
	at, n := earliest(lower, musts)
	if n == 0 {
		return 0, 0
	}
	k, n := earliest(lower[at:], []string{
		"before", "vor", "bevor", "avant", "antes de", "antes da",
		"antes do",
	})
	if n == 0 {
		return 0, 0
	}
	return at, k + n
}

// denials stand before "before" or "until" where something waits for something: "cannot start
// until".
var denials = []string{
	"cannot", "can't", "can not", "must not", "mustn't", "may not", "should not", "shouldn't",
	"do not",
	"don't", "not", "never", "nicht", "no",
	"ne", "não", "не", "nothing", "no work",
}

// notBefore finds "must not start before": at is where the subject ends.
func notBefore(lower string) (at, size int) {
	at, n := earliest(lower, denials)
	if n == 0 {
		return 0, 0
	}
	k, n := earliest(lower[at:], []string{
		"before", "until", "till", "unless", "bevor", "bis", "vor",
		"avant", "antes de", "antes que", "hasta", "até", "пока", "до",
	})
	if n == 0 {
		return 0, 0
	}
	return at, k + n
}

// afterNone reads on behind a denied verb: "no dependencies, can start after 2" waits for 2.
func afterNone(text, lower string, at, end int) Relation {
	rel := Relation{Subject: text[:at], Strong: true, None: true}
	rest := lower[end:]
	if from, size := afterStart(rest); size > 0 {
		rel.None, rel.Object = false, text[end+from+size:]
	} else if to, size := earliest(rest, postverbs); size > 0 {
		_, object := splitTopic(text[end : end+to])
		rel.None, rel.Object = false, object
	}
	return rel
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return unicode.ToLower(r)
		}
		return r
	}, s)
}

// earliest finds the first of several phrases that stands as words of its own, the longest at that
// place.
func earliest(lower string, phrases []string) (at, size int) {
	at = len(lower)
	for _, phrase := range phrases {
		for from := 0; from < at; {
			k := strings.Index(lower[from:], phrase)
			if k < 0 || from+k > at {
				break
			}
			k += from
			if standsAlone(lower, k, len(phrase)) && (k < at || len(phrase) > size) {
				at, size = k, len(phrase)
				break
			}
			from = k + len(phrase)
		}
	}
	return at, size
}

// standsAlone reports whether no letter touches a phrase. Scripts without blanks between words are
// let through.
func standsAlone(s string, at, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at+size:])
	first, _ := utf8.DecodeRuneInString(s[at:])
	if Ideograph(first) {
		return true
	}
	touches := func(r rune) bool {
		return unicode.IsLetter(r) && !Ideograph(r) || r == '-' || r == '_'
	}
	return (at == 0 || !touches(before)) && (at+size == len(s) || !touches(after))
}

// Ideograph reports whether a rune belongs to a script that writes without blanks, or joins endings
// to words.
func Ideograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// negated reports whether a verb is denied: "does not depend on", "nothing blocks".
func negated(before string) bool {
	before = strings.TrimRight(before, " ")
	for _, word := range []string{
		"not", "n't", "no longer", "never", "nicht", "no", "не", "不",
		"无需", "无", "無", "没有",
	} {
		if strings.HasSuffix(before, word) &&
			(len(before) == len(word) || !unicode.IsLetter(rune(before[len(before)-len(word)-1])) ||
				word == "n't") {
			return true
		}
	}
	return false
}

// afterStart finds "can start after", "begins once": a word that says that something begins, then
// one for what comes before it. at is where the first of both stands.
func afterStart(lower string) (at, size int) {
	k, n := earliest(lower, afters)
	if n == 0 {
		return 0, 0
	}
	s, found := earliest(lower[:k], starters)
	if found == 0 {
		if lead := strings.Trim(lower[:k], " -—–*"); lead != "" && !slices.Contains(onlies, lead) {
			return 0, 0
		}
		s = k
	}
	return s, k + n - s
}

// onlies stand before "after" and say that nothing comes sooner.
var onlies = []string{
	"only", "not", "not until", "erst", "frühestens", "nur", "seulement", "solo",
	"sólo", "só", "somente", "только",
}

// splitTopic cuts "フェーズ2はフェーズ1" at the particle behind its topic.
func splitTopic(s string) (subject, object string) {
	if before, after, found := strings.Cut(strings.Replace(s, "：", ":", 1), ":"); found {
		return before, strings.TrimPrefix(strings.TrimSpace(after), "모두 ")
	}
	for _, particle := range []string{
		"は、", "は", "는 ", "은 ", "가 ", "须在", "需在", "必须在", "应在", "可在",
		"在", "だけが", "のみが", "만 ",
	} {
		if before, after, found := strings.Cut(s, particle); found {
			return before, after
		}
	}
	return "", s
}

// unverbed cuts the words that belong to the verb off the end of a subject: "Phase 3 can only".
func unverbed(subject string) string {
	subject = strings.Trim(subject, " *_,，—–-()·")
	for {
		at := strings.LastIndexByte(subject, ' ')
		word := strings.ToLower(strings.Trim(subject[at+1:], ",.*"))
		switch word {
		case "can", "only", "must", "should", "will", "may", "is", "are", "has", "have", "does",
			"do",
			"not", "also", "too", "all", "both", "which", "that", "it", "this",
			"phase", "and", "be", "but", "run", "runs", "läuft", "laufen", "können", "kann", "erst",
			"nur",
			"ne", "no", "se", "só", "solo", "sólo", "только", "ist", "sind", "peut", "puede",
			"pode",
			"может", "directly", "immediately", "then", "-", "—", "–":
			if at < 0 {
				return ""
			}
			subject = strings.TrimRight(subject[:at], " ,—–-")
			continue
		}
		return subject
	}
}

// IsSoft reports whether a text only recommends.
func IsSoft(s string) bool {
	return ContainsAny(strings.ToLower(s), "recommended", "preferably", "ideally", "optionally",
		"望ましい",
		"推奨", "建议", "建議", "最好", "권장", "empfohlen", "möglichst",
		"de préférence", "recommandé", "preferiblemente", "recomendado", "preferencialmente",
		"желательно", "рекоменд")
}

// FirstClause is a text up to where it goes on with something else.
func FirstClause(s string) string {
	s = strings.TrimLeft(s, " :：*_—–-")
	for _, end := range []string{
		". ", "。", " - ", " — ", " – ", "; ", "；", " because ", " since ",
		" so that ", " but ", " which ", " before ", " weil ", " car ",
		" and is ", " and are ", " and can ", " and may ", " and will ", " and should ", " and must ",
		" and has ", " and have ", " and does ", " and do ", " and remains ", " and stays ",
		" and gates ", " and defines ", " and ends ", " and runs ", " and ships ",
	} {
		if before, after, found := strings.Cut(s, end); found && strings.TrimSpace(before) != "" &&
			!spanning(before, after) {
			s = before
		}
	}
	return strings.TrimRight(strings.TrimSpace(s), ".:*_")
}

// spanning reports whether a dash between two texts makes a range: "Phase 1 - 3".
func spanning(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return unicode.IsDigit(last) && unicode.IsDigit(first)
}
