package testunit

// Changed are the lines of a that are not in b, and of b that are not in a.
func Changed(a, b []string) (gone, added []string) {
	return Missing(a, b), Missing(b, a)
}

// Missing are the lines of a that b lacks, each as often as it does.
func Missing(a, b []string) []string {
	left := make(map[string]int, len(b))
	for _, line := range b {
		left[line]++
	}
	var out []string
	for _, line := range a {
		if left[line] > 0 {
			left[line]--
			continue
		}
		out = append(out, line)
	}
	return out
}
