package dialect

import (
	"strings"

	"autobuild/plan/markdown/document"
)

// superpowers writes tasks that list their files and their steps.
func superpowers() family { return family{"superpowers", "task", superpowersSign} }

// superpowersSign: several tasks that list files or steps.
func superpowersSign(d *document.Document, heads []document.Heading) bool {
	if len(heads) < 2 {
		return false
	}
	for _, l := range d.Labels {
		if l.Name == "files" || strings.HasPrefix(l.Name, "step ") {
			return true
		}
	}
	return false
}
