package markdown

import "strings"

// superpowers writes tasks that list their files and their steps.
func superpowers() family { return family{"superpowers", "task", superpowersSign} }

// superpowersSign: several tasks that list files or steps.
func superpowersSign(d *document, heads []heading) bool {
	if len(heads) < 2 {
		return false
	}
	for _, l := range d.labels {
		if l.name == "files" || strings.HasPrefix(l.name, "step ") {
			return true
		}
	}
	return false
}
