package words

import (
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan/markdown/inline"
)

// Turn is an order of work that a sentence states without a word of dependency.
type Turn int

// The turns. A sentence of TurnBefore names two things, the others name one.
const (
	TurnNone    Turn = iota
	TurnFirst        // "start with phase 3", "run this first"
	TurnLast         // "phase 2 goes last"
	TurnBefore       // "phase 3 before phase 1"
	TurnReverse      // "in reverse order"
	TurnFree         // "in any order", "at the same time", "independent of each other"
)

// turnWords lists the phrases of each turn, in the order in which they are looked for. A space at
// an end stands for the end of a word.
var turnWords = []struct {
	turn  Turn
	words []string
}{
	{TurnReverse, []string{
		"reverse order", "reversed order", "in reverse", "bottom up", "bottom-up", "from the bottom",
		"bottom to top", "backwards", "last to first", "umgekehrter reihenfolge", "rückwärts",
		"ordre inverse", "sens inverse", "orden inverso", "ordem inversa", "обратном порядке",
		"ordine inverso", "相反顺序", "相反的顺序", "逆序", "倒序", "逆順", "逆の順", "역순",
	}},
	{TurnFree, []string{
		"any order", "same time", "independent of each other", "independent of one another",
		"independently", "each other", "one another", " together", "are independent",
		"no phase depends", "beliebiger reihenfolge", "gleichen zeit", "voneinander", "même temps",
		"n'importe quel ordre", "mismo tiempo", "cualquier orden", "mesmo tempo", "qualquer ordem",
		"любом порядке", "одновременно", "друг от друга", "任意顺序", "任何顺序", "互不依赖", "相互独立",
		"任意の順", "順不同", "独立して", "임의의 순서", "순서에 상관없이", "동시에",
	}},
	{TurnBefore, []string{
		" before ", " prior to ", " ahead of ", "prerequisite of ", "prerequisite for ",
		"precondition for ", "precondition of ", " vor ", " bevor ", "voraussetzung für ",
		" avant ", "prérequis de ", "prérequis pour ", "préalable à ", " antes de ", " antes da ",
		" antes do ", " antes del ", "requisito de ", "requisito para ", " до ", " перед ",
		" раньше ", " prima di ", " prima della ", "之前", "以前", "の前", "より前", "より先", " 전에", " 이전에",
	}},
	{TurnLast, []string{
		" last", "finish with ", "end with ", " at the very end", "zuletzt", "als letztes",
		"am ende", "en dernier", "al final", "por último", "ao final", "no fim", "последн",
		"в конце", "per ultim", "最后", "最後", "마지막",
	}},
	{TurnFirst, []string{
		"start with ", "starts with ", "begin with ", "begins with ", "start at ", "begin at ",
		"start from ", " first", "zuerst", "als erstes", "beginne mit ", "beginnen mit ",
		"commencer par ", "commencez par ", "commence par ", "en premier", "d'abord",
		"empezar por ", "empezar con ", "empieza por ", "empieza con ", "comenzar con ",
		"comenzar por ", "primero", "começar pela ", "começar por ", "comece pela ", "primeiro",
		"сначала", "начать с ", "начните с ", "первой", "первым", "prima ", "首先", "先做", "先完成",
		"先执行", "最初", "先に", "まず", "먼저", "우선",
	}},
}

// turnHints are the phrases of all turns, those that are ASCII apart.
var turnHints, wideTurnHints = func() (narrow, wide []string) {
	for _, t := range turnWords {
		for _, word := range t.words {
			if inline.IsASCII(word) {
				narrow = append(narrow, word)
			} else {
				wide = append(wide, word)
			}
		}
	}
	return narrow, wide
}()

// LooksLikeTurn reports whether a line may hold a turn. It is called for many lines.
func LooksLikeTurn(line string) bool {
	lower := " " + strings.ToLower(line) + " "
	return ContainsAny(lower, turnHints...) ||
		!inline.IsASCII(lower) && ContainsAny(lower, wideTurnHints...)
}

// ReadTurn reads the turn of a sentence: what stands before its phrase and what stands behind it.
func ReadTurn(text string) (turn Turn, before, after string) {
	text = " " + strings.TrimSpace(text) + " "
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = asciiLower(text)
	}
	for _, t := range turnWords {
		for _, word := range t.words {
			for from := 0; ; {
				at := strings.Index(lower[from:], word)
				if at < 0 {
					break
				}
				at += from
				trimmed := strings.TrimSpace(word)
				begin := at + strings.Index(word, trimmed)
				if standsAlone(lower, begin, len(trimmed)) || t.turn == TurnLast {
					return t.turn, strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+len(word):])
				}
				from = at + len(word)
			}
		}
	}
	return TurnNone, "", ""
}

// groups begin the subject of a sentence about all phases.
var groups = []string{
	"everything else", "everything", "all other phases", "all others", "all phases", "all the others",
	"every other phase", "every phase", "all later phases", "all remaining phases", "all steps",
	"all other steps", "all tasks", "all other tasks", "the rest", "alles andere", "alles",
	"alle anderen phasen", "alle phasen", "tout le reste", "toutes les autres phases",
	"toutes les phases", "todo lo demás", "todas las demás fases", "todas las fases", "todo o resto",
	"todas as outras fases", "todas as fases", "все остальные этапы", "все этапы", "всё остальное",
}

var othersFree = lazyregexp.New(`(?i)\b(the others|the rest|all others|all( the)? other \pL+|the other \pL+|others|` +
	`(die|alle) (anderen|übrigen)( phasen| schritte)?|(toutes )?les autres( phases| étapes)?|` +
	`(todas )?(las|as) (demás|otras|outras|demais)( fases| etapas)?|(tutte )?le altre( fasi)?)` +
	`( (are|is|remain|stay|sind|bleiben|sont|restent|son|quedan|são|ficam|sono))?( all| alle| toutes| todas| tutte)?` +
	` (independ|indépend|unabhäng|indipend)|остальные( \pL+)? независ|(其他|其余|其它)(阶段|步骤|任务)?(都|均)?(互相|相互|彼此)?独立|` +
	`他(のフェーズ|の段階)?は(互いに|すべて)?独立|나머지( 단계)?(는|들은)?( 모두)? 독립`)

// OthersFree reports whether a sentence says of the phases that it does not name, or the one before
// it, that they wait for nothing: "the others are independent".
func OthersFree(s string) bool { return othersFree.MatchString(s) }

var othersHints = lazyregexp.New(`(?i)\b(the others|the rest|the other \pL+s|die anderen|die übrigen|les autres|` +
	`las demás|las otras|as outras|as demais|le altre)\b|остальн|其他|其余|他は|나머지`)

// HoldsOthers reports whether a sentence also speaks of phases beside those that it names.
func HoldsOthers(s string) bool { return othersHints.MatchString(s) }

// groupHints are words for several phases without their ids.
var groupHints = lazyregexp.New(`(?i)\b(all|both) (of )?(the )?(other |remaining |later |earlier |subsequent |user )?` +
	`(phases|steps|tasks|stages|milestones|waves|stories|sprints|others)\b|` +
	`\b(every|each|any|no|none of the) (other |single |later |earlier |subsequent )?` +
	`(phase|step|task|stage|milestone|wave|story|sprint)([^\pL\d]\D|[^\pL\d]?$)|` +
	`\b(everything|nothing|the others|the rest|the remaining|the other \pL+s)\b|` +
	`\b(alle|jede|keine|die) (anderen |übrigen |weiteren )?(phasen|schritte|aufgaben|anderen|übrigen)\b|\balles\b|` +
	`\b(jede|keine) (andere |weitere )?phase ([^\d]|$)|` +
	`\b(toutes|tous|les) (les )?(autres|étapes|phases)\b|\b(chaque|aucune) (autre )?(étape|phase)\b|\btout le reste\b|` +
	`\b(tod[oa]s|las|los|as|os|tutt[ie]|le) (las |los |as |os |le |i )?` +
	`(otr[oa]s|demás|outr[oa]s|demais|altre|altri|fases|pasos|etapas|fasi)\b|` +
	`\b(cada|ninguna|nenhuma|nessuna) (otra |outra |altra )?(fase|etapa)\b|` +
	`\b(el resto|o resto|lo demás|il resto)\b|(^|\PL)(все|всё|остальн\pL*|кажд\pL*|ни одн\pL*)\PL|所有|全部|其他|其余|其它|每个|任何|` +
	`以外|すべて|全て|その他|他は|他の|나머지|모든|제외|이외`)

var rulesOut = lazyregexp.New(`(?i)(\b(except|excepting|excluding|other than|apart from|but|außer|ohne|sauf|hormis|` +
	`excepto|salvo|menos|exceto|tranne|eccetto)\b|кроме|除|以外|제외|이외)\D{0,16}\d|\d\D{0,3}(以外|제외|이외|를 제외|을 제외)`)

// RulesOutNumber reports whether a sentence rules something with a number out: "all but 5".
func RulesOutNumber(s string) bool { return rulesOut.MatchString(s) }

// MeansGroup reports whether a sentence is also about phases that it does not name.
func MeansGroup(s string) bool { return groupHints.MatchString(s) }

// AllPhases reports whether a subject means all phases, or those behind one: after is the text
// behind "after" in "everything after phase 3".
func AllPhases(subject string) (after string, ok bool) {
	lower := strings.ToLower(strings.TrimSpace(subject))
	at, size := earliest(lower, groups)
	if size == 0 || at > 0 {
		return "", false
	}
	rest := strings.TrimSpace(lower[size:])
	if rest == "" {
		return "", true
	}
	for _, word := range append([]string{"behind ", "following ", "from "}, afters...) {
		if after, found := strings.CutPrefix(rest, strings.TrimSpace(word)+" "); found {
			return after, true
		}
	}
	return "", false
}
