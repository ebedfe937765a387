package attempt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"autobuild/failure"
	"autobuild/orchestrator/attempt/prompt"
	"autobuild/plan"
	"autobuild/state"
)

// A tier is asked when others have failed, and whatever it says, its fix is taken on three
// conditions: every gate passes, the tree is in order, and what the phase promises is there. The
// first is every attempt's; tidy, promised and accept hold the rest.

// requireTidy refuses a tier's work that leaves something half done behind.
func (t *try) requireTidy(ctx context.Context) error {
	if t.task.Tier == "" {
		return nil
	}
	found, err := t.Workspace.Untidy(ctx, t.tree, t.id)
	if work, ok := errors.AsType[*WorkError](err); ok {
		found, err = []string{work.Reason}, nil
	}
	if err != nil {
		return fmt.Errorf("looking for unfinished work: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	t.seen.Work = "the tree is not in order: " + strings.Join(found, "; ")
	t.glance(ctx, Outcome{})
	return t.fail(ctx)
}

// promised are the files that a tier's phase must have in the end: those that the plan names. A
// pattern promises none.
func (t *try) promised() []string {
	if t.task.Tier == "" {
		return nil
	}
	return promisedBy(t.task.Phase.Files)
}

func promisedBy(f plan.Files) []string {
	var names []string
	for _, paths := range [][]string{f.Create, f.Modify, f.Test} {
		for _, name := range paths {
			if !strings.ContainsAny(name, "*?[{<…") {
				names = append(names, name)
			}
		}
	}
	return names
}

// refuseUnprovenFix takes back the verdict on a tier's fix that leaves tasks undone, or that
// nothing can check: no gate ran, and the plan names no file.
func (t *try) refuseUnprovenFix() {
	if t.task.Tier == "" {
		return
	}
	n := prompt.Required(t.task.Phase.Tasks)
	switch {
	case t.record.Report.Tasks.Done < n:
		t.seen.Tasks = failure.TaskCount{Total: n, Done: t.record.Report.Tasks.Done}
	case t.record.Verdict == state.Unverified && len(t.promised()) == 0:
		t.seen.Work = "nothing here can check what tier " + t.who.Name +
			" says: no gate ran, and the plan names no file; give it one of the two"
	default:
		return
	}
	t.record.Verdict = state.Refused
}
