package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"autobuild/internal/atomicfile"
	"autobuild/state"
)

// many is a run of n phases, each complete.
func many(b *testing.B, d *Dir, n int) (*state.Run, []state.Seed) {
	b.Helper()
	r, e := &state.Run{}, begin(1, state.Worktree)
	e.Phases = nil
	for i := range n {
		e.Phases = append(e.Phases, state.Seed{ID: fmt.Sprint(i), Label: fmt.Sprint(i), MaxAttempts: 2})
	}
	happen(b, d, r, e)
	for _, s := range e.Phases {
		happen(b, d, r, started(s.ID, 1), passed(s.ID, 1))
	}
	return r, e.Phases
}

// BenchmarkTransition measures the cost of an event, for several numbers of phases.
func BenchmarkTransition(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprintf("of %d phases", n), func(b *testing.B) {
			d := openDir(b, stateDir(b))
			r, _ := many(b, d, n)
			d.files.write = atomicfile.Write
			e := of(state.PhaseReset, "0")
			e.Seq, e.Time = r.Seq, at(1)
			for b.Loop() {
				if err := d.Event(e, r); err != nil {
					b.Fatal(err)
				}
			}
			closeDir(b, d)
		})
	}
}

// BenchmarkRaw is the floor: the same bytes replaced durably, and nothing else.
func BenchmarkRaw(b *testing.B) {
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "phase-0.json"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := atomicfile.Write(root, "phase-0.json", data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if err := root.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLoad measures the reads of status and resume for 1,000 complete phases.
func BenchmarkLoad(b *testing.B) {
	d := openDir(b, stateDir(b))
	_, seeds := many(b, d, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := d.Load(seeds); err != nil {
			b.Fatal(err)
		}
	}
	closeDir(b, d)
}

// BenchmarkLoadPlain measures the same files without validation: read, and decoded into any value.
func BenchmarkLoadPlain(b *testing.B) {
	dir := stateDir(b)
	d := openDir(b, dir)
	many(b, d, 1000)
	b.ReportAllocs()
	for b.Loop() {
		names, err := os.ReadDir(filepath.Join(dir, PhasesDir))
		if err != nil || len(names) != 1000 {
			b.Fatal(len(names), err)
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(dir, PhasesDir, name.Name()))
			if err != nil {
				b.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	}
	closeDir(b, d)
}
