package referee

import (
	"path"
	"slices"
	"strings"

	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

// askedGate: the file, or the key, and a verb of change in one sentence, and something specific of
// the changed lines. A program that gates run has to be named alone.
func (r *request) askedGate(c state.RefereeChange, edit Edit) (string, bool) {
	if c.Cause == state.CauseGate && edit.NewMode != "" && r.program(c.File) {
		if why, ok := r.asksFor(c.File); ok {
			return why, true
		}
	}
	gone, added := testunit.Changed(strings.Split(edit.Old, "\n"), strings.Split(edit.New, "\n"))
	e := r.evidence(slices.Concat(gone, added))
	for _, s := range r.sentences {
		named := s.namesFile(c.File) || spelled(c.Test) && s.namesTest(c.Test)
		if !s.changes || !named {
			continue
		}
		if s.common(e) != "" {
			return s.text, true
		}
		if other, ok := r.specific(slices.Concat(gone, added)); ok {
			return other.text, true
		}
	}
	return "", false
}

// asksFor finds the declaration, or the sentence, that makes a file the phase's work. A quoted
// command names the program in front, and not what it runs.
func (r *request) asksFor(file string) (string, bool) {
	for _, declared := range r.files {
		if ok, _ := path.Match(strings.TrimPrefix(declared, "./"), file); ok {
			return "file: " + declared, true
		}
	}
	for _, s := range r.sentences {
		plain := sentence{text: quoted.ReplaceAllStringFunc(s.text, firstWord)}
		if plain.namesFile(file) {
			return s.text, true
		}
	}
	return "", false
}

// firstWord is the first word of a quoted text, with the quotation mark in front.
func firstWord(quotation string) string {
	word, _, _ := strings.Cut(quotation, " ")
	return word
}
