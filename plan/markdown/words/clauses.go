package words

import (
	"slices"
	"strings"
	"unicode"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// SentenceEnd is the length of the first sentence. "1. Name" and "e.g. this" do not end one.
func SentenceEnd(s string) int {
	for i, c := range s {
		switch c {
		case '。', '；', ';':
			return i + len(string(c))
		case '.':
			rest := s[i+1:]
			if strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "** ") ||
				strings.HasPrefix(rest, ") ") {
				before := strings.TrimLeftFunc(s[:i],
					func(r rune) bool { return !unicode.IsDigit(r) && !unicode.IsLetter(r) })
				last := before[strings.LastIndexByte(before, ' ')+1:]
				if len(last) > 2 || strings.Contains(before, " ") && IsNumeric(last) {
					return i + 1
				}
			}
		}
	}
	return len(s)
}

// Clauses cuts a sentence where it goes on with another statement of order: "Phase 2 can run beside
// 3, but needs 1". A clause without a subject has that of the one before it.
func Clauses(text string) []string {
	const most = 8
	var all []string
	text = withoutEcho(text)
	for from := 0; len(all) < most; {
		at, size := len(text), 0
		for _, joint := range joints {
			if k := strings.Index(text[from:], joint); k >= 0 &&
				(from+k < at || from+k == at && len(joint) > size) {
				at, size = from+k, len(joint)
			}
		}
		if size == 0 {
			break
		}
		from = at + size
		head, ok := Relate(text[:at])
		if ok && head.Strong && !head.Post {
			text = text[:from] + WithVerb(text[from:])
		}
		tail, also := Relate(text[from:])
		if !ok && also && tail.Subject == "" {
			head.Subject = leadingItself(text[:at]) // "It is small, but needs phase 2"
			ok = head.Subject != ""
		}
		if !ok || !also || tail.Colon || tail.Soft || strings.TrimSpace(text[:at]) == "" ||
			!IsPhaseItself(tail.Subject) && !tail.Beside && !NamesByKind(tail.Subject) {
			continue
		}
		all = append(all, text[:at])
		if text = text[from:]; tail.Subject == "" && !tail.Post && !isNothing(head.Subject) {
			text = strings.TrimSpace(head.Subject + " " + text)
		}
		from = 0
	}
	return append(all, text)
}

// joints may stand between two clauses that both say something of the order.
var joints = []string{
	", and ", ", but ", ", while ", ", und ", ", aber ", ", et ", ", mais ", ", y ",
	", pero ", ", e ", ", mas ", ", но ", ", а ", ", ", ",", " but ", "，", "、", "し、", "하고 ",
	" - ", " — ", " – ", " and ", " und ", " et ", " y ", " e ", " и ",
}

// echoes join the subject of a clause to what the one before it says: "as do phases 3 and 4".
var echoes = []string{", as do ", ", as does ", " as do ", " as does ", ", so do ", ", so does "}

// withoutEcho turns an echo into a clause of its own.
func withoutEcho(text string) string {
	for _, echo := range echoes {
		head, subject, found := strings.Cut(text, echo)
		if rel, ok := Relate(head); found && ok && rel.Strong && !rel.Post {
			return head + ", and " + strings.TrimRight(subject, ".;") + " depends on " + rel.Object
		}
	}
	return text
}

// WithVerb gives a clause without a verb the one of the clause before it: "Phase 3 on Phase 2"
// behind "Phase 2 depends on Phase 1".
func WithVerb(clause string) string {
	for _, word := range []string{"on", "upon", "von", "vom", "de", "da", "от"} {
		subject, object, found := strings.Cut(clause, " "+word+" ")
		if !found || !NamesByKind(subject) {
			continue
		}
		first, _, _ := strings.Cut(clause, ", ")
		if _, stated := Relate(first); stated || !RefLike(WithoutArticle(subject)) {
			continue
		}
		for _, end := range []string{"", ", and ", ", "} {
			list := object
			if end != "" {
				list, _, _ = strings.Cut(object, end)
			}
			list = strings.TrimRight(WithoutArticle(list), ".;。；")
			if RefLike(list) || slices.Contains([]string{"both", "all", "it", "them"}, list) {
				return subject + " depends on " + object
			}
		}
	}
	return clause
}

// leadingItself is the word for the phase itself that a sentence begins with: "This phase".
func leadingItself(text string) string {
	lower, longest := strings.ToLower(text), 0
	for _, word := range itself {
		if rest, found := strings.CutPrefix(lower, word); found && rest != "" &&
			strings.ContainsAny(rest[:1], " ,") {
			longest = max(longest, len(word))
		}
	}
	return text[:longest]
}

// HasRelation reports whether a text holds a word of dependency. It is called for every line, so it
// only looks for parts of words.
func HasRelation(s string) bool {
	lower := strings.ToLower(s)
	if ContainsAny(lower, hints...) {
		return true
	}
	return !inline.IsASCII(lower) && ContainsAny(lower, wideHints...)
}

// hints are parts of the words of dependency that are ASCII, wideHints of the others.
var (
	hints = []string{
		"any time", "wartet", "attend ", "aguarda", "depend", "block", "requi", "reque", "after ", "wait", "follow", "need", "parallel",
		"unlock",
		"no dep", "prerequisite", "before ",
		"builds on", "build on", "preced", "enable", "once ", "baut auf", "erforder", "nach ",
		"as soon as",
		"when ", "brauch", "sobald", "wenn ",
		"cuando", "quando", "quand ", "must", "setz", "based on", "stacked on", "on top of",
		"commenc",
		"empi", "empez", "comenz", "comien", "repose sur",
		"se basa", "aufbauend", "until", "paral", "beside", "alongside", "simultan", "concurren",
		"gleichzeitig", "dipend", "nessuna", "necesita",
		"necessita", "nessit", "tras ", "dopo", "depois ", "unblock", "bloque", "can start",
		"can go",
		"come after", "comes after", "comes before", "on top", "upon", "relies", "rely on", "assum",
		"presuppos", "continue", "uses the ", "only possible", "folg", "hang off", "hangs off",
		"hinge", "gates ", "gated",
		"contingent", "exige", "espera", "aguarda", "precisa", "warten", "attend", "richied", "precondition", "picks up",
		"feeds into", "suit", "suivent", "trails", "sblocca", "débloque", " others", "the rest",
	}
	wideHints = []string{
		"ждёт", "ждет", "等待", "待ち", "abhängig", "hängt", "hängen", "benötig", "dépend", "après", "nécessit", "завис", "после",
		"требу",
		"phụ thuộc", "依", "前置", "取决", "完了後",
		"の後", "의존", "완료", "이후", "完成后", "完成後", "完成之", "之后", "并行", "並行", "並列", "병렬", "阻塞", "선행", "독립",
		"независ", "indépend", "dès que",
		"когда", "需要", "须先", "需先", "必须先", "基于", "démarr", "começ", "voraus", "параллел", "同时", "同時",
		"блокир", "após", "después", "нет завис", "без завис",
		"が必要", "必要と", "してから", "终わ", "終わ", "終了後", "끝난 후", "끝난 뒤", "된 후", "ждут", "ждет", "следует",
		"предшеств", "требу", "präced", "précèd", "die anderen", "die übrigen", "опира", "débloque", "需等", "要等", "独立", "其他", "其余",
	}
)

// InBrackets lists what stands in parentheses in a heading.
func InBrackets(raw string) []string {
	var found []string
	for {
		_, after, open := strings.Cut(raw, "(")
		if !open {
			return found
		}
		inner, rest, closed := strings.Cut(after, ")")
		if !closed {
			return found
		}
		found = append(found, inner)
		raw = rest
	}
}

// SplitOutsideBrackets cuts at commas outside parentheses.
func SplitOutsideBrackets(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range s {
		switch c {
		case '(', '（':
			depth++
		case ')', '）':
			depth = max(0, depth-1)
		case ',', '，', '、', '・':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + len(string(c))
			}
		}
	}
	return append(parts, s[start:])
}

// WithoutBrackets is a text without what stands in parentheses.
func WithoutBrackets(s string) string {
	var b strings.Builder
	depth := 0
	for _, c := range s {
		switch {
		case c == '(' || c == '（' || c == '[':
			depth++
		case c == ')' || c == '）' || c == ']':
			depth = max(0, depth-1)
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "  ", " "))
}

// itself are the subjects that can only be the phase in whose section they stand.
var itself = []string{
	"this", "it", "this phase", "this step", "this task", "this milestone", "this story",
	"this unit", "this one", "phase", "the phase", "work", "all work", "dies", "diese",
	"diese aufgabe",
	"dieser", "ceci", "celle-ci", "esto", "isto",
	"cette étape", "cette phase", "elle", "diese phase", "dieser schritt", "esta fase", "este paso",
	"essa fase", "este passo", "этот этап", "эта фаза", "本阶段", "该阶段", "此阶段", "このフェーズ", "이 단계",
}

// BeginsWithItself reports whether a text begins with a word for the phase that it stands in: "this
// phase starts".
func BeginsWithItself(text string) bool {
	return IsPhaseItself(text) || leadingItself(strings.TrimLeft(text, " ")) != ""
}

// articles may stand before the kind word of a phase.
var articles = []string{
	"the ", "der ", "die ", "das ", "la ", "le ", "les ", "l'", "l’", "el ", "los ", "las ", "o ", "a ",
	"os ", "as ", "il ", "lo ", "i ", "gli ",
}

// WithoutArticle takes the article off a text that goes on with a kind word: "la phase 1".
func WithoutArticle(text string) string {
	for _, article := range articles {
		if len(text) > len(article) && strings.EqualFold(text[:len(article)], article) {
			if kind, _ := plan.SplitKind(text[len(article):]); kind != "" {
				return text[len(article):]
			}
		}
	}
	return text
}

// onlyPrefixes stand before the one phase that a sentence is about.
var onlyPrefixes = []string{
	"only ", "just ", "nur ", "erst ", "seule ", "seul ", "seulement ", "seules ", "uniquement ", "solo ", "sólo ",
	"solamente ", "únicamente ", "apenas ", "só ", "somente ", "soltanto ", "только ", "лишь ",
	"只有", "仅有", "仅", "只", "both ", "start ", "begin ", "beide ", "les deux ",
}

// WithoutOnly takes a word for "only" off the front of a subject: "nur Phase 5".
func WithoutOnly(subject string) string {
	for _, word := range onlyPrefixes {
		if len(subject) > len(word) && strings.EqualFold(subject[:len(word)], word) {
			return strings.TrimSpace(subject[len(word):])
		}
	}
	return subject
}

// MaxSentence bounds a sentence or line that is searched for statements, in bytes.
const MaxSentence = 600

// ContainsAny reports whether a text contains one of several others.
func ContainsAny(s string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// DependencyPrefixes are the beginnings of words of dependency, whatever their endings.
var DependencyPrefixes = []string{
	"depend", "dépend", "dipend", "requir", "requier", "requer", "nécessit", "erforder", "benötig",
	"abhäng", "hängt", "завис", "требу", "依赖", "依存",
	"의존", "prerequis", "prérequis", "voraus", "zależ", "avhäng", "afhank",
}

// IsPhaseItself reports whether the subject of a sentence can only be the phase that it stands in.
func IsPhaseItself(subject string) bool {
	w := inline.Words(subject)
	return w == "" || slices.Contains(itself, w)
}
