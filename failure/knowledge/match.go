package knowledge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
)

// The ranges of similarity, as error-matching-rules reads them. They rank and guide: none of them
// decides alone.
const (
	strong  = 0.7 // the same error in other words
	related = 0.5 // worth to be acted on where the fix obviously applies
	similar = 0.3 // shown to an agent where the fix obviously applies; below it there is no match
)

// leastWorth is the worth below which an entry is not acted on any more: after it failed twice more
// often than it helped.
const leastWorth = 0.5

// maxText bounds what patterns and triggers are looked for in, in bytes.
const maxText = 8 << 10

// The kinds of a match.
const (
	bySubstring  = "substring"
	byPattern    = "pattern"
	bySimilarity = "similarity"
)

// candidate is an entry that a failure looks like.
type candidate struct {
	entry Entry
	kind  string
	score float64
	where string
	// the fix plainly applies: the same type, gate and code, or a person wrote the words that were
	// found
	obvious  bool
	rank     float64
	strength int
}

// Match is the entry that the failure looks like most; nil when none does. Whether it is strong
// enough to act on is in Known; the score alone never makes it so.
func (b *Book) Match(d failure.Diagnosis) *failure.Match {
	found := b.candidates(d)
	if len(found) == 0 {
		return nil
	}
	m := found[0].match()
	return &m
}

// candidates are all entries that the failure looks like, the best first.
func (b *Book) candidates(d failure.Diagnosis) []candidate {
	s := viewOf(d)
	similarities := b.index().similarity(s.lines)
	var found []candidate
	for i, e := range b.entries {
		if e.Status == Rejected || e.learned() && e.Trigger != "" && !informative(e.Trigger) {
			continue
		}
		c, ok := s.find(e, b.index().patterns[i], similarities[i])
		if ok {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(b.strength, a.strength),
			cmp.Compare(b.rank, a.rank),
			cmp.Compare(b.entry.Helped, a.entry.Helped),
			cmp.Compare(a.entry.Name, b.entry.Name),
		)
	})
	return found
}

// view is a failure as the rules look at it.
type view struct {
	typ        failure.Type
	gate, code string
	texts      []struct{ name, text string } // where words and patterns are looked for
	about      []string                      // tests, files and symbols, in small letters
	lines      []string                      // few lines to compare: most of an output is noise
}

func viewOf(d failure.Diagnosis) view {
	s := view{typ: cmp.Or(d.Cause, d.Type), gate: d.Gate, code: code(d), about: subjects(d)}
	add := func(name, text string) {
		if text != "" {
			s.texts = append(s.texts, struct{ name, text string }{name, clip(text)})
		}
	}
	add("the message", d.Message)
	add("the details", d.Details)
	for _, t := range d.Tests {
		add("test "+t.Name, t.Name+"\n"+t.Message)
	}
	for _, p := range d.Places {
		add(p.File, strings.TrimSpace(p.Rule+" "+p.Message))
	}
	for _, t := range s.texts[:min(len(s.texts), maxAbout)] {
		for _, w := range symbols(t.text) {
			if !slices.Contains(s.about, w) {
				s.about = append(s.about, w)
			}
		}
	}
	s.lines = []string{d.Message}
	if d.Details != "" {
		s.lines = append(s.lines, failure.ErrorLine(output(d.Details)))
	}
	if len(d.Tests) > 0 && d.Tests[0].Message != "" {
		s.lines = append(s.lines, d.Tests[0].Message)
	}
	if len(d.Places) > 0 && d.Places[0].Message != "" {
		s.lines = append(s.lines, d.Places[0].Message)
	}
	return s
}

func clip(s string) string {
	if len(s) > maxText {
		return s[:maxText]
	}
	return s
}

// code is the tool's own name of the first finding.
func code(d failure.Diagnosis) string {
	for _, p := range d.Places {
		if p.Rule != "" {
			return p.Rule
		}
	}
	return ""
}

// same reports whether an entry is about failures of this type, gate and code. An empty gate or
// code agrees with any other; but the type must be known.
func (s view) same(e Entry) bool {
	agree := func(a, b string) bool { return a == "" || b == "" || a == b }
	return e.Type != "" && e.Type == s.typ && agree(e.Gate, s.gate) && agree(e.Code, s.code)
}

// find judges one entry: its trigger word for word, its pattern, then similarity.
func (s view) find(e Entry, p pattern, similarity float64) (candidate, bool) {
	same := s.same(e)
	c := candidate{entry: e, score: 1, obvious: same || e.Type == ""}
	if e.learned() && !s.shares(e) && !specific(e.Trigger) { // like words are not the same thing
		return candidate{}, false
	}
	for _, t := range s.texts {
		switch {
		case e.Trigger != "" && strings.Contains(t.text, e.Trigger):
			c.kind, c.where = bySubstring, t.name
		case p != nil && p.MatchString(t.text):
			c.kind, c.where = byPattern, t.name
		default:
			continue
		}
		return c.weigh(), true
	}
	// as it is shown, so that what is shown explains what is done
	similarity = math.Round(similarity*100) / 100
	c.kind, c.score, c.obvious = bySimilarity, similarity, same
	if similarity < similar || similarity < related && !same || !s.shares(e) {
		return candidate{}, false
	}
	return c.weigh(), true
}

// weigh ranks: matches that can be acted on come first, then those that plainly apply, then the
// likest and most helpful.
func (c candidate) weigh() candidate {
	worth := c.entry.Worth()
	c.rank = c.score * worth
	switch {
	case c.known():
		c.strength = 2
	case c.obvious && worth >= leastWorth:
		c.strength = 1
	}
	return c
}

// known reports whether the match may be acted on.
func (c candidate) known() bool {
	return c.entry.Fix != "" && c.obvious && c.score >= related && c.entry.Worth() >= leastWorth
}

func (c candidate) match() failure.Match {
	return failure.Match{
		Name: c.entry.Name, Kind: c.kind, Score: c.score, Reason: c.reason(),
		Fix: text.Clip(c.entry.Fix, MaxField), Tags: slices.Clone(c.entry.Tags), Known: c.known(),
	}
}

// reason is the sentence that stands in every decision about a match.
func (c candidate) reason() string {
	var why string
	switch where := text.Clip(c.where, maxSmall); c.kind {
	case bySubstring:
		why = "its trigger stands word for word in " + where
	case byPattern:
		why = fmt.Sprintf("its pattern %s fits %s", text.Clip(c.entry.Match, maxSmall), where)
	default:
		why = fmt.Sprintf("its trigger and the error are alike (%.2f, %s)", c.score,
			wording(c.score))
		if c.obvious {
			why += " and type, gate and code are the same"
		}
	}
	switch {
	case c.entry.Worth() < leastWorth:
		why += fmt.Sprintf("; it helped %d times and failed %d, so it is not acted on",
			c.entry.Helped, c.entry.Failed)
	case !c.obvious:
		why += "; type, gate or code differ, so it is not acted on"
	case c.entry.Fix == "":
		why += "; no fix is known"
	case !c.known():
		why += "; too little to act on"
	}
	return "Matched " + c.entry.Name + " because " + why
}

// wording describes a score in words.
func wording(score float64) string {
	switch {
	case score >= strong:
		return "the same error in other words"
	case score >= related:
		return "a related error"
	}
	return "a similar idea"
}
