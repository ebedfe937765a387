package plan

import (
	"fmt"
	"strings"
	"unicode"

	"autobuild/internal/text"
)

// otherIDs is the advice for two phases of one label on two lines: the ids that their groups give
// them where they are numbered, such as B1 below Backend and F1 below Frontend.
func (b *builder) otherIDs(label string, first, second int) string {
	if b.draft.Group != nil && leadingNumber(label) != "" {
		x, y := b.draft.Group(first), b.draft.Group(second)
		if short, other := ShortNames(x, y); short != "" {
			return fmt.Sprintf("the ids begin again: write %q below %q and %q below %q, also in "+
				"what depends on them", short+label, text.Clip(x, maxQuoted), other+label,
				text.Clip(y, maxQuoted))
		}
	}
	return "give one of them another id"
}

// ShortNames are letters that tell two groups apart: the first of each of their words, else as many
// of the first word as it takes. A group with a number has that: "2." for "Wave 2". They are empty
// where the groups have neither.
func ShortNames(x, y string) (first, second string) {
	if kind, core := SplitKind(x); kind != "" {
		if other, rest := SplitKind(y); other != "" {
			first, second = leadingNumber(core), leadingNumber(rest)
			if first != "" && second != "" && first != second {
				return first + ".", second + "."
			}
		}
	}
	first, second = initials(x), initials(y)
	if first != "" && second != "" && first != second {
		return first, second
	}
	first, second = capitals(x), capitals(y)
	for n := 1; n <= min(len(first), len(second)); n++ {
		if first[:n] != second[:n] {
			return first[:n], second[:n]
		}
	}
	return "", ""
}

func leadingNumber(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}

// initials are the first letters of the words of a name that are ASCII, at most three.
func initials(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if b.Len() < 3 && letter(word[0]) {
			b.WriteByte(word[0])
		}
	}
	return strings.ToUpper(b.String())
}

// capitals are the ASCII letters of a name, in capitals.
func capitals(name string) string {
	return strings.ToUpper(strings.Map(func(r rune) rune {
		if r < 0x80 && letter(byte(r)) {
			return r
		}
		return -1
	}, name))
}
