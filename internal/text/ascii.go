package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// spelled are signs that this program and the tools that it quotes print, as ASCII spells them.
var spelled = map[rune]string{
	'→': "->", '←': "<-", '⇒': "=>", '↔': "<->", '↓': "v", '↑': "^", '⏎': ";", '…': "...", '·': "-",
	'•': "*", '●': "*", '○': "o",
	'–': "-", '—': "--", '−': "-", '‐': "-", '‑': "-", '›': ">", '‹': "<", '❯': ">", '▸': ">",
	'►': ">", '▶': ">", '■': "#", '◷': "w",
	'‘': "'", '’': "'", '‚': "'", '“': `"`, '”': `"`, '„': `"`, '«': `"`, '»': `"`, '′': "'",
	'″': `"`, '`': "`",
	'×': "x", '÷': "/", '±': "+-", '≤': "<=", '≥': ">=", '≠': "!=", '≈': "~", '∞': "inf", 'µ': "u",
	'μ': "u", '°': "deg", '€': "EUR", '¥': "JPY",
	'✓': "+", '✔': "+", '√': "+", '✗': "x", '✘': "x", '✕': "x", '✖': "x", '⚠': "!",
	'⬜': "[ ]", '☐': "[ ]", '🔲': "[ ]", '⚪': "[ ]", '✅': "[x]", '☑': "[x]", '🟢': "[x]", '🔄': "[~]",
	'🚧': "[~]", '🟡': "[~]", '⏳': "[ ]",
	'⏸': "[!]", '⏭': "[-]", '❌': "[!]", '🔴': "[!]", '⛔': "[!]", '🚫': "[!]", '🛑': "[!]",
	'⎯': "-", '﹣': "-", 'ℹ': "i", '✎': "*", '。': ".", '；': ";", '！': "!", '∙': "-",
	'─': "-", '━': "-", '═': "=", '│': "|", '┃': "|", '║': "|", '┌': "+", '┐': "+", '└': "+",
	'┘': "+", '├': "+", '┤': "+", '┬': "+", '┴': "+",
	'┼': "+", '╔': "+", '╗': "+", '╚': "+", '╝': "+", '╠': "+", '╣': "+", '╭': "+", '╮': "+",
	'╯': "+", '╰': "+", '╵': "'", '╷': ",",
	'À': "A", 'Á': "A", 'Â': "A", 'Ã': "A", 'Ä': "A", 'Å': "A", 'Æ': "AE", 'Ç': "C", 'È': "E",
	'É': "E", 'Ê': "E", 'Ë': "E", 'Ì': "I", 'Í': "I",
	'Î': "I", 'Ï': "I", 'Ñ': "N", 'Ò': "O", 'Ó': "O", 'Ô': "O", 'Õ': "O", 'Ö': "O", 'Ø': "O",
	'Ù': "U", 'Ú': "U", 'Û': "U", 'Ü': "U", 'ß': "ss",
	'à': "a", 'á': "a", 'â': "a", 'ã': "a", 'ä': "a", 'å': "a", 'æ': "ae", 'ç': "c", 'è': "e",
	'é': "e", 'ê': "e", 'ë': "e", 'ì': "i", 'í': "i",
	'î': "i", 'ï': "i", 'ñ': "n", 'ò': "o", 'ó': "o", 'ô': "o", 'õ': "o", 'ö': "o", 'ø': "o",
	'ù': "u", 'ú': "u", 'û': "u", 'ü': "u", 'ÿ': "y",
}

// ASCII spells clean text in ASCII; for what cannot be spelled a question mark a cell.
func ASCII(s string) string {
	return Spell(s, func(r rune) string {
		return strings.Repeat("?", ansi.StringWidthWc(string(r)))
	})
}

// Spell replaces each sign beyond ASCII by its spelling, and by what other returns where it has
// none.
func Spell(s string, other func(rune) string) string {
	at := strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:at])
	for _, r := range s[at:] {
		switch by, known := spelled[r]; {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case known:
			b.WriteString(by)
		default:
			b.WriteString(other(r))
		}
	}
	return b.String()
}
