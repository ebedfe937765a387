package attempt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/state"
)

// continuing is an agent that can go on with a session.
type continuing struct{ *fakeAgent }

func (continuing) Continues() bool { return true }

// retrying makes the bench's task the second attempt, after one in a session.
func retrying(b *bench) {
	b.runner.Continue, b.runner.Agent = true, continuing{b.agent}
	b.space.tree.Reused, b.task.Attempt = true, 2
	b.task.Earlier = []state.Attempt{
		{N: 1, Agent: "fake", Session: "s1", Usage: cents(3), Failure: &failure.Diagnosis{Type: failure.TestFailure, Message: "TestUsers failed"}},
	}
}

// Every retry in which the session goes on, and every one in which a new one begins, with the
// reason.
func TestSession(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(b *bench)
		session string
		says    string
	}{
		"goes on":            {func(*bench) {}, "s1", ""},
		"not wanted":         {func(b *bench) { b.runner.Continue = false }, "", ""},
		"first attempt":      {func(b *bench) { b.task.Attempt, b.task.Earlier = 1, nil }, "", ""},
		"a tier's":           {func(b *bench) { b.task.Earlier[0].Tier = "opus" }, "", ""},
		"cannot":             {func(b *bench) { b.runner.Agent = b.agent }, "", "agent fake cannot go on with a session; a new one begins"},
		"another agent":      {func(b *bench) { b.task.Earlier[0].Agent = "other" }, "", "the last attempt was agent other's; fake begins a new session"},
		"none was left":      {func(b *bench) { b.task.Earlier[0].Session = "" }, "", "left no session to go on with"},
		"the work was moved": {func(b *bench) { b.space.tree.Reused = false }, "", "was set aside, and its session with it"},
		"from the line":      {func(b *bench) { b.task.Fresh = true }, "", "was set aside, and its session with it"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			retrying(b)
			c.change(b)
			b.lands(state.Verified)
			if b.agent.job.Session != c.session {
				t.Errorf("session %q", b.agent.job.Session)
			}
			if whole := strings.Contains(b.agent.job.Prompt, "## The work"); whole != (c.session == "") {
				t.Errorf("whole prompt: %t", whole)
			}
			if notes := b.notes(); (len(notes) > 0) != (c.says != "") || c.says != "" && !strings.Contains(notes[0], c.says) {
				t.Errorf("notices %q", notes)
			}
		})
	}
}

// A session that is gone costs a second start and no attempt; both count.
func TestSessionLost(t *testing.T) {
	b := newBench(t)
	retrying(b)
	good := b.agent.out
	var sessions []string
	b.agent.does = func(_ context.Context, job Job) {
		sessions = append(sessions, job.Session)
		b.agent.out = good
		b.agent.out.CostUSD = 0.02
		if job.Session != "" {
			b.agent.out = Outcome{Claims: true, Lost: true, ExitCode: 1, CostUSD: 0.01}
		}
	}
	got := b.lands(state.Verified)
	if !slices.Equal(sessions, []string{"s1", ""}) || !strings.Contains(b.agent.job.Prompt, "## The work") || got.Usage.CostUSD != 0.03 {
		t.Errorf("sessions %q, usage %+v", sessions, got.Usage)
	}
	if notes := b.notes(); len(notes) != 1 || !strings.Contains(notes[0], "not there any more") {
		t.Errorf("notices %q", notes)
	}
}

// What earlier attempts in the session have used up is said, because some agents count it again;
// what others used is not.
func TestSessionPast(t *testing.T) {
	b := newBench(t)
	retrying(b)
	first := b.task.Earlier[0]
	other := first
	other.Session = "s0"
	b.task.Earlier = []state.Attempt{other, first, first}
	b.lands(state.Verified)
	if got := b.agent.job.Past; got.CostUSD != 0.06 {
		t.Errorf("past %+v", got)
	}
}
