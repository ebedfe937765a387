package plan

// Distance counts the insertions, deletions and replacements of bytes between two words, and stops counting beyond most: it
// is most+1 then. Suggestions are made of it.
func Distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for k := range len(b) {
			cost := 1
			if a[i] == b[k] {
				cost = 0
			}
			diagonal, row[k+1] = row[k+1], min(diagonal+cost, row[k]+1, row[k+1]+1)
		}
	}
	return min(row[len(b)], most+1)
}
