package attempt

import (
	"context"
	"fmt"
	"slices"

	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// runGates runs every gate where a tree is shown, and keeps those that did not pass as
// evidence. A stack that the agent has just created has gates too, so they are looked for again.
func (t *try) runGates(
	ctx context.Context, at referee.Shown, tree string, landing bool,
) error {
	t.gates = t.Gates(at.Dir, t.task.Phase)
	prefix := t.prefix()
	if landing {
		prefix += ".landing"
		t.before = t.Baseline.Failed()
	}
	specs := slices.DeleteFunc(slices.Clone(t.gates), isHooks)
	seen, err := t.ask(ctx, at, tree, prefix, specs, landing)
	if err != nil {
		return err
	}
	t.record.Warm = at.Warm && !t.cold
	again, err := t.confirm(ctx, tree, prefix, seen.Gates, landing)
	if err != nil {
		return err
	}
	t.outcome = seen
	t.count(seen.Gates)
	t.record.Gates = append(t.record.Gates, again...)
	return nil
}

// count takes gates that have ended for evidence.
func (t *try) count(gates []state.Gate) {
	for _, g := range gates {
		if t.refuses(g) {
			t.seen.Gates = append(t.seen.Gates, t.gateRun(t.worse(g)))
		}
	}
	t.excuse(gates)
	t.record.Gates = append(t.record.Gates, gates...)
}

// ask runs gates where a tree is shown and reports each.
func (t *try) ask(
	ctx context.Context, at referee.Shown, tree, prefix string, specs []state.GateSpec,
	landing bool,
) (referee.Outcome, error) {
	seen, err := t.runSuite(ctx, at, tree, prefix, specs, func(g state.Gate) {
		g.Landing = landing
		kind := state.GateFinished
		if g.Status == "" {
			kind = state.GateStarted
		}
		t.weigh(&g)
		t.report(state.Event{Type: kind, Gate: &g})
	})
	if err != nil {
		return seen, err
	}
	for i := range seen.Gates {
		seen.Gates[i].Landing = landing
		t.weigh(&seen.Gates[i])
	}
	return seen, context.Cause(ctx)
}

// runSuite runs gates where a tree is shown. If gates fail with copied build folders, or beside the
// suites of other phases, the suite runs again without them, and the second result counts.
func (t *try) runSuite(
	ctx context.Context, at referee.Shown, tree, prefix string, specs []state.GateSpec,
	each func(state.Gate),
) (referee.Outcome, error) {
	seen, err := t.Verifier.Judge(ctx, at, prefix, specs, each)
	if err == nil && at.Warm && tree != "" && slices.ContainsFunc(seen.Gates, t.failsNewly) {
		t.notice("gates failed with copied build folders; running them on a clean build")
		t.bench.Cold()
		t.cold = true
		prefix += ".cold"
		if at, err = t.show(ctx, tree, prefix); err != nil {
			return seen, err
		}
		seen, err = t.Verifier.Judge(ctx, at, prefix, specs, each)
	}
	if err == nil && seen.Beside && tree != "" && slices.ContainsFunc(seen.Gates, disturbed) {
		t.notice("run again alone, because gates failed while those of other phases ran")
		prefix += ".again"
		if at, err = t.show(ctx, tree, prefix); err != nil {
			return seen, err
		}
		at.Alone = true
		seen, err = t.Verifier.Judge(ctx, at, prefix, specs, each)
	}
	if err != nil {
		return seen, fmt.Errorf("running the gates: %w", err)
	}
	return seen, nil
}

// failsNewly reports whether a gate fails and Baseline does not explain it.
func (t *try) failsNewly(g state.Gate) bool {
	t.weigh(&g)
	return (g.Status == state.GateFailed || g.Status == state.GateTimeout) && g.Before == ""
}

// disturbed reports whether another suite may be the reason that a gate failed.
func disturbed(g state.Gate) bool {
	return g.Status == state.GateTimeout || g.Status == state.GateFailed && mayWaver(g.Kind)
}

// refuses reports whether the gate counts against the phase. A gate that was only detected and
// whose tool is missing proves nothing either way; one that the configuration or the plan names
// must run.
func (t *try) refuses(g state.Gate) bool {
	if g.Status != state.GateNotAvailable {
		return g.Status != state.GatePassed && !g.Flaky && g.Before == ""
	}
	return slices.ContainsFunc(t.gates, func(s state.GateSpec) bool {
		return s.Name == g.Name && (s.Source == "config" || s.Source == "plan")
	})
}
