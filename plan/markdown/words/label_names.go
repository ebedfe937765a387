package words

import "slices"

// IsNeedLabel reports whether the name of a label states dependencies.
func IsNeedLabel(name string) bool {
	return slices.Contains(NeedLabels, name) || slices.Contains(WeakNeeds, name)
}

// PrerequisiteNames are the labels and headings of prerequisites.
var PrerequisiteNames = []string{
	"prerequisites", "prerequisite", "requires", "requirements", "required", "required tools",
	"required environment",
	"environment", "environment variables", "env vars", "required environment variables", "tools",
	"tools required",
}

// IsKnownLabel reports whether the name of a label has a meaning that is in the tables of this
// package.
func IsKnownLabel(name string) bool {
	if ClassOf(name) != ClassNone || IsNeedLabel(name) {
		return true
	}
	for _, list := range [][]string{
		BesideLabels, UnlockLabels, StatusLabels, EstimateNames,
		PrerequisiteNames, asides,
	} {
		if slices.Contains(list, name) {
			return true
		}
	}
	return false
}

// asides are labels that point at another phase and order nothing.
var asides = []string{
	"next", "next phase", "see", "see also", "related", "related to", "note", "notes",
	"checkpoint", "reference", "references", "parallelization", "follow-up", "followed by",
	"used by", "context", "goal", "why", "out of scope",
}
