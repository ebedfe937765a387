package plan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// numerals are the digits of Chinese and Japanese, and the units that numbers below a hundred need.
var numerals = map[rune]int{
	'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9,
	'十': 10,
}

// numeral reports whether a rune is a digit of another script, a Chinese numeral, or a number in a
// circle.
func numeral(r rune) bool {
	if r < 0x80 {
		return false
	}
	_, chinese := numerals[r]
	return chinese || unicode.Is(unicode.Nd, r) || r >= '①' && r <= '⑳'
}

// latin spells the accented letters of Latin scripts, as most keyboards would.
var latin = func() map[rune]string {
	spelt := map[rune]string{}
	for ascii, letters := range map[string]string{
		"a": "àáâãåāăąạảấầẩẫậắằẳẵặ", "c": "çćčĉċ", "d": "ďđð", "e": "èéêëēĕėęěẹẻẽếềểễệ",
		"g": "ğĝġģ",
		"h": "ĥħ", "i": "ìíîïĩīĭįıịỉ",
		"j": "ĵ", "k": "ķ", "l": "ĺļľł", "n": "ñńņň", "o": "òóôõøōŏőọỏốồổỗộớờởỡợơ", "r": "ŕŗř",
		"s": "śŝşšș", "t": "ţťțŧ",
		"u": "ùúûũūŭůűųụủứừửữựư", "w": "ŵ", "y": "ýÿŷỳỵỷỹ", "z": "źżž", "ae": "äæ", "oe": "öœ",
		"ue": "ü", "ss": "ß",
	} {
		for _, r := range letters {
			spelt[r] = ascii
		}
	}
	return spelt
}()

// spellRune is a rune of another script in ASCII; empty when it only separates, or is a part of the
// numeral that began before it.
func spellRune(core string, at int, r rune) string {
	r = unicode.ToLower(r)
	if _, chinese := numerals[r]; chinese {
		if at > 0 {
			if before, _ := utf8.DecodeLastRuneInString(core[:at]); isChinese(before) {
				return "" // spelt with the first of them
			}
		}
		return strconv.Itoa(chineseNumber(core[at:]))
	}
	switch {
	case unicode.Is(unicode.Nd, r):
		return strconv.Itoa(digitValue(r))
	case r >= '①' && r <= '⑳':
		return strconv.Itoa(int(r-'①') + 1)
	case latin[r] != "":
		return latin[r]
	case unicode.IsLetter(r) && r != 'ª' && r != 'º':
		return fmt.Sprintf("u%x", r)
	}
	return ""
}

func isChinese(r rune) bool {
	_, ok := numerals[r]
	return ok
}

// digitValue is the value of a decimal digit: in every script they stand together, in order.
func digitValue(r rune) int {
	for _, block := range unicode.Nd.R16 {
		if rune(block.Lo) <= r && r <= rune(block.Hi) {
			return int(r-rune(block.Lo)) % 10
		}
	}
	for _, block := range unicode.Nd.R32 {
		if rune(block.Lo) <= r && r <= rune(block.Hi) {
			return int(r-rune(block.Lo)) % 10
		}
	}
	return 0
}

// chineseNumber reads the numeral that a text begins with, below a hundred: 十二 is 12, 二十 is 20.
// Digits without a unit are read one after the other: 一二 is 12.
func chineseNumber(s string) int {
	tens, ones, unit := 0, 0, false
	for _, r := range s {
		n, ok := numerals[r]
		if !ok {
			break
		}
		if n == 10 {
			tens, ones, unit = max(ones, 1)*10, 0, true
			continue
		}
		if unit {
			ones = n
		} else {
			ones = min(ones*10+n, 1_000_000)
		}
	}
	return tens + ones
}

// confusable are letters of other scripts that look like one of ASCII.
const confusable = "АВЕКМНОРСТУХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο"

// lookalike finds a letter that only looks like one of ASCII, right beside one: "2А" with a
// Cyrillic letter would be another phase than "2A". Words that are wholly of the other script are
// none.
func lookalike(s string) rune {
	for _, word := range strings.FieldsFunc(s,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		mixed, odd, other := false, rune(0), false
		for _, r := range word {
			switch {
			case r < 0x80:
				mixed = true
			case strings.ContainsRune(confusable, r):
				odd = r
			default:
				other = true
			}
		}
		if mixed && odd != 0 && !other {
			return odd
		}
	}
	return 0
}

// pathlike reports whether a label is a path through directories. Such an id is refused, not
// normalised.
func pathlike(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "\\") || strings.HasPrefix(s, "..") ||
		strings.HasPrefix(s, "./") ||
		strings.Contains(s, "/..") || strings.Contains(s, "../") || strings.Contains(s, ":\\") ||
		strings.Contains(s, "..\\")
}

// Numeral reports whether a rune is a number of another script than ASCII.
func Numeral(r rune) bool { return numeral(r) }
