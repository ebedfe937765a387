package store

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"autobuild/state"
)

// transition carries one phase through one attempt, for a tracer to count.
func transition(dir string) int {
	d, err := Open(dir, "", Holder{}, nil)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	r := &state.Run{}
	for i, e := range []state.Event{begin(1, state.Worktree), started("0", 1), passed("0", 1), end()} {
		e.V, e.Seq, e.Time = state.EventVersion, int64(i+1), at(i)
		if err := r.Apply(e); err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("event", e.Type)
		if err := d.Event(e, r); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	fmt.Println("event over")
	if err := d.Close(); err != nil {
		return 1
	}
	return 0
}

// TestOneFile: a transition replaces one file, and how much it writes does not depend on the number
// of phases.
func TestOneFile(t *testing.T) {
	sizes := map[int]int{}
	for _, n := range []int{1, 500} {
		d := openDir(t, stateDir(t))
		r, e := &state.Run{}, begin(1, state.Worktree)
		e.Phases = nil
		for i := range n {
			e.Phases = append(e.Phases, state.Seed{ID: strconv.Itoa(i), MaxAttempts: 2})
		}
		happen(t, d, r, e)
		replace, files := d.files.replace, 0
		d.files.replace = func(root *os.Root, name string, data []byte, perm os.FileMode) error {
			files++
			sizes[n] += len(data)
			return replace(root, name, data, perm)
		}
		happen(t, d, r, started("0", 1), passed("0", 1))
		if files != 2 {
			t.Errorf("two transitions replace %d files", files)
		}
		closeDir(t, d)
	}
	if sizes[1] != sizes[500] || sizes[1] == 0 {
		t.Errorf("bytes written with 1 and with 500 phases: %v", sizes)
	}
}
