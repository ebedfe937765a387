package referee

import (
	_ "embed"
	"strings"
	"unicode"

	"autobuild/internal/lazyregexp"
)

// generalWords are the words that most programs, tests and plans use: they name nothing. The list
// holds the words that occur in most files of large source trees in three languages, and the names
// of runners and tools.
//
//go:embed general.txt
var generalWords string

// vocabulary is a set of stems.
type vocabulary map[string]bool

func newVocabulary(words string) vocabulary {
	v := vocabulary{}
	for word := range strings.FieldsSeq(words) {
		v[stem(word)] = true
	}
	return v
}

// stem is one spelling for the forms of a word, good enough to compare them.
func stem(word string) string {
	word = strings.ToLower(word)
	for _, suffix := range []string{"ings", "ing", "edly", "ed", "ies", "es", "s", "er", "ly"} {
		if root, ok := strings.CutSuffix(word, suffix); ok && len(root) >= 3 {
			if n := len(root); n > 3 && root[n-1] == root[n-2] && !strings.HasSuffix(root, "ss") {
				root = root[:n-1] // dropped
			}
			return strings.TrimRight(root, "ey")
		}
	}
	if len(word) > 3 {
		return strings.TrimRight(word, "ey")
	}
	return word
}

// subwords splits an identifier of any spelling: parseHTTPError, parse_http_error, --parse-http-error.
func subwords(name string) []string {
	var words []string
	runes := []rune(name)
	begin := 0
	cut := func(end int) {
		if end > begin {
			words = append(words, strings.ToLower(string(runes[begin:end])))
		}
		begin = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			begin = i + 1
		case i > begin && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) &&
			unicode.IsLower(runes[i+1])):
			cut(i)
		case i > begin && unicode.IsDigit(r) != unicode.IsDigit(runes[i-1]):
			cut(i)
		}
	}
	cut(len(runes))
	return words
}

// squash is one spelling for all spellings of an identifier.
func squash(words []string) string {
	stems := make([]string, len(words))
	for i, word := range words {
		stems[i] = stem(word)
	}
	return strings.Join(stems, "")
}

var (
	// wordLike is an identifier, a flag, a path or a number.
	wordLike = lazyregexp.New(`-{0,2}[\pL\pN_$@][\pL\pN_$]*(?:[./:-][\pL\pN_$]+)*`)
	fileName = lazyregexp.New(
		`\.(?:[cm]?[jt]sx?|go|py|rs|rb|php|java|kts?|cs|swift|c|cc|cpp|h|hpp|sh|bats|exs?|lua|dart|txt|md|json|` +
			`ya?ml|toml|cfg|ini|mod|lock|snap|golden|txtar|html?|css|xml|csv|mk)$`)
	inQuotes = lazyregexp.New("\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
	quoted   = lazyregexp.New("`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”")
)

// spelled reports whether a word is written as only code is: parseError, parse_error, --flag, a.go,
// v2.
func spelled(word string) bool {
	inner := strings.TrimLeft(word, "-")
	letters, digits := false, false
	for i, r := range inner {
		switch {
		case r == '_' || r == '$' || r == '@' || r == '/' || r == ':':
			return true
		case r == '.' && i+1 < len(inner):
			return true
		case unicode.IsUpper(r) && i > 0 && letters && strings.ToUpper(inner) != inner:
			return true
		case unicode.IsDigit(r):
			digits = true
		case unicode.IsLetter(r):
			letters = true
		}
	}
	return letters && digits || strings.HasPrefix(word, "--") && letters
}

// telling reports whether a number is one that hardly occurs by chance.
func telling(number string) bool {
	digits := 0
	for _, r := range number {
		switch {
		case unicode.IsDigit(r):
			digits++
		case r != '.' && r != '_':
			return false
		}
	}
	return digits >= 2 && strings.Trim(number, "0._") != "1"
}

// evidence holds the parts of a changed test that a section may mention.
type evidence struct {
	text  string
	names []string // squashed identifiers of two words and more, and what strings say
	words []string // stems of single words
	nums  []string
}

func (r *request) evidence(lines []string) evidence {
	e := evidence{text: strings.Join(lines, "\n")}
	for _, line := range lines {
		for _, word := range wordLike.FindAllString(line, -1) {
			e.nums = append(e.nums, strings.TrimLeft(word, "-"))
		}
		// Quoted text in a test is prose, and counts as a whole: see literals.
		for _, word := range wordLike.FindAllString(inQuotes.ReplaceAllString(line, `""`), -1) {
			for _, part := range append(strings.FieldsFunc(word,
				func(c rune) bool { return strings.ContainsRune("./:", c) }), word) {
				words := subwords(part)
				if len(words) > 1 && !r.allGeneral(words) || r.declared[squash(words)] {
					e.names = append(e.names, squash(words))
				}
				for _, one := range words {
					if root := stem(one); len(one) > 3 && !r.general[root] && r.rare(root) {
						e.words = append(e.words, root)
					}
				}
			}
		}
	}
	return e
}
