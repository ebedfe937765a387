package referee

import (
	"go/types"
	"slices"
	"testing"
)

// Go's own names are those that package go/types knows.
func TestPredeclared(t *testing.T) {
	got := slices.Sorted(slices.Values(predeclared))
	if want := types.Universe.Names(); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
