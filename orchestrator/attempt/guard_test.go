package attempt

import (
	"context"
	"errors"
	"strings"
	"testing"

	"autobuild/failure"
	"autobuild/state"
)

// fakeGuard objects to what it is told to.
type fakeGuard struct {
	found []Objection
	err   error
	asked []Work
}

func (g *fakeGuard) Look(_ context.Context, _ Tree, work Work) ([]Objection, error) {
	g.asked = append(g.asked, work)
	return g.found, g.err
}

var (
	meant   = Objection{Place: failure.Place{Rule: "suppressed", File: "a.go", Line: 3, Message: "a tool looks away from the whole file"}}
	refused = Objection{Place: failure.Place{Rule: "secret", File: "a.py", Message: "it looks like a token"}, Refuses: true}
)

// An objection that does not refuse is a warning on work that lands.
func TestGuardWarns(t *testing.T) {
	b := newBench(t)
	g := &fakeGuard{found: []Objection{meant}}
	b.runner.Guard = g
	got := b.lands(state.Verified)
	if len(got.Warnings) != 1 || got.Warnings[0] != "guard suppressed: a.go:3: a tool looks away from the whole file" {
		t.Errorf("warnings = %q", got.Warnings)
	}
	if len(g.asked) != 1 || g.asked[0].Phase.ID != "2a" || len(g.asked[0].Ran.Gates) != 1 || g.asked[0].Message == "" {
		t.Errorf("asked %+v", g.asked)
	}
}

// One that refuses takes the verdict back, although every gate passed and the claim is complete;
// the warnings stay on the record.
func TestGuardRefuses(t *testing.T) {
	b := newBench(t)
	b.runner.Guard = &fakeGuard{found: []Objection{refused, meant}}
	got, d := b.fails()
	if d.Type != failure.GuardViolation || !d.Retryable || len(d.Places) != 1 || !strings.Contains(d.Message, "a.py: it looks like a token") {
		t.Errorf("diagnosis = %+v", d)
	}
	if len(got.Warnings) != 1 {
		t.Errorf("warnings = %q", got.Warnings)
	}
}

// Nobody asks about work that a gate refuses already; what cannot be looked at is the phase's doing
// or the machine's.
func TestGuardIsAskedLast(t *testing.T) {
	b := newBench(t)
	g := &fakeGuard{found: []Objection{refused}}
	b.runner.Guard, b.checks.gates = g, map[string]state.Gate{"test": failing}
	if _, d := b.fails(); d.Type != failure.VerificationMismatch || len(g.asked) != 0 {
		t.Errorf("%s, asked %d times", d.Type, len(g.asked))
	}
	b = newBench(t)
	b.runner.Guard = &fakeGuard{err: &WorkError{Reason: "the directory is gone"}}
	if _, d := b.fails(); !strings.Contains(d.Message, "the directory is gone") {
		t.Errorf("message = %q", d.Message)
	}
	b = newBench(t)
	broken := errors.New("disk")
	b.runner.Guard = &fakeGuard{err: broken}
	if _, err := b.attempt(); !errors.Is(err, broken) {
		t.Errorf("error = %v", err)
	}
}
