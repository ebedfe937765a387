package diagnose

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"autobuild/failure"
)

// setOutside is how variables of the environment are written. Names in small letters are those of a
// script's own.
var setOutside = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// needs is what a person has to provide before any attempt can pass: error-classification's table
// of what is not retryable, as far as no change of the code could help. It is empty where an
// attempt may.
func needs(d failure.Diagnosis, lack absence, e failure.Evidence) string {
	switch {
	case !d.Type.Retryable() || d.Type == failure.GuardViolation: // its type says all there is to say
		return ""
	case d.Category == failure.Ambiguity:
		return "a decision: the plan does not say enough"
	case d.Category != failure.Prerequisite:
		return ""
	case setOutside.MatchString(lack.variable):
		return "the environment variable " + lack.variable
	case lack.denied.Allow != "" && !refusedOwn(e):
		return "leave to write " + lack.denied.Path
	case noAccess.MatchString(lack.what) && !refusedOwn(e):
		return "access: " + lack.what
	}
	return ""
}

// refusedOwn reports whether the line that speaks of refused access names a file that the attempt
// has made or changed, for that one it can put right itself.
func refusedOwn(e failure.Evidence) bool {
	for _, text := range complaints(e) {
		for l := range strings.Lines(text) {
			if noAccess.MatchString(l) && slices.ContainsFunc(e.Past.Files, func(f string) bool { return strings.Contains(l, path.Base(f)) }) {
				return true
			}
		}
	}
	return false
}

// atFault is what the evidence itself holds against the plan, by failure-classifier's fourth class:
// a sibling works on the same files, a phase is too large for its agent, or one phase needs what
// another one makes. Counts of attempts are no such evidence.
func atFault(d failure.Diagnosis, s Signal, e failure.Evidence) string {
	switch shared := overlapping(s); {
	case d.Type == failure.ContextOverflow:
		return "the phase does not fit into the agent's context"
	case len(d.Conflicts) > 0 && d.Conflicts[0].Other != "":
		return fmt.Sprintf("phases %s and %s both change %s", d.Conflicts[0].Phase, d.Conflicts[0].Other, d.Conflicts[0].File)
	case d.Class.Class == failure.StoryLevel && len(shared) > 0:
		return shared[0]
	}
	for _, missing := range d.Files {
		for _, other := range e.Past.Siblings {
			if slices.Contains(other.Creates, missing) && (slices.Contains(e.Missing, missing) || slices.Contains(NotFound(e), missing)) {
				return fmt.Sprintf("it needs %s, which phase %s creates, and does not wait for it", missing, other.Phase)
			}
		}
	}
	return ""
}
