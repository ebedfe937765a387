package attempt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"autobuild/state"
)

// SourceHooks is the source of the gate that stands for the user's commit hooks.
const SourceHooks = "git"

// askHooks lets the user's commit hooks see what would be committed. What they mend and then refuse, as formatters do, is shown to them
// once more: a person would commit again. On merged content they may only judge, because what lands is settled by then.
func (t *try) askHooks(ctx context.Context, prefix string, landing bool) ([]state.Gate, error) {
	i := slices.IndexFunc(t.gates, isHooks)
	r, ok := t.Workspace.(Rehearser)
	if i < 0 || !ok {
		return nil, nil
	}
	spec := t.gates[i]
	before, err := t.rehearse(ctx, r, &spec, landing)
	if err != nil || spec.Command == "" {
		return nil, err
	}
	gates, err := t.ask(ctx, t.tree.Dir, prefix, []state.GateSpec{spec}, landing)
	if err != nil || gates[0].Status == state.GatePassed && !landing {
		t.worded = r.Worded(t.id)
		return gates, err
	}
	after, err := t.rehearse(ctx, r, &spec, landing)
	switch {
	case err != nil || after == before:
		return gates, err
	case landing:
		gates[0].Status, gates[0].Tail = state.GateFailed, "the hook changes files that were merged with other phases' work; "+gates[0].Tail
		return gates, nil
	}
	if gates, err = t.ask(ctx, t.tree.Dir, prefix, []state.GateSpec{spec}, landing); err == nil {
		t.worded = r.Worded(t.id)
	}
	return gates, err
}

func isHooks(s state.GateSpec) bool { return s.Source == SourceHooks }

// rehearse stages the work for the hooks.
func (t *try) rehearse(ctx context.Context, r Rehearser, spec *state.GateSpec, landing bool) (string, error) {
	command, identity, err := r.Rehearse(ctx, t.tree, t.id, t.message(), landing)
	if work, ok := errors.AsType[*WorkError](err); ok {
		t.seen.Work = work.Reason
		return "", t.fail(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("showing the work to the commit hooks: %w", err)
	}
	spec.Command = command
	return identity, nil
}
