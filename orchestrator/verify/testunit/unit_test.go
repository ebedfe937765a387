package testunit

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the expected results into testdata")

// TestUnits: the tests that are found in a file of each language. A file of testdata/units holds
// the source, a line "----", and one line for every test: name, lines, skipped, the number of
// assertions, and the values.
func TestUnits(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			raw, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			text, want, ok := strings.Cut(string(raw), "----\n")
			if !ok {
				t.Fatal("no line ----")
			}
			var got strings.Builder
			for _, u := range Units("tests/"+strings.TrimSuffix(filepath.Base(input), ".txt"), text) {
				fmt.Fprintf(&got, "%q %d-%d", u.Name, u.First, u.Last)
				for _, part := range []struct {
					word string
					is   bool
				}{{"skip", u.Skip}, {"shared", u.Shared}} {
					if part.is {
						got.WriteString(" " + part.word)
					}
				}
				fmt.Fprintf(&got, " %d %q\n", len(u.Asserts), u.Values)
			}
			if *update {
				if err := os.WriteFile(input, []byte(text+"----\n"+got.String()), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
