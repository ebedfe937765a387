package cmd

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"autobuild/internal/lazyregexp"
)

// initLine is what the runtime prints of one package: its name and allocations.
var initLine = lazyregexp.New(`(?m)^init (\S+) @\S+ ms, \S+ ms clock, \d+ bytes, (\d+) allocs$`)

// No package makes the start of every command slow: tables and patterns are made at their first
// use. Allocations show it, which are the same at each start.
func TestPackagesStartQuickly(t *testing.T) {
	const mostAllocs = 1000
	if testing.Short() {
		t.Skip("the program under a race detector starts slowly")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	trace, err := os.Create(filepath.Join(t.TempDir(), "trace"))
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.StartProcess(program, []string{"autobuild", "version"}, &os.ProcAttr{
		Env: append(os.Environ(), "GODEBUG=inittrace=1"), Files: []*os.File{nil, nil, trace},
	})
	if err != nil {
		t.Fatal(err)
	}
	if end, failed := child.Wait(); failed != nil || !end.Success() {
		t.Fatal(end, failed)
	}
	text, err := os.ReadFile(trace.Name())
	if err != nil || trace.Close() != nil {
		t.Fatal(err)
	}
	allocs := map[string]int{}
	for _, m := range initLine.FindAllStringSubmatch(string(text), -1) {
		allocs[m[1]], _ = strconv.Atoi(m[2])
	}
	if len(allocs) < 20 {
		t.Fatalf("the runtime traced %d packages", len(allocs))
	}
	// this package with its tests, and what they need
	delete(allocs, "autobuild/cmd")
	delete(allocs, "github.com/santhosh-tekuri/jsonschema/v6")
	for name, n := range allocs {
		if n > mostAllocs {
			t.Errorf("package %s: %d allocations when a program starts", name, n)
		}
	}
}
