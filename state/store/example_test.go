package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"autobuild/state"
	"autobuild/state/store"
)

func Example() {
	root, err := os.MkdirTemp("", "autobuild")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(root) }()
	dir := filepath.Join(root, ".autobuild")

	d, err := store.Open(dir, "", store.Holder{PID: os.Getpid(), Plan: "PLAN.md"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	run, at := &state.Run{}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	seeds := []state.Seed{{ID: "1", Label: "1", Name: "Setup", MaxAttempts: 2}, {ID: "2a", Label: "2A", DependsOn: []string{"1"}, MaxAttempts: 2}}
	for i, e := range []state.Event{
		{Type: state.RunStarted, Config: &state.Config{RunID: "r1", Plan: "PLAN.md"}, Phases: seeds},
		{Type: state.PhaseStarted, Phase: "1", Attempt: 1},
	} {
		e.V, e.Seq, e.Time = state.EventVersion, int64(i+1), at
		if err = run.Apply(e); err != nil {
			fmt.Println(err)
		}
		if err = d.Event(e, run); err != nil {
			fmt.Println(err)
		}
	}
	if err = d.Close(); err != nil { // or a crash
		fmt.Println(err)
	}

	again, _, err := store.Load(dir, seeds)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range again.Phases {
		fmt.Println(p.Label, p.Status, len(p.Attempts))
	}
	// Output:
	// 1 running 1
	// 2A pending 0
}
