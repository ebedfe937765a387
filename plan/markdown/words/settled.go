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

// Settled reports whether a text that begins as a status of a phase that is not run says nothing
// that limits it: beside the status stands a date, a person, a commit or a note in brackets at
// most. "Done on 3 May (#12)" is settled; "done?" and "complete after Phase 1" are not.
func Settled(text string, status plan.Status) bool {
	if strings.Contains(text, "~~") || strings.ContainsAny(text, "⚠❓❔") {
		return false
	}
	text = strings.ReplaceAll(inline.Plain(text), "\u2019", "'")
	for _, g := range StatusEmoji {
		if strings.Contains(text, g.Glyph) && g.status != status {
			return false
		}
	}
	text, settled := withoutNotes(text)
	if !settled || strings.ContainsAny(text, "?？") {
		return false
	}
	lower := strings.ToLower(text)
	for _, s := range statusWords {
		if s.status != status || !strings.Contains(s.word, " ") && !strings.Contains(s.word, "'") {
			continue
		}
		lower = strings.ReplaceAll(lower, s.word, " ")
	}
	if status == plan.StatusSkipped {
		for _, phrase := range notNeeded {
			lower = strings.ReplaceAll(lower, phrase, " ")
		}
	}
	fields := strings.FieldsFunc(lower, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;，、；。·—–|+&", r)
	})
	return settledWords(fields, status) || status == plan.StatusDone && recorded(text, fields)
}

// recorded reports whether a text is a mark, then a day or a file, then a note that limits nothing:
// "✅ 2026-08-20 with the setup", "☑ app/main.go".
func recorded(text string, fields []string) bool {
	led := slices.ContainsFunc(StatusEmoji, func(g struct {
		Glyph  string
		status plan.Status
	},
	) bool {
		return strings.HasPrefix(strings.TrimSpace(text), g.Glyph)
	})
	fields = slices.DeleteFunc(slices.Clone(fields), func(w string) bool {
		return !strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	})
	if !led || len(fields) == 0 || !wholeDate.MatchString(fields[0]) && !fileName.MatchString(fields[0]) {
		return false
	}
	return !slices.ContainsFunc(fields, func(w string) bool {
		w = strings.Trim(w, ".:!'\"*`")
		return limits(w) || slices.Contains(remaining, w)
	})
}

var (
	wholeDate = lazyregexp.New(`^(\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{2,4})$`)
	fileName  = lazyregexp.New(`^[\w.*@-]*/[\w./*@-]*$|^[\w-]+\.(go|ts|tsx|js|jsx|py|rs|dart|java|kt|swift|c|cc|cpp|h|md|sql|json|ya?ml|toml|sh)$`)
)

// remaining are words of a note by which something is still to do.
var remaining = []string{
	"remain", "remains", "remaining", "left", "open", "follow-up", "followup", "later", "deferred",
	"blocked", "broken", "fails", "failing", "failed", "draft", "started", "progress", "review",
	"rest", "except", "offene", "restant", "pendiente", "pendente",
}

// withoutNotes takes the brackets off a text. It is false where one begins as a limit.
func withoutNotes(text string) (rest string, settled bool) {
	var out, note strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case strings.ContainsRune("([（【", r):
			depth++
		case depth > 0 && strings.ContainsRune(")]）】", r):
			if depth--; depth == 0 {
				if limits(note.String()) {
					return "", false
				}
				note.Reset()
			}
		case depth > 0:
			note.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String(), note.Len() == 0 || !limits(note.String())
}

// limits reports whether a note behind a status says that the status does not hold, or not yet.
func limits(note string) bool {
	first, _, _ := strings.Cut(inline.Words(note), " ")
	return strings.ContainsAny(note, "?？") || slices.Contains(limiting, first) ||
		strings.HasPrefix(first, "un") && strings.HasSuffix(first, "ed") ||
		fraction(first) == partly ||
		!inline.IsASCII(note) && ContainsAny(note, "未", "待", "除", "以外", "제외", "아직", "미")
}

// settledWords reports whether words beside a status are dates, people, commits and the like.
func settledWords(fields []string, status plan.Status) bool {
	counted := false
	for i := 0; i < len(fields); i++ {
		w := strings.TrimFunc(fields[i], func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '@' && r != '%'
		})
		switch f := fraction(w); {
		case w == "" || slices.Contains(besideStatus, w) || isStatusWord(w, status):
		case status == plan.StatusSkipped && slices.Contains(besideSkipped, w):
		case f == partly:
			return false
		case f == whole:
			counted = true
		case counted && slices.Contains(countedThings, w):
		case w[0] == '@' || isDate(w) || settledMark.MatchString(w):
		case w == "by" || w == "von" || w == "par" || w == "por":
			if i++; i >= len(fields) || isDeadline(fields[i]) {
				return false
			}
			if i+1 < len(fields) && isName(fields[i+1]) {
				i++ // a family name
			}
		default:
			return false
		}
	}
	return true
}

// isStatusWord reports whether a word is a form of a word for the status.
func isStatusWord(word string, status plan.Status) bool {
	for _, s := range statusWords {
		if rest, found := strings.CutPrefix(word, s.word); found && s.status == status &&
			ending(s.word, rest) {
			return true
		}
	}
	return false
}

const (
	whole  = 1 // "5/5", "100%"
	partly = 2 // "3/5", "90%"
)

// fraction says how much of the work a word counts as done; 0 where it counts nothing.
func fraction(word string) int {
	if word == "100%" {
		return whole
	}
	done, all, found := strings.Cut(word, "/")
	switch {
	case strings.HasSuffix(word, "%"):
		return partly
	case !found || !IsNumeric(done) || !IsNumeric(all):
		return 0
	case done == all:
		return whole
	}
	return partly
}

// isDate reports whether a word is a part of a date: a number, a month, a day of the week.
func isDate(word string) bool {
	if settledDate.MatchString(word) {
		return true
	}
	return utf8.RuneCountInString(word) > 2 && slices.ContainsFunc(months,
		func(name string) bool { return strings.HasPrefix(name, word) })
}

// isName reports whether a word may be that of a person.
func isName(word string) bool {
	return !slices.Contains(limiting, word) && wordStatus(word) == plan.StatusUnknown &&
		!isDate(word) && !slices.Contains(besideStatus, word)
}

// isDeadline reports whether what stands behind "by" is a time and no person.
func isDeadline(word string) bool {
	word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '@' })
	return word == "" || isDate(word) || slices.Contains([]string{
		"end", "eod", "eow", "the", "next", "tomorrow", "today", "then", "now", "noon", "tonight",
		"sprint", "phase", "release", "q", "v",
	}, word)
}

var (
	settledDate = lazyregexp.New(
		`^([0-9]{1,4}([./:-][0-9]{1,4}){0,5}(st|nd|rd|th|h|z)?|[0-9-]+t[0-9:.]+z?|([0-9]+[年月日년월일])+)$`)
	settledMark = lazyregexp.New(
		`^([0-9a-f]{7,40}|v[0-9][0-9.]*|q[1-4]|[a-z]{1,8}[#-][0-9]+|https?:.*)$`)
)

// months are the names of months and of days of the week.
var months = []string{
	"january", "february", "march", "april", "may", "june", "july", "august", "september",
	"october", "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday",
	"saturday", "sunday", "januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember",
	"janvier", "février", "mars", "avril", "juin", "juillet", "août", "septembre", "octobre",
	"novembre", "décembre", "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio",
	"agosto", "septiembre", "octubre", "noviembre", "diciembre", "janeiro", "fevereiro", "março",
	"maio", "junho", "julho", "setembro", "outubro", "novembro", "dezembro", "января", "февраля",
	"марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря",
}

// besideStatus are words that stand beside a status and take nothing from it.
var besideStatus = []string{
	"on", "in", "at", "as", "of", "via", "per", "since", "and", "with", "am", "pm", "utc", "seit",
	"und", "mit", "vom", "le", "du", "depuis", "et", "avec", "el", "de", "del", "desde", "y", "em",
	"e", "с", "и", "от", "the", "already", "now", "today", "yesterday", "fully", "all",
	"successfully", "finally", "completely", "pr", "mr", "commit", "commits", "issue", "branch",
	"release", "version", "sprint", "main", "master", "production", "prod", "see", "tested",
	"verified", "reviewed", "approved", "deployed", "released", "landed", "closed", "accepted",
	"validated", "confirmed", "live", "green", "passing", "pass", "tests", "fixed", "resolved",
	"delivered", "signed", "off", "status", "yes", "ok", "x",
}

// besideSkipped are words that say to when a phase that is not run is put off.
var besideSkipped = []string{
	"to", "until", "till", "for", "later", "backlog", "next", "future", "mvp", "post-mvp", "auf",
	"bis", "à", "a", "para", "на", "до", "duplicate", "superseded", "unneeded", "unnecessary",
}

// notNeeded are reasons for which a phase is left out.
var notNeeded = []string{
	"not needed", "no longer needed", "no longer relevant", "not worth it", "no need", "not required", "not necessary", "out of scope",
	"nicht nötig", "pas nécessaire", "no necesario",
}

// countedThings are what a count of all work counts: "5/5 tasks".
var countedThings = []string{
	"tasks", "boxes", "items", "steps", "checks", "stories", "plans", "subtasks", "tests",
}

// limiting are words that begin a note which takes a status back.
var limiting = []string{
	"not", "except", "excluding", "but", "pending", "verify", "after", "when", "until", "once",
	"if", "need", "needs", "todo", "almost", "nearly", "mostly", "partly", "partial", "partially",
	"half", "maybe", "probably", "without", "w/o", "only", "still", "missing", "wip", "awaiting",
	"waiting", "soon", "tbd", "tbc", "in-progress", "nicht", "außer", "ausser", "bis", "wenn",
	"nach", "noch", "fast", "teilweise", "ohne", "fehlt", "ausstehend", "offen", "sobald", "sauf",
	"pas", "sans", "presque", "après", "quand", "si", "reste", "no", "salvo", "excepto", "falta",
	"cuando", "tras", "casi", "sin", "después", "não", "exceto", "quando", "após", "quase", "sem",
	"не", "кроме", "после", "когда", "почти", "без", "осталось",
}
