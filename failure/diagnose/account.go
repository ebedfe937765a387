package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
)

// Reading says what an agent's account of its own failure is about.
type Reading string

// The readings. What is none of the first two is Unclear: checks cannot refute it, and it leaves
// nothing to decide.
const (
	// a test, lint, type, format or build failure, and nothing else: gates can see whether it is
	// there
	Refutable Reading = "refutable"
	// a guess, a missing decision or requirement, a "do not merge": a person's to settle
	Undecided Reading = "undecided"
	Unclear   Reading = "unclear"
)

var sentences = regexp.MustCompile(`[.!;]+(?:\s+|$)|\n+`)

// aboutGates are the signs of what a gate of a kind looks at.
var aboutGates = map[sign.Name]string{
	sign.AboutTests: "test", sign.AboutLint: "lint", sign.AboutTypes: "typecheck",
	sign.AboutFormat: "format", sign.AboutBuild: "build",
}

// Read says what an agent's account of its failure is about, and for a refutable one which kinds of
// gate would have to see it. It is deterministic and errs towards Unclear: every sentence of a
// refutable account must be a failure that a gate can see, a line of a tool's output, or add
// nothing.
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

// leavesDecision reports whether an agent that says that it failed leaves a decision to a person.
func leavesDecision(e failure.Evidence) bool {
	if e.Claim == nil || e.Claim.Complete || e.Tasks.Done < e.Tasks.Total || e.NoChange {
		return false
	}
	reading, _ := Read(*e.Claim)
	return reading == Undecided
}

// failingKinds names the kinds of gate that a sentence says fail.
func failingKinds(sentence string) []string {
	if !sign.In(sign.SaysFails, sentence) || sign.In(sign.SaysPasses, sentence) && !strings.Contains(sentence, "n't") && !strings.Contains(sentence, "not ") {
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

// kindsOf is the kind of gate that finds failures of a type.
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
