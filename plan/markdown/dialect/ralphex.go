package dialect

import (
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// ralphex writes tasks, and once, for all of them, the commands that validate each.
func ralphex() family { return family{"ralphex", "task", ralphexSign} }

// ralphexSign: commands that hold for every task.
func ralphexSign(d *document.Document, _ []document.Heading) bool {
	for _, h := range d.Headings {
		if w := inline.Words(h.Text); w == "validation commands" || w == "progress tracking" {
			return true
		}
	}
	return false
}
