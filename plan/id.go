package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"autobuild/internal/text"
)

// maxID bounds an id in bytes, so that file and branch names made of it fit on every system.
const maxID = 64

// reserved are the names that Windows keeps for devices, whatever the extension.
var reserved = []string{
	"con", "prn", "aux", "nul",
	"com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// NormalID is the one spelling of an id: "Phase 2-A", "2 a" and "2A" are all "2a". Separators
// between numbers stay, because "1.1" is not "11". The result is ASCII, at most 64 bytes, never a
// path, and a file name on every system; longer labels keep their beginning and gain a hash.
// Normalising twice changes nothing.
func NormalID(label string) (string, error) {
	if len(label) > 0 && len(label) <= maxID && strings.Trim(label, "0123456789") == "" {
		return label, nil
	}
	if !utf8.ValidString(label) {
		return "", errors.New("id is not valid UTF-8")
	}
	_, core := SplitKind(narrow(label))
	id, err := spell(core)
	if err != nil {
		return "", fmt.Errorf("id %q %w", text.Clip(label, maxQuoted), err)
	}
	for kind, rest := SplitKind(id); kind != ""; kind, rest = SplitKind(id) {
		if id, err = spell(rest); err != nil {
			return "", fmt.Errorf("id %q %w", text.Clip(label, maxQuoted), err)
		}
	}
	return safe(id), nil
}

// spell writes the letters and digits of a label in lower case, with one separator wherever there
// was any. Letters of other scripts are spelt by letters of ASCII where that is usual, else by
// their number.
func spell(core string) (string, error) {
	if pathlike(core) {
		return "", errors.New("is a path")
	}
	if rest, found := strings.CutPrefix(core, "第"); found && ordinal(rest) {
		core = rest
	}
	if r := lookalike(core); r != 0 {
		return "", fmt.Errorf("holds %q, which only looks like a letter of ASCII", r)
	}
	var b strings.Builder
	separator := byte(0) // seen and not yet written
	write := func(text string) {
		if separator != 0 && b.Len() > 0 {
			b.WriteByte(separator)
		}
		separator = 0
		b.WriteString(text)
	}
	for i, r := range core {
		switch {
		case r < ' ' || r == 0x7f:
			return "", errors.New("holds a control character")
		case r > 0x7e:
			if text := spellRune(core, i, r); text != "" {
				write(text)
			} else if separator == 0 && !unicode.Is(unicode.Mn, r) && !numeral(r) {
				separator = '-'
			}
		case letterOrDigit(byte(r)):
			write(string(lower(byte(r))))
		case separator != 0:
		case r == '.' || r == '_':
			separator = byte(r)
		default:
			separator = '-'
		}
	}
	id := joinLetters(b.String())
	if id == "" {
		return "", errors.New("holds neither letter nor digit")
	}
	return id, nil
}

// joinLetters drops the separator of "2-a": a digit, a separator, and one letter that stands alone.
func joinLetters(id string) string {
	var b strings.Builder
	for i := range len(id) {
		alone := i > 0 && i+1 < len(id) && digit(id[i-1]) && !letterOrDigit(id[i]) &&
			letter(id[i+1]) && (i+2 == len(id) || !letterOrDigit(id[i+2]))
		if !alone {
			b.WriteByte(id[i])
		}
	}
	return b.String()
}

// safe replaces what some file system or git refuses.
func safe(id string) string {
	if strings.HasSuffix(id, ".lock") {
		id = strings.TrimSuffix(id, ".lock") + "-lock"
	}
	if len(id) > maxID {
		sum := sha256.Sum256([]byte(id))
		id = joinLetters(strings.TrimRight(id[:maxID-9], ".-_") + "-" + hex.EncodeToString(sum[:4]))
	}
	stem, _, _ := strings.Cut(id, ".")
	for _, name := range reserved {
		if stem == name {
			return "phase-" + id
		}
	}
	return id
}

// narrow replaces the wide and typographic spellings of ASCII by ASCII.
func narrow(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xff01 && r <= 0xff5e:
			return r - 0xff01 + '!'
		case r >= 0x2010 && r <= 0x2015, r == 0x2212:
			return '-'
		case r == 0x00a0, r == 0x3000, r == 0x202f, r == 0x2009, r == '\t':
			return ' '
		}
		return r
	}, s)
}

func digit(c byte) bool         { return c >= '0' && c <= '9' }
func letter(c byte) bool        { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func letterOrDigit(c byte) bool { return digit(c) || letter(c) }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// maxQuoted bounds a quotation within a message, in bytes.
const maxQuoted = 103
