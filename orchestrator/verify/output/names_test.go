package output

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// showNames lists what an output shows of tests, one a line.
func showNames(o referee.Outcome) string {
	var b strings.Builder
	for _, part := range []struct {
		what string
		set  map[string]bool
	}{{"pass", o.Passing}, {"fail", o.Failing}, {"broken", o.Broken}} {
		for _, name := range slices.Sorted(maps.Keys(part.set)) {
			fmt.Fprintf(&b, "%s %s\n", part.what, name)
		}
	}
	if len(o.Blind) > 0 {
		fmt.Fprintf(&b, "blind %s\n", strings.Join(o.Blind, " "))
	}
	return b.String()
}

// TestNames: the names that recorded outputs of runners show.
func TestNames(t *testing.T) {
	inputs, err := filepath.Glob(filepath.Join("testdata", "*", "*.test.txt"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			raw, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			g := state.Gate{Name: "test", Kind: state.KindTest, Status: state.GateFailed, Exit: 1}
			seen := NewNames(shop())
			Read(shop(), strings.NewReader(string(raw)), string(raw), &g, seen)
			var o referee.Outcome
			seen.Into(&o, g)
			golden(t, strings.TrimSuffix(input, ".txt")+".names", showNames(o))
		})
	}
}

// TestFullNames: too many names are none.
func TestFullNames(t *testing.T) {
	n := NewNames(shop())
	for i := range maxNames + 1 {
		n.pass("", fmt.Sprint(i))
	}
	var o referee.Outcome
	n.Into(&o, state.Gate{Status: state.GatePassed})
	if o.Passing != nil {
		t.Errorf("%d names are kept", len(o.Passing))
	}
}
