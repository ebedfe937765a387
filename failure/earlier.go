package failure

import "slices"

// Earlier is the failed attempt as later rules remember it: files are what it changed, of which 50 are kept, and action is
// what was decided about it.
func (d Diagnosis) Earlier(files []string, action Action) Earlier {
	return Earlier{
		Type: d.Type, Class: d.Class.Class, Fingerprint: d.Fingerprint, Message: d.Message, Count: d.Count,
		Files: slices.Clone(files[:min(len(files), maxList)]), Action: action, Conflict: d.ConflictName(),
	}
}

// Less reports whether the failure is a smaller one of the same kind: both were counted, and fewer were found.
func (d Diagnosis) Less(than Earlier) bool {
	return d.Type == than.Type && d.Count > 0 && d.Count < than.Count
}
