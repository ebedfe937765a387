package attempt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// Candidate is the work of a phase as it would land now. Without a line it is the directory that
// all phases share, and empty.
type Candidate struct {
	Tip     string // commit of the line below the work
	Work    string // tree of the phase's work merged with Tip
	Tree    string // the same with the plan's mark: exactly what lands
	Base    string // commit from which the phase's own work started
	Alone   string // tree of the phase's own work on Base
	Moved   bool   // anything else landed since Base
	Already bool   // this attempt has landed before
	Ahead   bool   // Tip holds work of other phases that is being judged and has not landed
}

// Bench is a directory of autobuild's own in which trees are judged. No phase works there.
type Bench interface {
	// Show checks out a tree and prepares it. It calls prepare with the setup commands that have to
	// run again. The error is an *InstallError if the tree's own manifests cannot be installed.
	Show(ctx context.Context, tree string, setup []string,
		prepare func(ctx context.Context, dir string, commands []string) error) (referee.Shown, error)
	// Rehearse stages what is shown as a commit on tip would, and gives the command that asks the
	// user's commit hooks.
	Rehearse(ctx context.Context, tip, message string) (command string, err error)
	// Changed reports whether files differ from what is shown.
	Changed(ctx context.Context) (bool, error)
	// Cold shows trees without build folders of earlier trees until Leave.
	Cold()
	// Accept keeps the build folders of a tree that was shown, for further clones.
	Accept(ctx context.Context, tree string) error
	// Leave gives the directory back.
	Leave()
}

// Referee says whether work changed what judges it (SPEC.md 7).
type Referee interface {
	// Examine looks at work that every gate has passed. It runs gates on other trees with try, as
	// often as it has to.
	Examine(ctx context.Context, work Work, try Try) (Ruling, error)
}

// Try runs gates on a tree. The name is part of the logs' names.
type Try func(ctx context.Context, tree, name string, gates []state.GateSpec) (referee.Outcome,
	error)

// Work is what a Referee and a Guard get of an attempt.
type Work struct {
	Phase     plan.Phase
	Candidate Candidate
	Message   string           // of the commit
	Gates     []state.GateSpec // that apply to the phase
	Ran       referee.Outcome  // on the candidate
	Claimed   []state.ClaimedChange
}

// Ruling is what a Referee found.
type Ruling struct {
	Changes []state.RefereeChange
	Proof   state.Proof
	Missing string   // why the proof that was asked for is not there; empty: it is, or none was
	Unrun   []string // new files of tests that no gate runs
}

// takeBench takes the bench on which the work is judged, with fresh temporary files and ports: the
// agent could write to its own.
func (t *try) takeBench(ctx context.Context) error {
	if t.bench != nil {
		return nil
	}
	leave, err := t.takePrivate()
	if err != nil {
		return err
	}
	b, err := t.Workspace.Bench(ctx,
		func() { t.activity("waiting for the gates of another phase to end", 0) })
	if err != nil {
		leave()
		return fmt.Errorf("taking a place to run the gates: %w", err)
	}
	t.bench, t.leaveBench = b, func() {
		b.Leave()
		leave()
	}
	return nil
}

// show brings the bench to a tree. A failing setup is the phase's failure.
func (t *try) show(ctx context.Context, tree, prefix string) (referee.Shown, error) {
	commands := slices.Concat(t.Setup, t.task.Phase.Setup)
	at, err := t.bench.Show(ctx, tree, commands,
		func(ctx context.Context, dir string, commands []string) error {
			return t.prepare(ctx, dir, prefix, commands)
		})
	if install, ok := errors.AsType[*InstallError](err); ok {
		return at, t.uninstallable(ctx, install.Gate)
	}
	if _, failed := errors.AsType[*failure.Failure](err); failed {
		return at, err //nolint:wrapcheck // the phase's failure
	}
	if err != nil {
		return at, fmt.Errorf("preparing the place to run the gates: %w", err)
	}
	return at, nil
}

// candidate merges the work with the line in memory.
func (t *try) candidate(ctx context.Context) (Candidate, error) {
	c, err := t.Workspace.Candidate(ctx, t.tree, t.landing(nil))
	if work, ok := errors.AsType[*WorkError](err); ok {
		t.untakeable(work)
		return c, t.fail(ctx)
	}
	if conflict, ok := errors.AsType[*ConflictError](err); ok {
		t.conflict(conflict)
		return c, t.fail(ctx)
	}
	if err != nil {
		return c, fmt.Errorf("merging the work with the line: %w", err)
	}
	return c, nil
}

// judgeTree runs every gate on exactly what would land. What fails there and passes without what
// landed meanwhile is a matter between phases.
func (t *try) judgeTree(ctx context.Context, c Candidate, landing bool) error {
	prefix := t.prefix()
	if landing {
		prefix += ".landing"
	}
	at, err := t.show(ctx, c.Tree, prefix)
	if err != nil {
		return err
	}
	if err := t.judgeHooks(ctx, c, at.Dir, prefix, landing); err != nil {
		return err
	}
	if err := t.runGates(ctx, at, c.Tree, landing); err != nil {
		return err
	}
	if len(t.seen.Gates) > 0 && c.Moved {
		return t.together(ctx, c)
	}
	return nil
}

// together runs the gates that failed on the phase's own work, without what landed since it
// began. A gate that a signal ended has found nothing that could be anybody's.
func (t *try) together(ctx context.Context, c Candidate) error {
	if slices.ContainsFunc(t.seen.Gates, func(g failure.GateRun) bool {
		return g.Exit < 0 && !g.TimedOut
	}) {
		return nil
	}
	specs := slices.DeleteFunc(slices.Clone(t.gates), func(s state.GateSpec) bool {
		return isHooks(s) ||
			!slices.ContainsFunc(t.seen.Gates,
				func(g failure.GateRun) bool { return g.Name == s.Name })
	})
	if len(specs) == 0 {
		return nil
	}
	alone, err := t.runElsewhere(ctx, c.Alone, "alone", specs)
	if err != nil || slices.ContainsFunc(alone.Gates, t.refuses) {
		return err
	}
	others, err := t.Workspace.Between(ctx, c, t.record.Changes.Paths())
	if err != nil {
		return fmt.Errorf("looking at what landed meanwhile: %w", err)
	}
	for i := range others {
		others[i].Phase = t.task.Phase.Label
	}
	t.seen.Together = others
	return nil
}

// runElsewhere runs gates on another tree than the work's. They are shown, and decide nothing by
// themselves.
func (t *try) runElsewhere(
	ctx context.Context, tree, name string, specs []state.GateSpec,
) (referee.Outcome, error) {
	prefix := t.prefix() + "." + name
	at, err := t.show(ctx, tree, prefix)
	if err != nil {
		return referee.Outcome{}, err
	}
	judging := slices.Contains([]string{referee.RunWhole, referee.RunAdapted, referee.RunKept}, name)
	at.Warm = at.Warm && judging // a failure in another run is not repeated
	seen, err := t.runSuite(ctx, at, tree, prefix, specs, func(state.Gate) {})
	for i := range seen.Gates {
		t.weigh(&seen.Gates[i])
	}
	if judging {
		t.record.RefereeLog = refereeLog(t.record.RefereeLog, seen.Gates)
	}
	if err != nil {
		return seen, err
	}
	return seen, context.Cause(ctx)
}

// refereeLog is the log of the first gate that did not pass in a referee run, else the log that
// is known, else the first one.
func refereeLog(known string, gates []state.Gate) string {
	for _, g := range gates {
		if g.Log != "" && g.Status != state.GatePassed && g.Before == "" {
			return g.Log
		}
	}
	for _, g := range gates {
		known = cmp.Or(known, g.Log)
	}
	return known
}

// referee asks whether the work changed what judges it, and takes the verdict back where it did so
// unasked.
func (t *try) referee(ctx context.Context, c Candidate) error {
	if t.Referee == nil || c.Tree == "" {
		return nil
	}
	t.record.RefereeLog = ""
	ruling, err := t.Referee.Examine(ctx, t.toWork(c), t.runElsewhere)
	if _, failed := errors.AsType[*failure.Failure](err); failed {
		return err //nolint:wrapcheck // the phase's failure
	}
	if err != nil {
		return fmt.Errorf("looking for changes of tests and gates: %w", err)
	}
	t.record.Referee = slices.Concat(ruling.Changes, t.answers())
	t.record.Proof = ruling.Proof
	if len(ruling.Unrun) > 0 {
		t.warn("no gate runs the new tests in " + text.JoinSome(ruling.Unrun, 5))
	}
	for _, change := range ruling.Changes {
		if change.Ruling == state.RulingRefused {
			t.record.Verdict = state.Refused
			t.seen.Referee = append(t.seen.Referee, refereeFinding(change))
		}
	}
	if ruling.Missing != "" {
		t.record.Verdict, t.seen.Unproven = state.Refused, ruling.Missing
	}
	return nil
}

func refereeFinding(c state.RefereeChange) failure.Place {
	text := c.What
	if c.Test != "" {
		text = c.Test + ": " + text
	}
	return failure.Place{Rule: string(c.Cause), File: c.File, Line: c.Line, Message: text}
}

func (t *try) toWork(c Candidate) Work {
	return Work{
		Phase: t.task.Phase, Candidate: c, Message: t.message(), Gates: t.gates, Ran: t.outcome,
		Claimed: t.record.Report.RefereeChanges,
	}
}
