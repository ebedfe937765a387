package referee

import (
	"path"
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/orchestrator/verify/referee/gate"
	"autobuild/orchestrator/verify/testunit"
	"autobuild/state"
)

var (
	// updating matches a request for newer versions.
	updating = lazyregexp.New(
		`(?i)\b(?:updat(?:e[sd]?|ing)|upgrad(?:e[sd]?|ing)|bump(?:s|ed|ing)?|rais(?:e[sd]?|ing)|renovate|deps|dependabot)\b`)
	// versionFile matches files that contain a version alone.
	versionFile = lazyregexp.New(
		`(?:^|/)(?:\.nvmrc|\.node-version|\.python-version|\.ruby-version|\.tool-versions|rust-toolchain(?:\.toml)?)$`)
)

// askedGate finds the sentence that asks for a change of a gate. A request for updates asks for
// changed versions. Any other change needs a sentence with the file or the key, a verb of change,
// and something specific of the changed lines. A program that gates run has to be named alone.
func (r *request) askedGate(c state.RefereeChange, edit Edit) (string, bool) {
	if c.Cause == state.CauseGate && edit.NewMode != "" && r.program(c.File) {
		if why, ok := r.asksFor(c.File); ok {
			return why, true
		}
	}
	if gate.VersionKey(c.File, c.Test, c.Was, c.Now) || versionFile.MatchString(c.File) {
		for _, s := range r.sentences {
			if updating.MatchString(s.text) {
				return s.text, true
			}
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
