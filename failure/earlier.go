package failure

import (
	"slices"
	"strings"
)

// Earlier is the failed attempt as later rules remember it: files are what it changed, of which 50 are kept, and action is
// what was decided about it.
func (d Diagnosis) Earlier(files []string, action Action) Earlier {
	return Earlier{
		Type: d.Type, Class: d.Class.Class, Fingerprint: d.Fingerprint, Message: d.Message, Count: d.Count,
		Files: slices.Clone(files[:min(len(files), maxList)]), Action: action, Conflict: d.Dispute(),
	}
}

// Dispute names what two phases are in conflict about, so that the same conflict can be told from another one:
// "2b: src/api/routes.ts", the first file that git could not merge behind the phase that had landed. Empty where there is no conflict.
func (d Diagnosis) Dispute() string {
	if len(d.Conflicts) == 0 {
		return ""
	}
	first := d.Conflicts[0]
	if first.Other == "" {
		return "user: " + first.File
	}
	return strings.ToLower(first.Other) + ": " + first.File
}

// Less reports whether the failure is a smaller one of the same kind: both were counted, and fewer were found.
func (d Diagnosis) Less(than Earlier) bool {
	return d.Type == than.Type && d.Count > 0 && d.Count < than.Count
}
