package lazyregexp

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// mostPrefixes bounds the list of an expression, and longestPrefix each of its entries in
// bytes. shortestPrefix is the shortest that is worth a look.
const (
	mostPrefixes   = 600
	longestPrefix  = 8
	shortestPrefix = 2
)

// prefixes are the strings of which each match of an expression begins with one, in lower case,
// by their first byte. Go's regexp looks for a literal prefix only where all matches share it. A
// long list of words has none, and most lines of a document match none of them.
type prefixes struct {
	// list is the index + 1 in lists of those that begin with a byte, 0 for none.
	list  [256]uint8
	lists [][]prefix
}

// A prefix is a string that a match begins with.
type prefix struct {
	text string
	// whole is set while text is all that the part of the expression matches, so that what
	// follows may be added.
	whole bool
	// word is set where no letter, digit or underscore may stand before text.
	word bool
}

// newPrefixes returns nil for an expression without a list of sufficient prefixes.
func newPrefixes(expression string) *prefixes {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil
	}
	found, ok := prefixesOf(tree.Simplify())
	if !ok || len(found) == 0 {
		return nil
	}
	// the letters k and s have a capital outside of ASCII each
	found = append(found, prefix{text: "\u212a"}, prefix{text: "ſ"})
	b := &prefixes{}
	for _, one := range found {
		if len(one.text) < shortestPrefix {
			return nil
		}
		k := b.list[one.text[0]]
		if k == 0 {
			b.lists = append(b.lists, nil)
			k = uint8(len(b.lists))
			b.list[one.text[0]] = k
		}
		b.lists[k-1] = append(b.lists[k-1], one)
	}
	for c := byte('A'); c <= 'Z'; c++ {
		b.list[c] = b.list[c+'a'-'A']
	}
	return b
}

// in reports whether a match may begin anywhere in s.
func (b *prefixes) in(s string) bool {
	for i := range len(s) {
		k := b.list[s[i]]
		if k == 0 {
			continue
		}
		inside := i > 0 && isWord(s[i-1])
		for _, one := range b.lists[k-1] {
			if (!one.word || !inside) && hasPrefixFold(s[i:], one.text) {
				return true
			}
		}
	}
	return false
}

// hasPrefixFold is strings.HasPrefix for a prefix in lower case; capitals of ASCII count as small.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isWord(c byte) bool {
	c = lower(c)
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// prefixesOf lists the prefixes of the matches of an expression, false when they are too many.
func prefixesOf(re *syntax.Regexp) (list []prefix, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return literalPrefixes(re), true
	case syntax.OpCharClass:
		return classPrefixes(re), true
	case syntax.OpCapture:
		return prefixesOf(re.Sub[0])
	case syntax.OpConcat:
		return concatPrefixes(re.Sub)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			of, listed := prefixesOf(sub)
			if list = append(list, of...); !listed || len(list) > mostPrefixes {
				return nil, false
			}
		}
		return list, true
	case syntax.OpQuest, syntax.OpStar, syntax.OpPlus:
		list, ok = prefixesOf(re.Sub[0])
		for i := range list {
			list[i].whole = list[i].whole && re.Op == syntax.OpQuest
		}
		if re.Op != syntax.OpPlus {
			list = append(list, prefix{whole: true})
		}
		return list, ok
	case syntax.OpWordBoundary:
		return []prefix{{whole: true, word: true}}, true
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText,
		syntax.OpEndText, syntax.OpNoWordBoundary:
		return []prefix{{whole: true}}, true
	}
	return []prefix{{}}, true
}

// literalPrefixes are the spellings of a literal.
func literalPrefixes(re *syntax.Regexp) []prefix {
	const mostSpellings = 8
	list := []string{""}
	for _, r := range re.Rune {
		if r == utf8.RuneError || len(list[0]) >= longestPrefix || len(list) > mostSpellings {
			// utf8.RuneError also matches a byte that is not UTF-8
			return withTexts(list, false)
		}
		var longer []string
		for _, spelling := range spellings(r, re.Flags&syntax.FoldCase != 0) {
			for _, text := range list {
				longer = append(longer, text+spelling)
			}
		}
		list = longer
	}
	return withTexts(list, true)
}

func withTexts(texts []string, whole bool) (list []prefix) {
	for _, text := range texts {
		list = append(list, prefix{text: text, whole: whole})
	}
	return list
}

// spellings are the forms of a character outside of ASCII, or its small letter.
func spellings(r rune, fold bool) (forms []string) {
	if r < utf8.RuneSelf {
		return []string{string(unicode.ToLower(r))}
	}
	forms = []string{string(r)}
	for f := unicode.SimpleFold(r); fold && f != r; f = unicode.SimpleFold(f) {
		if f < utf8.RuneSelf {
			f = unicode.ToLower(f)
		}
		forms = append(forms, string(f))
	}
	return forms
}

// classPrefixes are the characters of a small class.
func classPrefixes(re *syntax.Regexp) (list []prefix) {
	const most = 16
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if len(list) == most || r == utf8.RuneError {
				return []prefix{{}}
			}
			list = append(list, prefix{text: spellings(r, false)[0], whole: true})
		}
	}
	return list
}

// concatPrefixes adds what follows to each prefix that is whole and still short.
func concatPrefixes(subs []*syntax.Regexp) ([]prefix, bool) {
	list := []prefix{{whole: true}}
	for _, sub := range subs {
		if !anyWhole(list) {
			break
		}
		next, ok := prefixesOf(sub)
		if !ok {
			return nil, false
		}
		var longer []prefix
		for _, one := range list {
			if !one.whole {
				longer = append(longer, one)
				continue
			}
			for _, more := range next {
				longer = append(longer, one.then(more))
			}
		}
		if list = longer; len(list) > mostPrefixes {
			return nil, false
		}
	}
	return list, true
}

func anyWhole(list []prefix) bool {
	for _, one := range list {
		if one.whole {
			return true
		}
	}
	return false
}

// then is the prefix of a match of two expressions, one after the other.
func (b prefix) then(more prefix) prefix {
	next := prefix{text: b.text + more.text, whole: more.whole, word: b.word}
	if b.text == "" {
		next.word = b.word || more.word
		// before a character that is no letter, a boundary needs a letter
		next.word = next.word && (next.text == "" || isWord(next.text[0]))
	}
	if len(next.text) >= longestPrefix {
		next.whole = false
	}
	return next
}
