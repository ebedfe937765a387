package render

import (
	"slices"
	"strings"
	"testing"

	"autobuild/failure"
)

// TestRelevant: without a line that names what failed, lines of trouble are shown, and without
// those the end.
func TestRelevant(t *testing.T) {
	numbers := func(rows []LogRow) (ns []int) {
		for _, r := range rows {
			ns = append(ns, r.n)
		}
		return ns
	}
	f := &failure.Diagnosis{}
	for text, want := range map[string][]int{
		"a\nb\n\nError: no\nc\nd\n":      {4, 5, 6},
		"1\n2\n3\n4\n5\n6\n7\n8\n":       {3, 4, 5, 6, 7, 8},
		"":                               nil,
		strings.Repeat("error\n", 10000): {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
	} {
		if got := numbers(RelevantLines(text, f)); !slices.Equal(got, want) {
			t.Errorf("%.40q: %v, want %v", text, got, want)
		}
	}
}
