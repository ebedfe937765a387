package attempt

import (
	"context"
	"errors"
	"fmt"

	"autobuild/failure"
	"autobuild/orchestrator/attempt/prompt"
	"autobuild/plan"
	"autobuild/state"
)

// heed fails the attempt where its difference takes away what other phases landed and its section
// does not ask for that.
func (t *try) heed(ctx context.Context) error {
	found, err := t.Workspace.Removed(ctx, t.tree, t.id)
	if work, ok := errors.AsType[*WorkError](err); ok {
		t.untakeable(work)
		return t.fail(ctx)
	}
	if err != nil {
		return fmt.Errorf("looking for removed work of other phases: %w", err)
	}
	for _, r := range found {
		if prompt.Removes(t.task.Phase, r.File, r.Names) ||
			prompt.Reverts(t.task.Phase, t.labelled(r.Phase)) {
			t.warn(fmt.Sprintf("%s, landed by phase %s: %s, as the phase's text asks", r.File,
				r.Phase, r.How))
			continue
		}
		t.seen.Removed = append(t.seen.Removed, failure.Removal{
			File: r.File, Phase: r.Phase,
			How: r.How,
		})
	}
	if len(t.seen.Removed) == 0 {
		return nil
	}
	t.record.Verdict = state.Refused
	return t.fail(ctx)
}

// labelled is the plan's phase with a label; a Phase with the label alone if it was removed.
func (t *try) labelled(label string) plan.Phase {
	if t.Plan != nil {
		for _, p := range t.Plan.Phases() {
			if p.Label == label {
				return p
			}
		}
	}
	return plan.Phase{Label: label}
}
