package plan

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"autobuild/internal/text"
)

// isForeign reports whether an entry of a list has not the shape of a phase of this plan: a
// decision "ADR 0004", a state "backend is live", an id with other letters. What has that shape, or
// nearly is an id, a kind word or a name of a phase, is a misspelt phase.
func (n *names) isForeign(entry string) bool {
	const most = 12 // words
	words := strings.FieldsFunc(strings.ReplaceAll(entry, "..", " "), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("/()[],:;–—…~", r)
	})
	if len(words) == 0 || len(words) > most || n.nearName(entry) || !strings.ContainsFunc(entry, unicode.IsLetter) &&
		!n.comesBefore(words[0]) {
		return false
	}
	if n.within != nil {
		if phase, _ := n.within(entry); phase != "" {
			return false // a task of several phases
		}
	}
	before := ""
	for _, word := range words {
		word = strings.Trim(word, ".#*`\"'")
		switch {
		case word == "" || isDate(word) || n.comesBefore(word):
		case n.isOwnKind(word):
			return false
		case !strings.ContainsAny(word, "0123456789"):
			if len(words) == 1 && n.nearID(word) {
				return false
			}
		case bareNumber(word) && before != "" && !strings.ContainsAny(before, "0123456789"):
			if n.nearKind(before) {
				return false
			}
		case n.hasShape(word) || n.nearID(word):
			return false
		}
		before = word
	}
	return true
}

// isDate reports whether a word is a day, 2026-09-02 or 02.09.2026.
func isDate(word string) bool {
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '.' })
	return len(parts) == 3 && len(parts[0])+len(parts[2]) == 6 && len(parts[1]) == 2 &&
		bareNumber(strings.Join(parts, ""))
}

// shape is the letters before the number of an id: "t" of T-03, "us" of US4, "wp" of WP2a, "" of 3.1.
func shape(id string) string {
	before := id
	if digits := strings.IndexAny(id, "0123456789"); digits >= 0 {
		before = id[:digits]
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, before))
}

// hasShape reports whether a word has the letters of the id of some phase.
func (n *names) hasShape(word string) bool {
	of := shape(word)
	return slices.ContainsFunc(n.phases, func(p DraftPhase) bool { return shape(p.ID) == of })
}

// comesBefore reports whether a number stands before the first phase of a plan whose ids are
// numbers that do not begin at 1.
func (n *names) comesBefore(word string) bool {
	number, err := strconv.Atoi(word)
	if err != nil {
		return false
	}
	for _, p := range n.phases {
		first, err := strconv.Atoi(p.ID)
		if err != nil || first <= max(number, 1) {
			return false
		}
	}
	return true
}

// nearID reports whether a word is the id of a phase but for one letter.
func (n *names) nearID(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(n.phases, func(p DraftPhase) bool {
		return text.Distance(word, p.ID, 1) <= 1 ||
			text.Distance(strings.ReplaceAll(word, "-", ""), strings.ReplaceAll(p.ID, "-", ""), 1) <= 1
	})
}

// isOwnKind reports whether a word is the kind word of phases of the plan.
func (n *names) isOwnKind(word string) bool {
	kind, _ := SplitKind(word + " 1")
	return kind != "" && n.ofKind(kind)
}

// nearKind reports whether a word before a number is the kind word of phases, or nearly that.
func (n *names) nearKind(word string) bool {
	kind, _ := SplitKind(word + " 1")
	if kind != "" {
		return len(n.words) == 0 || n.ofKind(kind)
	}
	word = strings.ToLower(word)
	most := min(2, len(word)/2)
	for of := range n.words {
		of = strings.ToLower(of)
		if text.Distance(word, of, most) <= most || len(word) > 1 && strings.HasPrefix(of, word) {
			return true
		}
	}
	return slices.ContainsFunc([]string{"phase", "task", "step", "milestone", "stage"}, func(of string) bool {
		return text.Distance(word, of, 1) <= 1
	})
}

// nearName reports whether an entry is the name of a phase but for some letters, or the beginning of
// one.
func (n *names) nearName(entry string) bool {
	name := calling(entry)
	const shortest = 4 // bytes
	if len(name) < shortest {
		return false
	}
	most := min(3, len(name)/4)
	for called := range n.called {
		if text.Distance(name, called, most) <= most || strings.HasPrefix(called, name+" ") ||
			strings.HasPrefix(name, called+" ") {
			return true
		}
	}
	return false
}
