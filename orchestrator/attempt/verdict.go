package attempt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/failure/diagnose"
	"autobuild/internal/text"
	"autobuild/orchestrator/attempt/prompt"
	"autobuild/state"
)

// verify looks for itself: the difference, the claimed files, the tasks, every gate on what would
// land. The claim is only compared.
func (t *try) verify(ctx context.Context) (Candidate, error) {
	if err := t.requireTidy(ctx); err != nil {
		return Candidate{}, err
	}
	t.keepWitnesses()
	changes, notes, err := t.Workspace.Changes(ctx, t.tree, t.id)
	if work, ok := errors.AsType[*WorkError](err); ok {
		t.untakeable(work)
		return Candidate{}, t.fail(ctx)
	}
	if conflict, ok := errors.AsType[*ConflictError](err); ok {
		t.conflict(conflict)
		return Candidate{}, t.fail(ctx)
	}
	if err != nil {
		return Candidate{}, fmt.Errorf("looking at what changed: %w", err)
	}
	if changes.Len() == 0 {
		changes.Standing = t.Finished[t.id]
	}
	t.changed(changes, notes)
	if err = t.heed(ctx); err != nil {
		return Candidate{}, err
	}
	t.seen.NoChange = changes.Len() == 0 && !t.mayBeEmpty()
	t.seen.Missing = missing(t.tree.Dir,
		slices.Concat(t.record.Report.Created, t.record.Report.Modified, t.promised()))
	hooks, err := t.askHooks(ctx)
	if err != nil {
		return Candidate{}, err
	}
	if err = t.takeBench(ctx); err != nil {
		return Candidate{}, err
	}
	return t.judgeCandidate(ctx, hooks)
}

// judgeCandidate merges the work and judges it. Work that fails on top of other work that has not
// landed is judged once more when that has ended, since that may be the reason.
func (t *try) judgeCandidate(ctx context.Context, hooks []state.Gate) (Candidate, error) {
	c, err := t.candidate(ctx)
	if err != nil {
		return c, err
	}
	record, seen := t.record, t.seen
	err = t.decide(ctx, c, hooks)
	if _, failed := errors.AsType[*failure.Failure](err); !failed || !c.Ahead ||
		len(t.seen.Breach) > 0 {
		return c, err
	}
	t.activity("waiting for work before it to land, to be judged again", 0)
	if err = t.Workspace.Ahead(ctx, t.id); err != nil {
		return c, fmt.Errorf("waiting for the work before it: %w", err)
	}
	t.record, t.seen = record, seen
	if c, err = t.candidate(ctx); err != nil {
		return c, err
	}
	return c, t.decide(ctx, c, hooks)
}

// decide judges the candidate.
func (t *try) decide(ctx context.Context, c Candidate, hooks []state.Gate) error {
	t.count(hooks)
	if err := t.judgeTree(ctx, c, false); err != nil {
		return err
	}
	if err := t.strayedGates(ctx); err != nil {
		return err
	}
	if t.record.Verdict = t.judge(); t.record.Verdict.Passed() {
		t.refuseUnprovenFix()
	}
	for _, look := range []func(context.Context, Candidate) error{t.referee, t.guard} {
		if !t.record.Verdict.Passed() {
			break
		}
		if err := look(ctx, c); err != nil {
			return err
		}
	}
	if err := t.strayedGates(ctx); err != nil {
		return err
	}
	if t.record.Verdict.Passed() {
		if err := t.review(ctx, c); err != nil {
			return err
		}
	}
	if !t.record.Verdict.Passed() {
		return t.fail(ctx)
	}
	t.compareTasks()
	return nil
}

// strayedGates fails the attempt if its gates changed autobuild's own files.
func (t *try) strayedGates(ctx context.Context) error {
	strayed, err := t.stray(ctx)
	if err == nil && strayed {
		t.record.Verdict = state.Refused
		return t.fail(ctx)
	}
	return err
}

// mayBeEmpty reports whether the phase is complete even if nothing differs: the plan or the user
// says so, or its work is there already, from this run or from the one that a fresh start has set
// aside.
func (t *try) mayBeEmpty() bool {
	if t.task.Phase.AllowEmpty || t.AllowEmpty || t.tree.Landed {
		return true
	}
	files, done := t.Finished[t.id]
	return done && len(missing(t.tree.Dir, files)) == 0
}

// judge says what the checks show, whatever the claim.
func (t *try) judge() state.Verdict {
	ran := slices.ContainsFunc(t.record.Gates,
		func(g state.Gate) bool {
			return g.Status == state.GatePassed || g.Before == state.NotWorse
		})
	tasksDone := t.seen.Tasks.Done >= t.seen.Tasks.Total
	agent := t.seen.Agent
	clean := agent.ExitCode == 0 && agent.Signal == "" && !agent.TimedOut
	switch {
	case len(t.seen.Guard) > 0: // it changes what the plan rules out
		return state.Refused
	case len(t.seen.Gates) > 0 || len(t.seen.Missing) > 0 || t.seen.NoChange || !tasksDone:
		return state.Refused
	case t.seen.Claim.Complete && clean && ran:
		return state.Verified
	case t.seen.Claim.Complete && clean:
		return state.Unverified
	case ran && (t.seen.Claim.Complete || t.refuted() &&
		t.seen.Tasks.Done >= prompt.Required(t.task.Phase.Tasks)):
		// It ended badly, or says that a gate fails, and yet everything that can be checked is in
		// order.
		t.record.Warnings = append(t.record.Warnings, t.upgradeNote(clean))
		return state.Upgraded
	}
	return state.Refused
}

// refuted reports whether all that the agent says of its failure is what gates would see, and gates
// that would see it passed.
func (t *try) refuted() bool {
	reading, kinds := diagnose.Read(*t.seen.Claim)
	if reading != diagnose.Refutable {
		return false
	}
	return !slices.ContainsFunc(kinds, func(kind string) bool {
		return !slices.ContainsFunc(t.record.Gates, func(g state.Gate) bool {
			return (g.Status == state.GatePassed || g.Before == state.NotWorse) && looksAt(g, kind)
		})
	})
}

// gateStems are what commands and names of gates hold that look at failures of a kind.
var gateStems = map[string][]string{
	"test": {"test", "jest", "mocha", "rspec"}, "lint": {"lint", "vet", "clippy", "ruff", "flake8"},
	"typecheck": {"tsc", "type", "mypy", "pyright"},
	"format":    {"fmt", "format", "prettier", "black"},
	"build":     {"build", "compile", "make", "go test", "go vet", "cargo", "tsc"},
}

// looksAt reports whether a gate would have seen a failure of a kind.
func looksAt(g state.Gate, kind string) bool {
	text := strings.ToLower(g.Name + " " + g.Command)
	return g.Kind == kind || strings.EqualFold(g.Name, kind) ||
		slices.ContainsFunc(gateStems[kind],
			func(stem string) bool { return strings.Contains(text, stem) })
}

func (t *try) upgradeNote(clean bool) string {
	if !t.seen.Claim.Complete {
		note := "the agent reported failure"
		if t.seen.Claim.Error != "" {
			note += " (" + text.Truncate(text.OneLine(t.seen.Claim.Error), 200) + ")"
		}
		return note + "; all gates pass and every task is done"
	}
	if t.seen.Agent.TimedOut {
		return "the agent did not end after its result and was stopped; all gates pass"
	}
	if !clean {
		how := fmt.Sprintf("with exit code %d", t.seen.Agent.ExitCode)
		if t.seen.Agent.Signal != "" {
			how = "by " + t.seen.Agent.Signal
		}
		return "the agent ended " + how + " after its result; all gates pass"
	}
	return ""
}

// compareTasks notes where the agent counted other tasks than the plan has.
func (t *try) compareTasks() {
	have, counted := len(t.task.Phase.Tasks), t.seen.Tasks.Total
	if !t.record.Report.Implied && have > 0 && (counted < prompt.Required(t.task.Phase.Tasks) ||
		counted > have) {
		t.record.Warnings = append(t.record.Warnings,
			fmt.Sprintf("the agent counted %d tasks; the plan has %d", counted, have))
	}
}

// landing says how the work is to land. Judged is the candidate that has passed.
func (t *try) landing(judged *Candidate) Landing {
	l := Landing{
		Phase: t.id, Key: t.task.Key, Verdict: t.record.Verdict, Message: t.message(), Mark: true,
		AllowEmpty: true,
	}
	for _, c := range t.record.Referee {
		if c.Ruling == state.RulingContested {
			l.Contested = append(l.Contested, c.Place())
		}
	}
	if judged != nil {
		l.Judged, l.AllowEmpty, l.Verify = judged.Tree, t.mayBeEmpty(), t.verifyAgain
	}
	return l
}

// verifyAgain judges what would land now, where that is not what was judged.
func (t *try) verifyAgain(ctx context.Context, c Candidate) error {
	t.judged = c.Tree
	if err := t.judgeTree(ctx, c, true); err != nil {
		return err
	}
	if err := t.strayedGates(ctx); err != nil {
		return err
	}
	if len(t.seen.Gates) == 0 {
		if err := t.referee(ctx, c); err != nil {
			return err
		}
	}
	if err := t.strayedGates(ctx); err != nil {
		return err
	}
	if len(t.seen.Gates) > 0 || !t.record.Verdict.Passed() {
		return t.fail(ctx)
	}
	return nil
}

// land makes verified work part of the line.
func (t *try) land(ctx context.Context, c Candidate) error {
	how := t.landing(&c)
	t.judged = c.Tree
	landed, err := t.Workspace.Land(ctx, t.tree, how)
	conflict, conflicts := errors.AsType[*ConflictError](err)
	failed, isFailure := errors.AsType[*failure.Failure](err)
	work, isWork := errors.AsType[*WorkError](err)
	switch {
	case isWork:
		t.record.Verdict = state.Refused
		t.untakeable(work)
		return t.fail(ctx)
	case conflicts:
		t.record.Verdict = state.Refused
		t.conflict(conflict)
		return t.fail(ctx)
	case isFailure:
		t.record.Verdict = state.Refused
		return failed
	case err != nil:
		return fmt.Errorf("landing: %w", err)
	}
	t.record.Commit = &state.Commit{
		SHA: landed.Commit, Message: how.Message, Delivered: landed.Delivered,
		Undelivered: landed.Undelivered,
		Obstacle:    landed.Obstacle, Overlap: landed.Overlap, PlanMarked: landed.PlanMarked,
	}
	t.Baseline.landed(context.WithoutCancel(ctx), landed.Commit, t.record.Gates)
	if err := t.bench.Accept(context.WithoutCancel(ctx), t.judged); err != nil {
		t.warn("its build folders could not be kept: " + text.OneLine(err.Error()))
	}
	if t.KeepGates != nil {
		t.KeepGates(t.gates)
	}
	t.record.Warnings = append(t.record.Warnings, landed.Notes...)
	if err := t.Workspace.Done(context.WithoutCancel(ctx), t.tree, t.id); err != nil {
		t.record.Warnings = append(t.record.Warnings, "its workspace could not be removed: "+
			text.OneLine(err.Error()))
	}
	return nil
}

// conflict takes a conflict for evidence.
func (t *try) conflict(c *ConflictError) {
	t.seen.Merge = c.Merge
	for _, f := range c.Files {
		f.Phase = t.task.Phase.Label
		t.seen.Conflicts = append(t.seen.Conflicts, f)
	}
}

// message is the commit message: as the user's hooks left it, else the agent's, else the plan's,
// else one made of the phase.
func (t *try) message() string {
	for _, m := range []string{t.worded, t.record.Report.Commit, t.task.Phase.Commit} {
		if m = strings.TrimSpace(m); m != "" {
			return m
		}
	}
	name := t.task.Phase.Name
	if name == "" {
		name = "phase " + t.task.Phase.Label
	}
	return fmt.Sprintf("feat(phase-%s): %s", t.id, text.OneLine(name))
}

// agentRun is the agent's end as evidence.
func (t *try) agentRun(out Outcome) *failure.AgentRun {
	run := &failure.AgentRun{
		Name: t.who.Uses, Err: out.Err, ExitCode: out.ExitCode, Signal: out.Signal,
		TimedOut: out.TimedOut, Idle: out.Idle,
		After: out.Duration, Activity: out.Last, Tail: out.Tail, Message: out.Message,
		Until: out.Until,
	}
	if out.TimedOut && !out.Idle && t.Timeout > 0 {
		run.After = t.Timeout // what it was given; the time that stopping it took is not its own
	}
	run.Words = out.Words
	run.Unbilled = out.CostUSD == 0 && out.InputTokens+out.OutputTokens == 0
	switch out.Kind {
	case "refusal", "agent_error", "agent_loop":
		run.Kind = failure.Type(out.Kind)
	case "usage_limit":
		run.Kind = failure.UsageLimit
	case "transient":
		run.Kind = failure.TransportError
		if run.Until.IsZero() && out.Wait > 0 {
			run.Until = t.stamp().Add(out.Wait)
		}
	case "agent_unusable":
		run.Kind, run.About, run.Remedy = failure.AgentUnusable, out.About, out.Remedy
	case "context_overflow":
		run.Kind = failure.ContextOverflow
	case "parse_error":
		run.Kind = failure.ParseError
	}
	return run
}

// gateRun is a gate's end as evidence.
func (t *try) gateRun(g state.Gate) failure.GateRun {
	if g.Log != "" && t.LogDir != "" {
		g.Log = t.LogDir + "/" + g.Log
	}
	return failure.GateRun{
		Name: g.Name, Command: g.Command, FixCommand: g.Fix, Kind: g.Kind, Exit: g.Exit,
		TimedOut: g.Status == state.GateTimeout, NotAvailable: g.Status == state.GateNotAvailable,
		After: g.Duration, Count: g.Failed, Tests: g.Tests, Places: g.Places, Tail: g.Tail,
		Log: g.Log, Own: own(t.tree.Dir),
	}
}

// claimedGates words what the agent says of the gates, sorted.
func claimedGates(r *state.Report) []string {
	var words []string
	for name, passed := range r.Gates {
		if passed {
			words = append(words, name+" passed")
		} else {
			words = append(words, name+" failed")
		}
	}
	slices.Sort(words)
	return words
}
