package plan

import (
	"strings"
	"unicode"
)

// short finds the phases that a short form names, made of the kind word that the document writes
// before its ids: "P1", "Ph. 1" and "phase_1" for "Phase 1", "TG2" for "Task Group 2".
func (n *names) short(label string) (hits []int) {
	letters, number := cutShort(label)
	if letters == "" || number == "" {
		return nil
	}
	id, err := NormalID(number)
	if err != nil {
		return nil
	}
	for _, i := range n.loose[unpad(id)] {
		if shortens(letters, n.words[n.phases[i].Word]) {
			hits = append(hits, i)
		}
	}
	return hits
}

// abbreviates reports whether a text names a phase by a few letters of its kind word: "S3" may as
// well be something else than step 3.
func (n *names) abbreviates(text string) bool {
	letters, _ := cutShort(text)
	hits := n.short(text)
	return len(hits) > 0 && n.words[n.phases[hits[0]].Word] != letters
}

// cutShort cuts a short form into its letters and its number.
func cutShort(label string) (letters, number string) {
	label = narrow(strings.TrimSpace(label))
	end := strings.IndexFunc(label, func(r rune) bool { return !unicode.IsLetter(r) })
	if end <= 0 {
		return "", ""
	}
	number = strings.TrimLeft(label[end:], " ._-#")
	if number == "" || !digit(number[0]) {
		return "", ""
	}
	return spelt(label[:end]), number
}

// shortens reports whether letters are the beginning of a word, or the first letters of several.
// Both are spelt.
func shortens(letters, word string) bool {
	initials := ""
	for w := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '-' }) {
		initials += w[:1]
	}
	return letters != "" && word != "" && (strings.HasPrefix(word, letters) || letters == word+"s" ||
		len(initials) > 1 && letters == initials)
}

// spelt is a word in letters of ASCII: "etape" for "Étape".
func spelt(word string) string {
	id, err := spell(strings.ToLower(word))
	if err != nil {
		return ""
	}
	return id
}

// ShortForm reports whether a text is made as short forms of phases are, whether the plan has the
// phase or not: "P9" where phases are called "Phase 1".
func (x *Index) ShortForm(text string) bool {
	letters, number := cutShort(text)
	if number == "" || strings.Trim(number, "0123456789.") != "" {
		return false
	}
	for _, word := range x.r.words {
		if shortens(letters, word) {
			return true
		}
	}
	return false
}
