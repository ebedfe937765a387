package verify

import (
	"fmt"
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
		for _, name := range sorted(part.set) {
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
			g := state.Gate{Name: "test", Kind: KindTest, Status: state.GateFailed, Exit: 1}
			seen := newNames(shop())
			read(shop(), strings.NewReader(string(raw)), string(raw), &g, seen)
			var o referee.Outcome
			seen.into(&o, g)
			golden(t, strings.TrimSuffix(input, ".txt")+".names", showNames(o))
		})
	}
}

// TestNaming: the environment asks for names and keeps what the user has set.
func TestNaming(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "go")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "env"), []byte("GOPROXY=off\nGOFLAGS=-mod=mod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"XDG_CONFIG_HOME=" + home}, "GOFLAGS=-mod=mod -v"},
		{[]string{"XDG_CONFIG_HOME=" + home, "GOFLAGS=-race"}, "GOFLAGS=-race -v"},
		{[]string{"GOENV=off"}, "GOFLAGS=-v"},
		{[]string{"GOENV=off", "PYTEST_ADDOPTS=-x"}, "PYTEST_ADDOPTS=-x -rap"},
	} {
		if got := naming(c.env); !slices.Contains(got, c.want) {
			t.Errorf("of %q: %q, without %q", c.env, got, c.want)
		}
	}
}

// TestFullNames: too many names are none.
func TestFullNames(t *testing.T) {
	n := newNames(shop())
	for i := range maxNames + 1 {
		n.pass("", fmt.Sprint(i))
	}
	var o referee.Outcome
	n.into(&o, state.Gate{Status: state.GatePassed})
	if o.Passing != nil {
		t.Errorf("%d names are kept", len(o.Passing))
	}
}
