package diagnose

import (
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
	"autobuild/internal/lazyregexp"
)

// Reading classifies an agent's account of its own failure.
type Reading string

// The readings. Unclear is everything else: no check can refute it, and no decision is missing.
const (
	// a test, lint, type, format or build failure, and nothing else: gates can see whether it is
	// there
	Refutable Reading = "refutable"
	// a guess, a missing decision or requirement, a "do not merge": a person's to settle
	Undecided Reading = "undecided"
	Unclear   Reading = "unclear"
)

var sentences = lazyregexp.New(`[.!;]+(?:\s+|$)|\n+`)

// aboutGates lists the signs that concern the subject of a kind of gate.
var aboutGates = map[sign.Name]string{
	sign.AboutTests: "test", sign.AboutLint: "lint", sign.AboutTypes: "typecheck",
	sign.AboutFormat: "format", sign.AboutBuild: "build",
}

// Read classifies an agent's account of its failure; for a refutable one it returns the kinds of
// gate that check it. It is deterministic. A refutable account consists only of failures that a
// gate checks, lines of a tool's output, and harmless sentences.
func Read(c failure.Claim) (Reading, []string) {
	text := failure.Head(c.Error, failure.MaxDetails)
	if undecidedCategory(c) || sign.In(sign.Undecided, text) {
		return Undecided, nil
	}
	if sign.In(sign.Doubt, text) || c.Type != "" && len(kindsOf(c.Type)) == 0 {
		return Unclear, nil
	}
	kinds := kindsOf(c.Type)
	for _, sentence := range sentences.Split(text, -1) {
		sentence = strings.Trim(sentence, " \t-*•>`\"'")
		found := failingKinds(sentence)
		switch {
		case len(found) > 0:
			kinds = append(kinds, found...)
		case sentence == "" || sign.In(sign.Printed, sentence) || sign.In(sign.Harmless, sentence):
		default:
			return Unclear, nil
		}
	}
	for _, said := range c.Gates {
		if name, failed := strings.CutSuffix(said, " failed"); failed {
			kinds = append(kinds, strings.ToLower(name))
		}
	}
	if len(kinds) == 0 {
		return Unclear, nil
	}
	slices.Sort(kinds)
	return Refutable, slices.Compact(kinds)
}

// leavesDecision reports whether an agent that failed leaves a decision to a person.
func leavesDecision(e failure.Evidence) bool {
	if e.Claim == nil || e.Claim.Complete || e.Tasks.Done < e.Tasks.Total || e.NoChange {
		return false
	}
	reading, _ := Read(*e.Claim)
	return reading == Undecided
}

// failingKinds are the kinds of gate that fail according to a sentence.
func failingKinds(sentence string) []string {
	if !sign.In(sign.SaysFails, sentence) || sign.In(sign.SaysPasses, sentence) &&
		!strings.Contains(sentence, "n't") && !strings.Contains(sentence, "not ") {
		return nil
	}
	var kinds []string
	for name, kind := range aboutGates {
		if sign.In(name, sentence) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// kindsOf are the kinds of gate that report failures of a type.
func kindsOf(t failure.Type) []string {
	switch t {
	case failure.TestFailure:
		return []string{"test"}
	case failure.LintError:
		return []string{"lint"}
	case failure.TypecheckError:
		return []string{"typecheck"}
	case failure.FormatError:
		return []string{"format"}
	}
	return nil
}

// undecidedCategory reports whether the agent itself calls its failure ambiguous.
func undecidedCategory(c failure.Claim) bool {
	category, ok := failure.ParseCategory(string(c.Category))
	if !ok {
		category, ok = failure.ParseCategory(string(c.Type))
	}
	return ok && category == failure.Ambiguity
}
