package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"autobuild/state"
)

// TestCutOffs: diary and log show how an attempt ended that has no worker any more.
func TestCutOffs(t *testing.T) {
	const log = "logs/phase-1.1.log"
	gate := of(state.GateStarted, "1")
	gate.Gate = &state.Gate{Name: "test"}
	for name, c := range map[string]struct {
		events []state.Event
		log    string
		want   string // the place; "agent …": some line of the log
	}{
		"nothing was heard": {[]state.Event{started("1", 1)}, "", ""},
		"the agent spoke":   {[]state.Event{started("1", 1)}, "first\nline 17\n", "agent …"},
		"a gate ran":        {[]state.Event{started("1", 1), gate}, "first\n", "gate.started test"},
		"in company":        {[]state.Event{started("1", 1), started("2a", 1)}, "first\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := stateDir(t)
			d := openDir(t, dir)
			run := &state.Run{}
			happen(t, d, run, begin(1, state.Worktree))
			for _, e := range c.events {
				happen(t, d, run, e)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			p := &run.Phases[1]
			p.Attempts[0].Kills = state.MemoryKills{Boot: "b", Count: 1}
			place := func(text string) state.CutOff {
				if err := os.MkdirAll(filepath.Join(dir, logsDir), 0o700); err != nil {
					t.Fatal(err)
				}
				path, began := filepath.Join(dir, filepath.FromSlash(log)), p.Attempts[0].Started
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, began, began.Add(time.Minute)); err != nil {
					t.Fatal(err)
				}
				p.Cut = state.CutOff{}
				CutOffs(dir, run, state.MemoryKills{Boot: "b", Count: 2})
				return p.Cut
			}
			got := place(c.log)
			if !got.Memory {
				t.Error("that something was killed for memory is not seen")
			}
			if c.want != "agent …" {
				if got.Place != c.want {
					t.Errorf("the place is %q, want %q", got.Place, c.want)
				}
				return
			}
			if got.Place == "" || got.After != time.Minute {
				t.Errorf("it ended at %q after %v", got.Place, got.After)
			}
			if same := place("another\nline 18\n"); same.Place != got.Place {
				t.Error("numbers tell places apart")
			}
			if other := place("another\nend\n"); other.Place == got.Place {
				t.Error("lines do not tell places apart")
			}
		})
	}
}
