package orchestrator_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/state"
)

// steerRun is a run with a phase in each status: "b" is blocked by "f", "r" has a retry left.
func steerRun() *state.Run {
	failed := state.Attempt{
		N: 1, Failure: &failure.Diagnosis{Type: failure.TestFailure},
		Decision: &failure.Decision{Action: failure.Fail},
	}
	return &state.Run{Config: state.Config{RunID: "r1"}, Phases: []state.Phase{
		{ID: "p", Label: "P", Status: state.Pending},
		{ID: "w", Label: "W", Status: state.Waiting},
		{ID: "n", Label: "N", Status: state.Running, Attempts: []state.Attempt{{N: 1}}},
		{ID: "c", Label: "C", Status: state.Complete},
		{ID: "f", Label: "F", Status: state.Failed, Attempts: []state.Attempt{failed}},
		{ID: "r", Label: "R", Status: state.Failed, Retry: true, Attempts: []state.Attempt{failed}},
		{ID: "b", Label: "B", Status: state.Blocked, BlockedBy: "f"},
		{ID: "s", Label: "S", Status: state.Skipped},
	}}
}

func TestSteer(t *testing.T) {
	for _, c := range []struct {
		command, phase string
		want           string // types of events, or the refusal
		stop           string
	}{
		{"pause", "", "run.paused", ""},
		{"pause now", "", "run.paused", "n"},
		{"resume", "", "", ""},
		{"note", "p", "phase.noted", ""},
		{"note", "n", "phase.noted", ""},
		{"note", "c", "no attempt will read", ""},
		{"note", "s", "no attempt will read", ""},
		{"note", "x", "has no phase x", ""},
		{"skip", "p", "phase.skipped", ""},
		{"skip", "w", "phase.reset phase.skipped", ""},
		{"skip", "n", "", "n"},
		{"skip", "c", "its work has landed", ""},
		{"skip", "f", "phase.reset phase.skipped phase.reset", ""},
		{"skip", "b", "phase.reset phase.skipped", ""},
		{"skip", "s", "", ""},
		{"retry", "p", "has not failed", ""},
		{"retry", "w", "waits for", ""},
		{"retry", "n", "is in work", ""},
		{"retry", "c", "autobuild reset C", ""},
		{"retry", "f", "phase.reset phase.reset", ""},
		{"retry", "r", "is tried again by itself", ""},
		{"retry", "b", "autobuild retry F", ""},
		{"retry", "s", "phase.reset", ""},
		{"dance", "", "is no command", ""},
	} {
		kind, now := strings.CutSuffix(c.command, " now")
		run := steerRun()
		s, err := orchestrator.Steer(run, orchestrator.Command{
			Kind: orchestrator.CommandKind(kind), Phase: c.phase, Text: "words", Now: now,
		})
		var got []string
		for _, e := range s.Events {
			got = append(got, string(e.Type))
			e.Seq, e.Time = run.Seq+1, time.Now()
			if failed := run.Apply(e); failed != nil {
				t.Errorf("%s %s: %v", c.command, c.phase, failed)
			}
		}
		if refused, ok := errors.AsType[*orchestrator.CommandError](err); ok {
			if !strings.Contains(refused.Error(), c.want) || len(got) > 0 {
				t.Errorf("%s %s is refused: %v, %q", c.command, c.phase, refused, got)
			}
			continue
		}
		if strings.Join(got, " ") != c.want || strings.Join(s.Stop, " ") != c.stop ||
			(s.Answer == "") != s.Wait {
			t.Errorf("%s %s: %q, stops %q, %q, %v; want %q", c.command, c.phase, got, s.Stop, s.Answer,
				err, c.want)
		}
	}
}

// Notes are bounded in number and size.
func TestNotesAreBounded(t *testing.T) {
	run := steerRun()
	note := orchestrator.Command{Kind: orchestrator.NotePhase, Phase: "p", Text: "words"}
	for n := 0; ; n++ {
		s, err := orchestrator.Steer(run, note)
		if err != nil {
			if n != state.MaxNotes {
				t.Errorf("after %d notes: %v", n, err)
			}
			break
		}
		if err := run.Apply(s.Events[0]); err != nil {
			t.Fatal(err)
		}
	}
	note.Text = "\x1b[2Jone\r\n\ttwo\x00\xff"
	run = steerRun()
	if s, err := orchestrator.Steer(run, note); err != nil || s.Events[0].Text != "[2Jone\n\ttwo�" {
		t.Errorf("%v, %v", s.Events, err)
	}
	for _, text := range []string{"", " \n", "\x00\x1b", strings.Repeat("x", state.MaxNote+1)} {
		note.Phase, note.Text = "n", text
		if _, err := orchestrator.Steer(run, note); err == nil {
			t.Errorf("a note of %d bytes is taken", len(text))
		}
	}
}
