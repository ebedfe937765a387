package agent

import (
	"errors"
	"fmt"
	"strings"
)

// Split splits a command line into words as a shell would, by white space, quotes and backslashes,
// without running one. An operator, a variable or a comment that is not quoted is an error;
// wildcards and tildes are ordinary characters.
func Split(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		case c == '\'' || c == '"':
			end, err := quoted(&word, s, i)
			if err != nil {
				return nil, err
			}
			i, inWord = end, true
		case c == '\\':
			if i+1 == len(s) {
				return nil, errors.New("a backslash ends the command; write it twice")
			}
			if i++; s[i] != '\n' { // a backslash joins lines
				inWord = true
				word.WriteByte(s[i])
			}
		case strings.IndexByte("|&;<>()$`", c) >= 0 || c == '#' && !inWord:
			return nil, needsShell(c, i)
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("the command is empty; name a program")
	}
	return words, nil
}

// quoted adds the text of the quotation that begins at s[start] and returns where it ends.
func quoted(word *strings.Builder, s string, start int) (int, error) {
	quote := s[start]
	for i := start + 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == quote:
			return i, nil
		case quote == '"' && (c == '$' || c == '`'):
			return 0, needsShell(c, i)
		case quote == '"' && c == '\\' && i+1 < len(s) &&
			strings.IndexByte("\"\\$`\n", s[i+1]) >= 0:
			i++
			if s[i] != '\n' {
				word.WriteByte(s[i])
			}
		default:
			word.WriteByte(c)
		}
	}
	return 0, fmt.Errorf("the quotation at column %d is not closed; add %c at its end", start+1,
		quote)
}

func needsShell(c byte, at int) error {
	return fmt.Errorf(
		"autobuild runs no shell, and %q at column %d needs one; put the command into a script, "+
			"or use sh -c '…'",
		string(c), at+1)
}
