package words

import "slices"

// Needing reports whether a name of a label says what comes first.
func Needing(name string) bool {
	return slices.Contains(NeedLabels, name) || slices.Contains(WeakNeeds, name)
}

// PrerequisiteNames are the labels and headings that say what has to be there before a phase
// starts.
var PrerequisiteNames = []string{
	"prerequisites", "prerequisite", "requires", "requirements", "required", "required tools", "required environment",
	"environment", "environment variables", "env vars", "required environment variables", "tools", "tools required",
}

// KnownLabel reports whether a label has a meaning here, or one that is about no order.
func KnownLabel(name string) bool {
	if ClassOf(name) != ClassNone || Needing(name) {
		return true
	}
	for _, list := range [][]string{BesideLabels, UnlockLabels, StatusLabels, EstimateNames, PrerequisiteNames, asides} {
		if slices.Contains(list, name) {
			return true
		}
	}
	return false
}

// Asides are labels that point at another phase and order nothing.
var asides = []string{
	"next", "next phase", "see", "see also", "related", "related to", "note", "notes",
	"checkpoint", "reference", "references", "parallelization", "follow-up", "followed by", "used by", "context", "goal", "why", "out of scope",
}
