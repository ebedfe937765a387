package store

import (
	"fmt"

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
	for i, e := range []state.Event{begin(1, state.Worktree), started("0", 1), passed("0", 1)} {
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
