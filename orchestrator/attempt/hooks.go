package attempt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// SourceHooks is the source of the gate that stands for the user's commit hooks.
const SourceHooks = "git"

// askHooks lets the user's commit hooks see in the phase's worktree what would be committed. What
// they mend and then refuse, as formatters do, is shown to them once more: a person would commit
// again.
func (t *try) askHooks(ctx context.Context) ([]state.Gate, error) {
	i := slices.IndexFunc(t.gates, isHooks)
	if i < 0 {
		return nil, nil
	}
	spec := t.gates[i]
	before, err := t.rehearse(ctx, &spec)
	if err != nil || spec.Command == "" {
		return nil, err
	}
	asked, err := t.ask(ctx, referee.Shown{Dir: t.tree.Dir}, "", t.prefix(), []state.GateSpec{spec}, false)
	if err != nil || asked.Gates[0].Status == state.GatePassed {
		t.worded = t.Workspace.Worded(t.id)
		return asked.Gates, err
	}
	after, err := t.rehearse(ctx, &spec)
	if err != nil || after == before {
		return asked.Gates, err
	}
	if asked, err = t.ask(ctx, referee.Shown{Dir: t.tree.Dir}, "", t.prefix(), []state.GateSpec{spec}, false); err == nil {
		t.worded = t.Workspace.Worded(t.id)
	}
	return asked.Gates, err
}

// judgeHooks asks the hooks about exactly what would land, where the agent cannot reach. There they
// may only judge. What they said in the worktree stands unless they refuse here.
func (t *try) judgeHooks(ctx context.Context, c Candidate, dir, prefix string, landing bool) error {
	i := slices.IndexFunc(t.gates, isHooks)
	if i < 0 {
		return nil
	}
	spec := t.gates[i]
	var err error
	if spec.Command, err = t.bench.Rehearse(ctx, c.Tip, t.message()); err != nil ||
		spec.Command == "" {
		return err
	}
	asked, err := t.Verifier.Judge(ctx, referee.Shown{Dir: dir}, prefix, []state.GateSpec{spec},
		func(state.Gate) {})
	if err != nil {
		return fmt.Errorf("asking the commit hooks: %w", err)
	}
	gates := asked.Gates
	changed, err := t.bench.Changed(ctx)
	if err != nil {
		return fmt.Errorf("asking the commit hooks: %w", err)
	}
	if changed {
		gates[0].Status = state.GateFailed
		gates[0].Tail = "the hook changes files that were merged with other phases' work; " +
			gates[0].Tail
	}
	if gates[0].Status != state.GatePassed {
		gates[0].Landing = landing
		t.report(state.Event{Type: state.GateFinished, Gate: &gates[0]})
		t.count(gates)
	}
	_, err = t.show(ctx, c.Tree, prefix)
	return err
}

func isHooks(s state.GateSpec) bool { return s.Source == SourceHooks }

// rehearse stages the work for the hooks.
func (t *try) rehearse(ctx context.Context, spec *state.GateSpec) (string, error) {
	command, identity, err := t.Workspace.Rehearse(ctx, t.tree, t.id, t.message())
	if work, ok := errors.AsType[*WorkError](err); ok {
		t.untakeable(work)
		return "", t.fail(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("showing the work to the commit hooks: %w", err)
	}
	spec.Command = command
	return identity, nil
}
