package words

import (
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
)

// pair matches two numbers that a word or a sign for "and" joins.
var pair = lazyregexp.New(`(\d+)(?:\s*[&+/]\s*|\s+(?:and|und|et|y|e|и)\s+|\s*[和与及]\s*)(\d+)\b`)

// ReadPair reads the title of one phase that has two numbers: "Milestone 9 & 10: Name" has the
// label "9-10". The label is empty where the text is no such title.
func ReadPair(raw string) Title {
	if !strings.ContainsAny(raw, "0123456789") {
		return Title{}
	}
	at := pair.FindStringSubmatchIndex(raw)
	if at == nil {
		return Title{}
	}
	label := raw[at[2]:at[3]] + "-" + raw[at[4]:at[5]]
	t := ReadTitle(raw[:at[0]] + label + raw[at[1]:])
	if kind, _ := plan.SplitKind(Bare(raw)); kind == "" || t.Kind != kind ||
		t.Label != label || t.Sep == "" || t.Name == "" {
		return Title{}
	}
	t.Paired = true
	return t
}

// Numbers are the two numbers of a paired title, and nothing for another.
func (t Title) Numbers() []string {
	if !t.Paired {
		return nil
	}
	return strings.Split(t.Label, "-")
}
