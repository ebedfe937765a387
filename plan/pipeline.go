package plan

import (
	"fmt"
	"strings"
)

// Pipeline reports whether shell text holds a pipeline outside quotes whose early commands may fail
// unseen: without the shell's pipefail, the status of the last one alone counts. Text that turns a
// pipeline's status round (a "!", a condition, "&& exit 1") is none: there pipefail would make a
// failure pass.
func Pipeline(text string) bool {
	s := shellText{text: text}
	s.scan()
	return s.pipes && !s.turned
}

// shellText is scanned once from its beginning.
type shellText struct {
	text   string
	pipes  bool // a pipeline was met
	turned bool // a status is turned round somewhere
}

func (s *shellText) scan() {
	first := true // a command begins here
	for i := 0; i < len(s.text); {
		rest := s.text[i:]
		switch ch := rest[0]; {
		case ch == '\\':
			i += 2
			first = false
		case ch == '\'':
			i += 1 + span(rest[1:], "'") + 1
			first = false
		case ch == '"':
			i += s.quoted(rest)
			first = false
		case ch == '#' && (i == 0 || strings.ContainsRune(" \t\n;|&(", rune(s.text[i-1]))):
			i += span(rest, "\n")
		case strings.HasPrefix(rest, "<<") && !strings.HasPrefix(rest, "<<<"):
			i += hereDocument(rest)
			first = true
		case strings.HasPrefix(rest, "||"), strings.HasPrefix(rest, "&&"):
			s.turned = s.turned || ch == '&' && refuses(rest[2:])
			i, first = i+2, true
		case strings.HasPrefix(rest, ">|"), strings.HasPrefix(rest, ">&"),
			strings.HasPrefix(rest, "<&"):
			i += 2
		case ch == '|':
			s.pipes, first = true, true
			i++
		case ch == ';' || ch == '&' || ch == '\n' || ch == '(' || ch == '{' || ch == '`':
			first = true
			i++
		case ch == ' ' || ch == '\t' || ch == '\r':
			i++
		default:
			n := max(1, strings.IndexAny(rest+" ", " \t\r\n;|&()<>\"'\\`"))
			s.word(rest[:n], &first)
			i += n
		}
	}
}

// word takes a word in the place of a command.
func (s *shellText) word(w string, first *bool) {
	if !*first {
		return
	}
	switch w {
	case "!", "if", "elif", "while", "until", "case":
		s.turned = true
	case "then", "do", "else", "time":
		return // a command follows
	}
	*first = false
}

// quoted is the length of a text in double quotes; commands that are substituted in it are looked
// through.
func (s *shellText) quoted(text string) int {
	for i := 1; i < len(text); {
		switch {
		case text[i] == '\\':
			i += 2
		case text[i] == '"':
			return i + 1
		case strings.HasPrefix(text[i:], "$("):
			n := substitution(text[i:])
			inner := shellText{text: text[i+2 : i+max(2, n-1)]}
			inner.scan()
			s.pipes, s.turned = s.pipes || inner.pipes, s.turned || inner.turned
			i += n
		default:
			i++
		}
	}
	return len(text)
}

// substitution is the length of a "$(…)", with the quotes and parentheses within it.
func substitution(text string) int {
	depth := 0
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\'':
			i += 1 + span(text[i+1:], "'")
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// hereDocument is the length of a here-document, its operator included; that of the operator alone
// where no document follows.
func hereDocument(text string) int {
	line, body, more := strings.Cut(text, "\n")
	word := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(line, "<<"), "-"), " \t")
	end := strings.IndexAny(word+" ", " \t;|&<>)")
	if word = strings.Trim(word[:end], `'"\`); !more || word == "" {
		return 2
	}
	// The rest of the operator's line may hold a pipeline: only the body is passed over, so the
	// line is left to the scan.
	if strings.ContainsAny(line, "|") {
		return 2
	}
	n := len(line) + 1
	for l := range strings.Lines(body) {
		n += len(l)
		if strings.TrimLeft(strings.TrimRight(l, "\r\n"), "\t") == word {
			break
		}
	}
	return n
}

// refuses reports whether what follows "&&" ends the command with a failure.
func refuses(text string) bool {
	text = strings.TrimLeft(text, " \t\n{(")
	word := text[:strings.IndexAny(text+" ", " \t\n;|&)}")]
	return word == "exit" || word == "false" || word == "return" || word == "!"
}

// span is the length of a text up to an end mark, or all of it.
func span(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i
	}
	return len(text)
}

// pipelines warns of gates in which a failure may pass unseen.
func (c *checker) pipelines() {
	shell, ok := c.world.(interface{ Pipefail() bool })
	if !ok {
		return
	}
	for i := range c.plan.phases {
		phase := &c.plan.phases[i]
		for _, g := range phase.Gates {
			if !Pipeline(g.Command) || shell.Pipefail() {
				continue
			}
			first, _, _ := strings.Cut(strings.TrimPrefix(g.Command, "set -e\n"), "\n")
			c.report(Warning, "W-PIPELINE", phase, first,
				fmt.Sprintf(
					"gate %s of phase %s is a pipeline, and no shell here has pipefail: only "+
						"its last command's status counts",
					g.Name, phase.Label),
				"install bash, or write what comes before the last | to a file first")
		}
	}
}
