package markdown

import "slices"

// needing reports whether a name of a label says what comes first.
func needing(name string) bool {
	return slices.Contains(needLabels, name) || slices.Contains(weakNeeds, name)
}

// prerequisiteNames are the labels and headings that say what has to be there before a phase
// starts.
var prerequisiteNames = []string{
	"prerequisites", "prerequisite", "requires", "requirements", "required", "required tools", "required environment",
	"environment", "environment variables", "env vars", "required environment variables", "tools", "tools required",
}

// knownLabel reports whether a label has a meaning here, or one that is about no order.
func knownLabel(name string) bool {
	if classOf(name) != classNone || needing(name) {
		return true
	}
	for _, list := range [][]string{besideLabels, unlockLabels, statusLabels, estimateNames, prerequisiteNames, asides} {
		if slices.Contains(list, name) {
			return true
		}
	}
	return false
}

// asides are labels that point at another phase and order nothing.
var asides = []string{
	"next", "next phase", "see", "see also", "related", "related to", "note", "notes",
	"checkpoint", "reference", "references", "parallelization", "follow-up", "followed by", "used by", "context", "goal", "why", "out of scope",
}
