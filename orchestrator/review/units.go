package review

import (
	"slices"
	"strings"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
	"autobuild/plan"
)

// unit is one statement of a phase's section: an item of a list or a paragraph. lead is what stands
// before it: the line that introduces its list, or the heading.
type unit struct {
	text   string
	lead   string
	nested bool
}

var (
	itemMark = lazyregexp.New(`^(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?`)
	heading  = lazyregexp.New(`^#{1,6}\s`)
	// heads are the words that introduce statements that hold without a condition.
	heads = lazyregexp.New(`(?i)^[#*_\s]*(?:(?:it is |this is )?done when|acceptance(?: criteria)?|` +
		`(?:success |exit )?criteria|definition of done|examples?|tasks?|requirements?|` +
		`verification|checks?)[*_\s]*:?[*_\s]*`)
)

// units are the statements of a section, in order. Fenced text is none.
func units(p plan.Phase) []unit {
	var all []unit
	var lead string
	first, fenced, open := true, false, false
	for line := range strings.Lines(p.Text) {
		line = strings.TrimRight(line, " \t\r\n")
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced, open = !fenced, false
			continue
		}
		mark := itemMark.FindStringSubmatch(line)
		switch {
		case fenced:
		case trimmed == "":
			open = false
		case heading.MatchString(trimmed):
			if lead = trimmed; first {
				lead = "" // the phase's own
			}
			open = false
		case mark != nil:
			all = append(all, unit{
				text: strings.TrimSpace(line[len(mark[0]):]), lead: lead, nested: mark[1] != "",
			})
			open = true
		case open:
			all[len(all)-1].text += " " + trimmed
			lead = leadAfter(all[len(all)-1], lead)
		default:
			all = append(all, unit{text: trimmed, lead: lead})
			open, lead = true, trimmed
		}
		first = first && trimmed == ""
	}
	return all
}

// leadAfter keeps the lead of items, and makes a paragraph that grew the lead of what follows.
func leadAfter(u unit, lead string) string {
	if strings.HasPrefix(u.text, lead) && lead != "" {
		return u.text
	}
	return lead
}

// plain reports whether a unit holds without a condition that stands before it.
func (u unit) plain() bool {
	if u.nested {
		return false
	}
	return strings.Trim(heads.ReplaceAllString(u.lead, ""), "*_#: ") == ""
}

// token is a piece of a unit.
type token struct {
	kind byte // 's': a code span, 'l': a literal, 'w': a word, 'p': punctuation
	text string
}

var pieces = lazyregexp.New("``[^`]+(?:`[^`]+)*``|`[^`]+`|\"[^\"]*\"|“[^”]*”|-?\\d+(?:\\.\\d+)?|[\\pL_][\\pL\\d_'’-]*|\\S")

// tokens splits a unit.
func tokens(s string) []token {
	s = heads.ReplaceAllString(s, "")
	var all []token
	for _, p := range pieces.FindAllString(s, -1) {
		switch first, _ := utf8.DecodeRuneInString(p); {
		case first == '`' && len(p) > 1:
			all = append(all, token{'s', strings.TrimSpace(strings.Trim(p, "`"))})
		case (first == '"' || first == '“') && len(p) > 1:
			all = append(all, token{'l', strings.Trim(p, `"“”`)})
		case first >= '0' && first <= '9' || first == '-' && len(p) > 1:
			all = append(all, token{'l', p})
		case isWord(p):
			all = append(all, token{'w', strings.ToLower(p)})
		default:
			all = append(all, token{'p', p})
		}
	}
	return all
}

func isWord(s string) bool { return wordOnly.MatchString(s) }

var wordOnly = lazyregexp.New(`^[\pL_]`)

// squeeze makes one space of each run of white space, without the marks of emphasis and lists.
func squeeze(s string) string {
	if mark := itemMark.FindString(s); mark != "" {
		s = s[len(mark):]
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "**", "")), " ")
}

// minQuote is how long a quoted criterion must be, in bytes.
const minQuote = 8

// quoted is the statement of the section in which a criterion stands word for word.
func (c Case) quoted(criterion string) (unit, int, string) {
	want := squeeze(criterion)
	if len(want) < minQuote {
		return unit{}, 0, "its criterion is too short to be a quotation"
	}
	all := units(c.Phase)
	i := slices.IndexFunc(all, func(u unit) bool { return strings.Contains(squeeze(u.text), want) })
	if i < 0 {
		return unit{}, 0, "its criterion does not stand in the phase's section"
	}
	return all[i], i, ""
}
