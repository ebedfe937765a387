package testunit

import (
	"path"
	"strings"
)

// syntax describes how a language delimits comments and strings.
type syntax struct {
	line   []string  // begin a comment to the end of the line
	block  [2]string // begin and end a comment
	quotes []string  // begin and end a string, longest first
	multi  string    // quotes whose strings may span lines
	slash  bool      // /regular expressions/
	word   bool      // a comment begins a line or follows a space
	ticks  bool      // ' is a lifetime as well as a character
}

var (
	cLike = syntax{
		line: []string{"//"}, block: [2]string{"/*", "*/"},
		quotes: []string{`"""`, `"`, "'"}, multi: `"""`,
	}
	goLike = syntax{
		line: []string{"//"}, block: [2]string{"/*", "*/"},
		quotes: []string{`"`, "'", "`"}, multi: "`",
	}
	scriptLike = syntax{
		line: []string{"//"}, block: [2]string{"/*", "*/"},
		quotes: []string{`"`, "'", "`"}, multi: "`", slash: true,
	}
	rustLike = syntax{
		line: []string{"//"}, block: [2]string{"/*", "*/"},
		quotes: []string{`"`, "'"}, multi: `"`, ticks: true,
	}
	pythonLike = syntax{
		line: []string{"#"}, quotes: []string{`"""`, "'''", `"`, "'"},
		multi: `"""'''`,
	}
	rubyLike  = syntax{line: []string{"#"}, quotes: []string{`"`, "'"}, multi: `"'`, word: true}
	shellLike = syntax{line: []string{"#"}, quotes: []string{`"`, "'"}, word: true}
	phpLike   = syntax{
		line: []string{"//", "#"}, block: [2]string{"/*", "*/"},
		quotes: []string{`"`, "'"}, multi: `"'`,
	}
	luaLike  = syntax{line: []string{"--"}, quotes: []string{`"`, "'"}}
	dataLike = syntax{}
)

var syntaxes = map[string]syntax{
	".go": goLike,
	".js": scriptLike, ".jsx": scriptLike, ".mjs": scriptLike, ".cjs": scriptLike,
	".ts": scriptLike, ".tsx": scriptLike, ".mts": scriptLike, ".cts": scriptLike,
	".rs": rustLike,
	".py": pythonLike, ".pyi": pythonLike, ".ex": pythonLike, ".exs": pythonLike,
	".rb": rubyLike, ".sh": shellLike, ".bash": shellLike, ".bats": shellLike, ".t": shellLike,
	".txtar": shellLike, ".zsh": shellLike,
	".php": phpLike, ".lua": luaLike,
	".java": cLike, ".kt": cLike, ".kts": cLike, ".scala": cLike, ".groovy": cLike, ".cs": cLike,
	".swift": cLike,
	".dart":  cLike, ".c": cLike, ".cc": cLike, ".cpp": cLike, ".h": cLike, ".hpp": cLike,
}

// syntaxOf is the syntax of a file; one without a suffix that begins with #! is a script.
func syntaxOf(file, text string) syntax {
	ext := strings.ToLower(path.Ext(file))
	if s, ok := syntaxes[ext]; ok {
		return s
	}
	if strings.HasPrefix(text, "#!") {
		return shellLike
	}
	return dataLike
}

// Bytes of a masked text. Both stand for one byte, so that offsets are those of the original.
const (
	blank  = ' '    // of a comment
	inside = '\x01' // of a string
)

// Mask is the text of a file with comments and the content of strings blanked, byte for byte.
func Mask(file, text string) string { return syntaxOf(file, text).mask(text) }

// mask is text with comments blanked and the contents of strings replaced; line ends and offsets
// stay.
func (s syntax) mask(text string) string {
	out := []byte(text)
	last := byte('\n') // the last byte of code that is no space
	for i := 0; i < len(text); {
		switch end, quote := s.comment(text, i), s.quote(text, i); {
		case end > i:
			fill(out[i:end], blank)
			i = end
		case s.ticks && strings.HasPrefix(text[i:], `r#"`): // the quotes inside are none
			end := strings.Index(text[i:], `"#`) + i
			if end < i {
				end = len(text)
			}
			out[i], out[i+1] = blank, blank
			fill(out[i+3:end], inside)
			if i, last = min(end+2, len(text)), '"'; end < len(text) {
				out[end+1] = blank
			}
		case quote != "":
			end := s.stringEnd(text, i+len(quote), quote)
			fill(out[i+len(quote):max(i+len(quote), end-len(quote))], inside)
			i, last = end, '"'
		case s.slash && text[i] == '/' && strings.IndexByte("\n(,=:[!&|?{};+", last) >= 0:
			end := s.stringEnd(text, i+1, "/")
			fill(out[i+1:max(i+1, end-1)], inside)
			i, last = end, '"'
		default:
			if c := text[i]; c != ' ' && c != '\t' && c != '\r' {
				last = c
			}
			i++
		}
	}
	return string(out)
}

func fill(b []byte, with byte) {
	for i, c := range b {
		if c != '\n' {
			b[i] = with
		}
	}
}

// comment is the end of the comment that begins at i; i where there is none.
func (s syntax) comment(text string, i int) int {
	for _, mark := range s.line {
		if !strings.HasPrefix(text[i:], mark) || s.word && i > 0 &&
			!strings.ContainsRune(" \t\n;", rune(text[i-1])) {
			continue
		}
		if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
			return i + end
		}
		return len(text)
	}
	if s.block[0] != "" && strings.HasPrefix(text[i:], s.block[0]) {
		if end := strings.Index(text[i+2:], s.block[1]); end >= 0 {
			return i + 2 + end + 2
		}
		return len(text)
	}
	return i
}

// quote is what begins a string at i.
func (s syntax) quote(text string, i int) string {
	for _, quote := range s.quotes {
		if !strings.HasPrefix(text[i:], quote) {
			continue
		}
		if s.ticks && quote == "'" && (i+2 >= len(text) || text[i+1] != '\\' && text[i+2] != '\'') {
			return ""
		}
		return quote
	}
	return ""
}

// stringEnd is the offset behind the closing quote. A string that may not span lines ends with its
// line.
func (s syntax) stringEnd(text string, i int, quote string) int {
	multi := quote != "/" && strings.Contains(s.multi, quote)
	raw := quote == "`" && !s.slash
	for ; i < len(text); i++ {
		switch {
		case text[i] == '\\' && !raw:
			i++
		case text[i] == '\n' && !multi:
			return i
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		}
	}
	return len(text)
}

// normalLines are the lines of text[from:to] without comments, with one space between words outside
// strings.
func normalLines(text, masked string, from, to int) []string {
	var lines []string
	var line strings.Builder
	end := func() {
		if s := strings.TrimSpace(line.String()); s != "" {
			lines = append(lines, s)
		}
		line.Reset()
	}
	space := true
	for i := from; i < to; i++ {
		switch c := masked[i]; c {
		case '\n':
			end()
			space = true
		case ' ', '\t', '\r':
			if !space {
				line.WriteByte(' ')
			}
			space = true
		default:
			line.WriteByte(text[i])
			space = false
		}
	}
	end()
	return lines
}
