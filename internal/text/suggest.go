package text

import (
	"slices"
	"strconv"
	"strings"
)

// Distance counts the insertions, deletions and replacements of bytes between two words. It stops
// counting beyond most and returns most+1 then.
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

// Misspelt reports whether two words differ by two letters beside each other in the wrong order.
func Misspelt(a, b string) bool {
	if len(a) != len(b) || a == b {
		return false
	}
	i := 0
	for a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// Nearest is the known word with the least Distance from word; empty where none is less than least
// away.
func Nearest(word string, known []string, least int) string {
	best := ""
	for _, k := range known {
		if d := Distance(word, k, least); d < least {
			best, least = k, d
		}
	}
	return best
}

// maxListed is the most known words that Suggest lists.
const maxListed = 12

// Suggest proposes the known word that is nearest to word. Without a near one it lists the known
// words where they are few, and returns the hint elsewhere where they are many.
func Suggest(word string, known []string, elsewhere string) string {
	if best := Nearest(word, known, len(word)/2+1); best != "" {
		return "did you mean " + strconv.Quote(best) + "?"
	}
	if len(known) > maxListed {
		return elsewhere
	}
	return "known: " + strings.Join(slices.Sorted(slices.Values(known)), ", ")
}
