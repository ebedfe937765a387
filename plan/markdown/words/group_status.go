package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/plan"
	"autobuild/plan/markdown/inline"
)

// GroupStatus is the status that a heading or the lead-in of a list states for all below it:
// "Completed so far:", "Done", "Abgeschlossene Phasen". Each of its words has to be a word of one
// status, a kind word of phases, or one without a meaning of its own here; "Complete the steps" and
// "Done when" state none. Only what is done and what is skipped counts.
func GroupStatus(text string) plan.Status {
	text = inline.Plain(strings.TrimSpace(text))
	text, whole := withoutNotes(WithoutMarks(text))
	if !whole || len(text) > maxGroupStatus {
		return plan.StatusUnknown
	}
	for _, status := range []plan.Status{plan.StatusDone, plan.StatusSkipped} {
		if statesGroup(strings.ToLower(text), status) {
			return status
		}
	}
	return plan.StatusUnknown
}

// maxGroupStatus bounds the text that states the status of several phases, in bytes.
const maxGroupStatus = 80

func statesGroup(lower string, status plan.Status) bool {
	if status == plan.StatusSkipped {
		for _, phrase := range notNeeded {
			lower = strings.ReplaceAll(lower, phrase, " ")
		}
	}
	fields := strings.FieldsFunc(lower, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '-' && r != '\''
	})
	stated := false
	for i, w := range fields {
		w = strings.Trim(w, ".-'")
		switch {
		case w == "" || slices.Contains(besideGroup, w) || isDate(w) || settledMark.MatchString(w):
		case w == "complete" && i == 0 && len(fields) > 1:
			return false // "Complete all steps:"
		case isGroupWord(w, status):
			stated = true
		case isKindWord(w):
		default:
			return false
		}
	}
	return stated
}

// isGroupWord reports whether a word is a form of one for a status, also inflected, and with a
// kind word joined to it in scripts without blanks: "завершённые", "已完成的阶段".
func isGroupWord(word string, status plan.Status) bool {
	const ending = 3 // letters
	for _, s := range statusWords {
		at := strings.Index(word, s.word)
		if at < 0 || s.status != status {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(s.word)
		rest := word[at+len(s.word):]
		if !Ideograph(last) {
			// "выполнение" is the work itself
			if at == 0 && utf8.RuneCountInString(rest) <= ending && !strings.HasPrefix(rest, "и") {
				return true
			}
			continue
		}
		rest = wideBeside.Replace(word[:at] + rest)
		if rest == "" || isKindWord(rest) {
			return true
		}
	}
	return false
}

// isKindWord reports whether a word is one for phases, also in the plural.
func isKindWord(word string) bool {
	kind, _ := plan.SplitKind(word + " 1")
	return kind != ""
}

// wideBeside takes off what stands beside a status in scripts without blanks.
var wideBeside = strings.NewReplacer("已", "", "的", "", "した", "", "された", "", "している", "", "すみ", "",
	"み", "", "済", "", "된", "", "한", "", "목록", "", "部分", "", "工作", "", "内容", "", "作業", "", "これまでに", "",
	"目前", "", "至今", "", "もの", "", "項目", "", "项目", "", "事项", "", "작업", "", "すでに", "", "既に", "")

// besideGroup are words that stand beside the status of several phases.
var besideGroup = []string{
	"so", "far", "already", "work", "items", "what", "is", "was", "has", "been", "have", "we",
	"all", "these", "this", "are", "the", "recently", "previously", "to", "date", "until", "now",
	"yet", "and", "list", "status", "bereits", "bisher", "bis", "jetzt", "schon", "ist", "sind",
	"arbeiten", "déjà", "jusqu'ici", "jusqu", "ici", "travaux", "ya", "hasta", "ahora", "trabajo",
	"já", "até", "agora", "trabalho", "уже", "на", "данный", "момент", "работы", "già", "finora",
	"이미", "지금까지", "with", "in", "on", "as", "of", "am",
}
