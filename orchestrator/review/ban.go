package review

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/state"
)

// banWords are the words that may stand beside what a statement rules out.
var banWords = strings.Fields(`a an the of any it its is are be may must shall should does do in new
	code anywhere use uses used using call calls called calling import imports imported add adds
	added contain contains contained there leave leaves left write writes print file files this
	phase work`)

// negations make a statement rule something out.
var negations = []string{"no", "never", "not", "don't", "don’t", "nowhere"}

// named are names that a line gives to something of its own: a field, a parameter, a key.
var named = lazyregexp.New(`[\pL_]\w*\s*(?::|=(?:[^=]|$))`)

// banned is what a statement rules out without an exception: one code span, a negation and plain
// words. Empty: nothing.
func banned(u unit) string {
	what, negated := "", false
	if !u.plain() {
		return ""
	}
	for _, t := range tokens(u.text) {
		switch {
		case t.kind == 'p' && strings.ContainsAny(t.text, ".!:;*"):
		case t.kind == 's' && what == "":
			what = t.text
		case t.kind == 'w' && slices.Contains(negations, t.text):
			if negated {
				return ""
			}
			negated = true
		case t.kind == 'w' && slices.Contains(banWords, t.text):
		default:
			return ""
		}
	}
	if !negated || len(what) < 2 {
		return ""
	}
	return what
}

// ban is the experiment for a quoted statement that rules something out, and a line of the
// difference that holds it. The texts alone decide, so that nothing has to run.
func (c Case) ban(f state.Finding) (Experiment, string) {
	if f.Criterion == "" || f.Quote == "" {
		return Experiment{}, ""
	}
	u, at, why := c.quoted(f.Criterion)
	if why != "" {
		return Experiment{}, why
	}
	what := banned(u)
	e, lang := c.edit(f.File), code(f.File)
	switch {
	case what == "":
		return Experiment{}, "its criterion does not rule out one thing without a condition, so " +
			"that no line can be held against it"
	case lang == nil || e.Unread:
		return Experiment{}, "comments and strings of its place cannot be told from code"
	case !slices.Contains(c.added(f.File), strings.TrimSpace(f.Quote)):
		return Experiment{}, "its line is not one that the phase adds to " + text.Clip(f.File, 100)
	case !holdsWord(named.ReplaceAllString(lang.strip(e.New, f.Quote), " "), what):
		return Experiment{}, "its line does not hold `" + text.Clip(what, 60) + "` as code"
	}
	for i, other := range units(c.Phase) {
		if i != at && holdsWord(other.text, what) {
			return Experiment{}, "the section speaks of `" + text.Clip(what, 60) + "` elsewhere too"
		}
	}
	return Experiment{Ground: state.GroundBan}, ""
}

// added are the lines that the work has in a file, and that stand in no file of its difference
// before it, without the space around them.
func (c Case) added(file string) []string {
	old := map[string]bool{"": true}
	for _, e := range c.Edits {
		for line := range strings.Lines(e.Old) {
			old[strings.TrimSpace(line)] = true
		}
	}
	var all []string
	if e := c.edit(file); e != nil {
		for line := range strings.Lines(e.New) {
			if line = strings.TrimSpace(line); !old[line] {
				all = append(all, line)
			}
		}
	}
	return all
}

// holdsWord reports whether a text holds a word or a phrase that is no piece of a longer one, and
// no member of something.
func holdsWord(s, word string) bool {
	return find(s, word, func(s string, from, to int) bool {
		return apart(s, from, to) && (from == 0 || s[from-1] != '.' || word[0] == '.')
	})
}

// find reports whether a text holds a word at a place that fits.
func find(s, word string, fits func(s string, from, to int) bool) bool {
	for at := 0; word != ""; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		if from := at + i; fits(s, from, from+len(word)) {
			return true
		}
		at += i + 1
	}
	return false
}
