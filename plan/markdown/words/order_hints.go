package words

import (
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan/markdown/inline"
)

// Hint is what the words of a line say of an order, whether or not the line is understood.
type Hint int

// The hints. HintBeside is a line about things at the same time, HintDenied one that rules an order
// out, HintWait one of words that mean nothing else than order.
const (
	HintNone Hint = iota
	HintOrder
	HintWait
	HintBeside
	HintDenied
)

// waitHints, landsFirst, orderHints, besideHints and denyHints begin words of order, and denyHints
// are whole words. The wide ones are of scripts without blanks, or begin with a letter that is not
// ASCII.
var (
	waitHints = lazyregexp.New(`(?i)\b(depends? on|depending on|dependent on|wait(s|ing)? (for|on|until|till)|` +
		`blocked|blocks|blocker|blocking|requires|requiring|required (by|before|for)|needs?|relies on|rely on|` +
		`hinges? on|gates?|gated|sequenced|predecessors?|successors?|prerequisites?( for| of)?|precondition|unlocks|unblocks|` +
		`precedes?|preceded|consumes|(has|have|must|needs?) (to )?(land|come|finish|be|complete|run|exist)|` +
		`only (after|once|when)|not (start|begin|ship|run|merge|land|go|deploy) (until|before)|feeds into|` +
		`hängt|benötigt|setzt|wartet|blockiert|dépend|nécessite|requiert|attend|bloqu|depende|aguarda|aguardar|espera|attende|requiere|` +
		`necesita|requer|precisa|espera|dipende|richiede)|завис|требу|ждёт|ждет|блокир|依赖|依存|前置|需要|阻塞|必要|待ち|待つ|待って|等待|等到|` +
		`의존|필요|선행`)
	landsFirst = lazyregexp.New(`(?i)\b(land|do|merge|finish|complete|ship|run)\b.* (?-i:first)$`)
	orderHints = lazyregexp.New(`(?i)\b(after|before|once|until|unless|first|last|next|previous|then|` +
		`given that|prior to|upon|follow|subsequent|sequence|start|begin|finish|complete|done|ready|merged|` +
		`landed|live|behind|left off|picks? up|needed|required|suffices|enables|builds? on|based on|on top of|` +
		`nach|vor|sobald|wenn|erst|zuerst|beginn|fertig|abgeschlossen|danach|aprés|après|avant|une fois|` +
		`dès|quand|lorsque|termin|commenc|ensuite|después|antes|cuando|tras|luego|empie|empez|comienz|` +
		`depois|quando|assim que|após|começ|conclu|dopo|prima|una volta|finit|démarr|inici)|после|перед|когда|` +
		`сначала|начать|начин|старту|开始|開始|시작|끝난|된 후|заверш|完成|之后|以后|之前|以前|后进行|結束|结束|先に|後に|の前|の後|完了|終わ|してから|完成后|이후|끝나|완료|먼저|후에|다음에`)
	besideHints = lazyregexp.New(`(?i)\b(parallel|concurrent|simultan|alongside|same time|together with|` +
		`side by side|a la vez|zeitgleich|zugleich|de front|contemporane|insieme a|(starts?|begins?|goes|runs?) (together )?with (the )?(phase|step|task|stage|milestone|story)|independent|gleichzeitig|unabhängig|en même temps|indépend|al mismo tiempo|paral|` +
		`ao mesmo tempo|independ)|параллельн|одновременн|независ|并行|並行|並列|同时|同時|병렬|동시`)
	denyHints = lazyregexp.New(`(?i)\b(not|no|never|without|nicht|kein|keine|ohne|pas|sans|sin|sem|não|` +
		`non|nor|neither|regardless|instead|irrespective)\b|n't\b|(^|\PL)(не|без|нет)(\PL|$)|不依|无需|無需|不需|无须|不必|不用|不等|ずに|없이|ない|않`)
	openings     = lazyregexp.New(`(?i)^\W*(if|see|falls|si|wenn nötig)\b|^\W*если(\PL|$)`)
	turningHints = lazyregexp.New(`(?i)\b(until|before|unless|till|bevor|bis|avant|antes|hasta)\b|\baté(\PL|$)|пока`)
)

// OrderHint looks for words of order in a sentence.
func OrderHint(s string) Hint {
	waits := HoldsWait(s)
	switch {
	case (denyHints.MatchString(s) || openings.MatchString(s)) && !turningHints.MatchString(s):
		return HintDenied
	case besideHints.MatchString(s) && !waits:
		return HintBeside
	case waits:
		return HintWait
	case orderHints.MatchString(s):
		return HintOrder
	}
	return HintNone
}

// MixesHints reports whether a sentence holds words of order, and words for "at the same time" or
// words that deny.
func MixesHints(s string) bool {
	return (besideHints.MatchString(s) || denyHints.MatchString(s)) &&
		(orderHints.MatchString(s) || HoldsWait(s))
}

// HoldsWait reports whether a sentence has a word that means nothing else than order.
func HoldsWait(s string) bool {
	return waitHints.MatchString(s) || strings.HasSuffix(s, "first") && landsFirst.MatchString(s)
}

var clauseEnds = lazyregexp.New(`, |，|、| - | — | – | but | and | und | y | et | и |\(`)

// HintClauses cuts a sentence at every place where a clause may end, and both sides hold a word of
// order.
func HintClauses(s string) (clauses []string) {
	from := 0
	for _, m := range clauseEnds.FindAllStringIndex(s, -1) {
		if inner, _, _ := strings.Cut(s[m[1]:], ")"); s[m[0]] == '(' && OrderHint(inner) == HintNone {
			continue // "after Setup (Phase 1)"
		}
		if m[0] >= from && OrderHint(s[from:m[0]]) != HintNone && OrderHint(s[m[1]:]) != HintNone {
			clauses, from = append(clauses, s[from:m[0]]), m[1]
		}
	}
	return append(clauses, s[from:])
}

var endHints = lazyregexp.New(`(?i)\b(the end|at the end|the very end|the start|the beginning|last|first|(zum|am) (schluss|ende)|` +
	`à la fin|al final|no fim|ao final|alla fine)\b|в конц|最后|最後|마지막`)

// HoldsEnd reports whether a sentence is about the first or the last place of an order.
func HoldsEnd(s string) bool { return endHints.MatchString(s) }

var sequenceHints = lazyregexp.New(`(?i)\b(after|before|once|until|unless|prior to|upon|follow(s|ed|ing)?|subsequent|` +
	`then|behind|left off|on top of|nach|vor|bevor|sobald|danach|après|avant|une fois|dès|lorsque|ensuite|` +
	`después|antes|tras|luego|depois|assim que|após|dopo|prima)\b|после|перед|прежде|сначала|` +
	`之后|以后|之前|以前|后进行|先|の前|の後|後に|前に|してから|이후|먼저|후에|전에|다음에`)

// HoldsSequence reports whether a sentence has a word that puts one thing before another.
func HoldsSequence(s string) bool { return sequenceHints.MatchString(s) }

var listBehind = lazyregexp.New(`(?i)\b(?:depends? on|blocked (?:by|on)|waits? (?:for|on)|predecessors?|` +
	`prerequisites?|blockers?)\s*:?\s*(#?\d+[a-z]?(?:\s*(?:,|&|and|/|-|–)\s*#?\d+[a-z]?)*)\s*(?:$|[.;)_*])`)

// ListBehindHint is the list of bare numbers that follows a word of waiting and ends the sentence,
// "" for none: "1, 2" of "depends on 1, 2".
func ListBehindHint(s string) string {
	if m := listBehind.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
		return m[1]
	}
	return ""
}

// Which phases a line is about that names none of them.
var (
	earlierOnes = lazyregexp.New(`(?i)\b(all|every|each|everything|both|any)\b[a-z ]{0,20}\b(previous|prior|` +
		`earlier|preceding|above|before|so far|foregoing)\b|\beverything else\b|` +
		`\b(all|every) (of the )?(other|others|remaining)\b|\balle (vorherigen|vorigen|anderen|vorangehenden)|` +
		`\balles (vorherige|andere|davor)|\b(toutes|tous) les .{0,20}(précédent|autres|antérieur)|` +
		`\btod[oa]s .{0,20}(anterior|demás|previ|outr)|` +
		`\btutt[ie] .{0,20}(precedent|altr)|все .{0,20}(предыдущ|остальн)|(所有|全部)(的)?(之前|前面|其他|其它|先前)|` +
		`前面所有|すべての(前|先行|他)|全ての(前|他)|(이전|앞|모든 이전|모든 다른|나머지 모든)[^ ]* ?(모든 )?단계`)
	runsLast = lazyregexp.New(`(?i)^(this |it |the )?(phase |step |task |one )?(is |be |must |should |to )*` +
		`(runs?|goes|go|comes?|done|do this|run this|happens?|executed|scheduled|merged?|ships?|lands?) ` +
		`(very |dead |at the |absolute )*(last|end)\b|^(very )?last (step|phase|of all)\b`)
)

// EarlierPhases reports whether a sentence is about all phases before the one it stands in.
func EarlierPhases(s string) bool {
	return earlierOnes.MatchString(s) || runsLast.MatchString(strings.TrimSpace(inline.Plain(s)))
}

// MayBeEarlier reports whether a line may be about all earlier phases. It is called for every line.
func MayBeEarlier(line string) bool {
	return ContainsAny(line, "all", "All", "very", "last", "Last", "both", "tou", "Tou", "tod", "Tod",
		"tutt", "Tutt", "все", "Все", "所有", "全部", "前面", "全て", "すべて", "이전", "앞", "모든")
}

var unrelated = lazyregexp.New(`(?i)\b(unrelated|independent|unabhängig|sans rapport|indépendant|no relation|overlaps?|beside|alongside)\b`)

// SaysBeside reports whether a text says that a phase has nothing to do with what it names.
func SaysBeside(s string) bool { return unrelated.MatchString(s) }
