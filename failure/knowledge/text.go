package knowledge

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
)

// Bounds of entries that autobuild learns by itself, in bytes.
const (
	maxTrigger = 300
	maxFix     = 600
	maxSmall   = 80 // a gate's name, a tool's code, a source
)

// escapes are terminal sequences, whole or cut off.
var escapes = lazyregexp.New(
	`\x1b(?:\[[\x20-\x3f]*[\x40-\x7e]?|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x20-\x2f]+[\x30-\x7e]?|[\x40-\x5f])`)

// sanitize makes one line of at most n bytes of another program's output: no escape sequences, no
// control, bidi or invisible characters, no fences.
func sanitize(s string, n int) string {
	if len(s) > 4*n { // the rest could not be kept
		s = s[:4*n]
	}
	s = escapes.ReplaceAllString(strings.ToValidUTF8(s, ""), "")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case hidden(r):
			return -1
		case r == '`':
			return '\''
		}
		return r
	}, s)
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "~~~", "~")
	return text.Clip(s, n)
}

// hidden reports what does not show, or makes text show otherwise than it is.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Bidi_Control) ||
		r == utf8.RuneError
}

// checkText says what is wrong with a text that a person wrote, or that was learned before.
func checkText(field, s string) error {
	if len(s) > MaxField {
		return fmt.Errorf("%s has %d bytes; keep it below %d", field, len(s), MaxField)
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("%s is not UTF-8; save it as that", field)
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && hidden(r) {
			return fmt.Errorf("%s holds %s, which does not show; take it out", field,
				strconv.QuoteRuneToASCII(r))
		}
	}
	return nil
}

// slug makes a name of the first words of an error.
func slug(s string) string {
	const most = 6
	words := strings.FieldsFunc(strings.ToLower(s),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	var out []string
	n := 0
	for _, w := range words {
		if n += len(w) + 1; n > 48 || len(out) == most {
			break
		}
		out = append(out, w)
	}
	if len(out) == 0 {
		return "failure"
	}
	return strings.Join(out, "-")
}

// freeName is a name that no entry has: the wanted one, or that with a number.
func (b *Book) freeName(want string) string {
	got := want
	for i := 2; ; i++ {
		if _, taken := b.at(got); !taken {
			return got
		}
		got = want + "-" + strconv.Itoa(i)
	}
}
