package diagnose

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/sign"
	"autobuild/internal/lazyregexp"
)

// setOutside matches names of environment variables. Names in small letters are a script's own.
var setOutside = lazyregexp.New(`^[A-Z][A-Z0-9_]*$`)

// needs names the prerequisite that a person has to provide before any attempt can pass; empty
// where an attempt may pass. It follows error-classification's table of failures that are not
// retryable.
func needs(d failure.Diagnosis, lack sign.Found, e failure.Evidence) string {
	switch {
	case !d.Type.Retryable() ||
		d.Type == failure.GuardViolation: // its type says all there is to say
		return ""
	case d.Category == failure.Ambiguity:
		return "a decision: the plan does not say enough"
	case d.Category != failure.Prerequisite:
		return ""
	case lack.Name == sign.MissingVariable && setOutside.MatchString(lack.Words):
		return "the environment variable " + lack.Words
	case lack.Name == sign.DeniedWrite && e.Denied[0].Allow != "" && !refusedOwn(e):
		return "leave to write " + lack.Words
	case lack.Name == sign.RefusedAccess && !refusedOwn(e) && !d.Unbilled:
		return "access: " + lack.Words
	}
	return ""
}

// refusedOwn reports whether access was refused to a file that the attempt itself changed: the next
// attempt can correct that.
func refusedOwn(e failure.Evidence) bool {
	for _, text := range complaints(e) {
		for l := range strings.Lines(text) {
			if sign.In(sign.RefusedAccess, l) &&
				slices.ContainsFunc(e.Past.Files,
					func(f string) bool { return strings.Contains(l, path.Base(f)) }) {
				return true
			}
		}
	}
	return false
}

// atFault is the evidence against the plan, by class F4: a sibling changes the same files, a phase
// is too large for its agent, or it needs a file that another phase creates. Counts of attempts are
// no such evidence.
func atFault(d failure.Diagnosis, s Signal, e failure.Evidence) string {
	switch shared := sharedFiles(s); {
	case d.Type == failure.ContextOverflow:
		return "the phase does not fit into the agent's context"
	case len(d.Conflicts) > 0 && d.Conflicts[0].Other != "":
		return fmt.Sprintf("phases %s and %s both change %s", d.Conflicts[0].Phase,
			d.Conflicts[0].Other, d.Conflicts[0].File)
	case d.Class.Class == failure.StoryLevel && len(shared) > 0:
		return shared[0]
	}
	for _, missing := range d.Files {
		for _, other := range e.Past.Siblings {
			if slices.Contains(other.Creates, missing) &&
				(slices.Contains(e.Missing, missing) || slices.Contains(NotFound(e), missing)) {
				return fmt.Sprintf("it needs %s, which phase %s creates, and does not wait for it",
					missing, other.Phase)
			}
		}
	}
	return ""
}
