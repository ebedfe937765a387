package cmd

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"autobuild/internal/lazyregexp"
)

// initLine is what the runtime prints of one package: its name, milliseconds and allocations.
var initLine = lazyregexp.New(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock, \d+ bytes, (\d+) allocs$`)

// No package makes the start of every command slow: tables and patterns are made at their first
// use. Allocations decide, which are the same at each start; time alone where the quickest of many
// starts shows it.
func TestPackagesStartQuickly(t *testing.T) {
	const (
		starts     = 15
		mostAllocs = 1000
		mostTime   = 300 * time.Microsecond
	)
	if testing.Short() {
		t.Skip("the program under a race detector starts slowly")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	quickest := map[string]time.Duration{}
	allocs := map[string]int{}
	for range starts {
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
		for _, m := range initLine.FindAllStringSubmatch(string(text), -1) {
			ms, _ := strconv.ParseFloat(m[2], 64)
			took := time.Duration(ms * float64(time.Millisecond))
			if best, ok := quickest[m[1]]; !ok || took < best {
				quickest[m[1]] = took
			}
			allocs[m[1]], _ = strconv.Atoi(m[3])
		}
	}
	if len(quickest) < 20 {
		t.Fatalf("the runtime traced %d packages", len(quickest))
	}
	// this package with its tests, and what they need
	delete(quickest, "autobuild/cmd")
	delete(quickest, "github.com/santhosh-tekuri/jsonschema/v6")
	for name, took := range quickest {
		if allocs[name] > mostAllocs || took > mostTime {
			t.Errorf("package %s: %d allocations, %v at the least, when a program starts", name, allocs[name], took)
		}
	}
}
