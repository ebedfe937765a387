package session

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/tamper"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/state"
)

// An edit that appears while an attempt is in work is doubted to the end of the session, unless no
// program of the run can write the plan, or a user has taken it.
func TestDoubtedEdit(t *testing.T) {
	const was, edited = "## Phase 1: Walls\n\n- [ ] build them\n",
		"## Phase 1: Walls\n\n- [ ] paint them\n"
	path := filepath.Join(t.TempDir(), "plan.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() (workspace.Marks, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return workspace.Marks{}, err
		}
		p, err := markdown.Parse(path, data, markdown.Options{})
		return workspace.Marks{Plan: p}, err
	}
	for _, c := range []struct {
		name                            string
		alone, busy, looks, taken, back bool
		doubts                          bool
	}{
		{name: "nothing was in work", looks: true},
		{name: "a sandbox", alone: true, busy: true, looks: true},
		{name: "an agent", busy: true, looks: true, doubts: true},
		{name: "an agent, at the end", busy: true, doubts: true},
		{name: "taken", busy: true, looks: true, taken: true},
		{name: "put back", busy: true, looks: true, back: true},
	} {
		write(was)
		start, err := read()
		if err != nil {
			t.Fatal(err)
		}
		var passed *plan.Plan
		e := &planEdits{
			path: path, read: read, plan: start.Plan, alone: c.alone, stamp: tamper.StampOf(path),
			edit: func(m workspace.Marks) local.Edit {
				passed = m.Plan
				return local.Edit{Plan: m.Plan}
			},
		}
		if c.busy {
			_ = e.Event(state.Event{Type: state.PhaseStarted}, nil) // never fails
		}
		write(edited)
		if c.looks {
			e.look()
			_ = e.Event(state.Event{Type: state.AttemptFinished}, nil) // never fails
			e.look()
		}
		if own := c.looks && (c.alone || !c.busy); own != (passed != nil) {
			t.Errorf("%s: passed on: %t", c.name, !own)
		}
		if c.taken {
			now, _ := read()
			e.taken(now.Plan)
		}
		if c.back {
			write(was)
		}
		if got := e.doubts(); got != c.doubts {
			t.Errorf("%s: doubts = %t", c.name, got)
		}
	}
}
