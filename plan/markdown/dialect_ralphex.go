package markdown

// ralphex writes tasks, and once, for all of them, the commands that validate each.
func ralphex() family { return family{"ralphex", "task", ralphexSign} }

// ralphexSign: commands that hold for every task.
func ralphexSign(d *document, _ []heading) bool {
	for _, h := range d.heads {
		if w := words(h.text); w == "validation commands" || w == "progress tracking" {
			return true
		}
	}
	return false
}
