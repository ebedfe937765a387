package words

import (
	"strings"

	"autobuild/plan/markdown/inline"
)

// BesideAnswer reads the answer behind a label of BesideAnswers: of "NO (depends on 1, 2)" needs
// is "1, 2", and of "YES (with 2)" beside is "2". Both are empty where it names no phase.
func BesideAnswer(answer string) (needs, beside string) {
	for _, aside := range InBrackets(answer) {
		aside = inline.Plain(aside)
		if !strings.ContainsAny(aside, "0123456789") {
			continue
		}
		if text, ok := asideNeeds(aside); ok && needs == "" {
			needs = text
		}
		for _, lead := range []string{"with ", "alongside ", "beside ", "parallel with "} {
			if text, found := cutPrefixFold(aside, lead); found && beside == "" {
				beside = text
			}
		}
	}
	return needs, beside
}

// cutPrefixFold is strings.CutPrefix for any case of ASCII letters.
func cutPrefixFold(s, prefix string) (rest string, found bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
