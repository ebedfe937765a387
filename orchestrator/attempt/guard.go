package attempt

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"autobuild/failure"
	"autobuild/state"
)

// Guard looks at work that every gate has passed, before it lands: some things cannot be taken back
// once they are in a commit, and some the plan does not name. It is asked from several attempts at
// once. A *WorkError is the phase's own doing.
type Guard interface {
	Look(ctx context.Context, tree Tree, work Work) ([]Objection, error)
}

// Objection is one thing that speaks against the work. One that does not refuse is a warning.
type Objection struct {
	failure.Place
	Refuses bool
}

// String is the objection in one line, for a person.
func (o Objection) String() string {
	text := "guard " + o.Rule + ": "
	if o.File != "" {
		text += o.File
		if o.Line > 0 {
			text += ":" + strconv.Itoa(o.Line)
		}
		text += ": "
	}
	return text + o.Message
}

// guard asks about work that has passed so far, and takes its verdict back where something refuses
// it.
func (t *try) guard(ctx context.Context, c Candidate) error {
	if t.Guard == nil {
		return nil
	}
	found, err := t.Guard.Look(ctx, t.tree, t.toWork(c))
	if work, ok := errors.AsType[*WorkError](err); ok {
		t.record.Verdict = state.Refused
		t.untakeable(work)
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for what must not land: %w", err)
	}
	for _, o := range found {
		if !o.Refuses {
			t.record.Warnings = append(t.record.Warnings, o.String())
			continue
		}
		t.record.Verdict = state.Refused
		t.seen.Guard = append(t.seen.Guard, o.Place)
	}
	return nil
}
