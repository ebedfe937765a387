package attempt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/failure/diagnose"
	"autobuild/internal/proc"
	"autobuild/orchestrator/attempt/prompt"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// ConflictError says that work could not be merged: two phases, or a phase and the user, changed
// the same lines.
type ConflictError struct {
	Files []failure.Conflict
	Merge string // the command that takes a person to the conflict; may be empty
}

// Error names the files.
func (e *ConflictError) Error() string {
	names := make([]string, len(e.Files))
	for i, f := range e.Files {
		names[i] = f.File
	}
	return "conflict in " + strings.Join(names, ", ")
}

// WorkError says that a phase's work cannot be taken as it is: its directory is gone, or holds a
// repository of its own.
type WorkError struct {
	Reason string
	Nested []string // the repositories that it holds
}

// Error is the reason.
func (e *WorkError) Error() string { return e.Reason }

// InstallError is a failed install of a tree whose manifests or lockfiles the phase changed.
type InstallError struct{ Gate state.Gate }

// Error names the command.
func (e *InstallError) Error() string {
	return fmt.Sprintf("`%s` failed with exit code %d", e.Gate.Command, e.Gate.Exit)
}

// try is one attempt as it goes on.
type try struct {
	*Runner
	task   state.Task
	report func(state.Event)
	who    Tier // that works: the run's own agent has no name as a tier
	id     string
	nonce  string
	tree   Tree
	gates  []state.GateSpec
	before []state.Gate // that failed on the line without the phase
	record state.Attempt
	seen   failure.Evidence

	bench      Bench  // where the work is judged; nil before it is
	leaveBench func() // gives it back
	cold       bool   // the bench has no copied build folders
	judged     string // the tree that was judged last, to land

	outcome referee.Outcome // of the gates on the candidate

	worded  string // the commit message as the user's hooks left it
	blocked bool   // a tier says that it cannot be fixed here
	stopped error  // the budget at which its agent was stopped: *failure.Spent or *phaseSpent
}

// Attempt makes one attempt, as orchestrator.Worker says.
func (r *Runner) Attempt(
	ctx context.Context, task state.Task, report func(state.Event),
) (state.Result, error) {
	r = r.chosen(task.Phase.ID, task.Agent)
	t := &try{Runner: r, task: task, report: report, id: task.Phase.ID, nonce: r.Nonce()}
	t.record = state.Attempt{N: task.Attempt, Key: task.Key, Tier: task.Tier}
	t.seen.Past = task.Past
	err := t.choose()
	if err == nil {
		err = t.run(ctx)
	}
	return state.ResultOf(t.record, err)
}

// choose says who works: the run's agent, or the tier that the task names.
func (t *try) choose() error {
	t.who = Tier{Agent: t.Agent, Uses: t.Name, Model: t.Model, Weak: !t.Strong}
	if t.task.Tier != "" {
		i := slices.IndexFunc(t.Tiers, func(tier Tier) bool { return tier.Name == t.task.Tier })
		if i < 0 {
			return fmt.Errorf(
				"there is no tier %q to diagnose phase %s; name it under tiers, and resume",
				t.task.Tier, t.task.Phase.Label)
		}
		t.who = t.Tiers[i]
	}
	t.record.Agent, t.record.Model = t.who.Uses, t.who.Model
	return nil
}

// run is the story: open, set up, let the agent work, judge what would land, land it.
func (t *try) run(ctx context.Context) error {
	leave, err := t.takePrivate()
	if err != nil {
		return err
	}
	defer leave()
	defer t.rest(ctx)
	if err = t.open(ctx); err != nil {
		return err
	}
	if err = t.setup(ctx); err != nil {
		return err
	}
	if err = t.watch(ctx); err != nil {
		return err
	}
	if err = t.work(ctx); err != nil {
		return err
	}
	defer func() {
		if t.bench != nil {
			t.leaveBench()
		}
	}()
	c, err := t.verify(ctx)
	if err != nil {
		return err
	}
	return t.land(ctx, c)
}

// takePrivate gives the attempt what it has to itself.
func (t *try) takePrivate() (leave func(), err error) {
	if t.Private == nil {
		return func() {}, nil
	}
	own, err := t.Private(t.id)
	if err != nil {
		return nil, fmt.Errorf("making a place of its own for phase %s: %w", t.task.Phase.Label,
			err)
	}
	mine := *t.Runner
	mine.Verifier, mine.Vars = own.Verifier, maps.Clone(mine.Vars)
	if mine.Vars == nil {
		mine.Vars = make(map[string]string)
	}
	maps.Copy(mine.Vars, own.Vars)
	t.Runner = &mine
	return own.Leave, nil
}

// open opens the workspace. It is clean for the first attempt of a script, unless the user may have
// repaired what a failed one left behind, and for an attempt that starts from the line as it
// stands.
func (t *try) open(ctx context.Context) error {
	clean := t.task.Fresh || t.Clean && t.task.Attempt == 1 && t.task.Was != state.Failed
	t.before = t.Baseline.Failed() // first: what lands meanwhile may only make it too lenient
	tree, err := t.Workspace.Open(ctx, t.id, clean)
	if work, ok := errors.AsType[*WorkError](err); ok {
		t.untakeable(work)
		return t.fail(ctx)
	}
	if conflict, ok := errors.AsType[*ConflictError](err); ok {
		t.conflict(conflict)
		return t.fail(ctx)
	}
	if install, ok := errors.AsType[*InstallError](err); ok {
		return t.uninstallable(ctx, install.Gate)
	}
	if err != nil {
		return fmt.Errorf("opening the workspace: %w", err)
	}
	t.tree = tree
	t.seen.Shared = tree.Branch == ""
	t.record.Dir, t.record.Branch, t.record.Base = tree.Dir, tree.Branch, tree.Base
	if t.Place != nil {
		t.record.Dir = t.Place(tree.Dir)
	}
	// at the end they must still be there to be read
	t.record.Warnings = append(t.record.Warnings, tree.Notes...)
	for _, note := range tree.Notes {
		t.report(state.Event{Type: state.Notice, Text: note})
	}
	return nil
}

// prefix names the logs of this attempt.
func (t *try) prefix() string { return "phase-" + t.id + "." + strconv.Itoa(t.task.Attempt) }

// setup prepares the workspace. Its failure is no fault of the agent, which has not begun.
func (t *try) setup(ctx context.Context) error {
	err := t.prepare(ctx, t.tree.Dir, t.prefix(),
		slices.Concat(t.tree.Setup, t.Setup, t.task.Phase.Setup))
	if err != nil {
		return err
	}
	return t.prevent(ctx)
}

// prepare runs commands in dir, every one of which must succeed.
func (t *try) prepare(ctx context.Context, dir, prefix string, commands []string) error {
	if len(commands) == 0 {
		return nil
	}
	failed, err := t.Verifier.Setup(ctx, dir, prefix, commands)
	if err != nil {
		return fmt.Errorf("setting up the workspace: %w", err)
	}
	if failed != nil {
		return t.uninstallable(ctx, *failed)
	}
	return nil
}

// uninstallable is the failure of a command that prepares the work.
func (t *try) uninstallable(ctx context.Context, failed state.Gate) error {
	g := t.gateRun(failed)
	t.seen.Setup = &g
	return t.fail(ctx)
}

// work lets the agent do it, and reads what it claims.
func (t *try) work(ctx context.Context) error {
	log, name, err := t.Log(t.prefix() + ".log")
	if err != nil {
		return fmt.Errorf("opening the agent's log: %w", err)
	}
	defer log.Close() //nolint:errcheck // the agent's words: what could be written is there
	t.record.Log = name
	scratch, remove, err := t.Scratch()
	if err != nil {
		return fmt.Errorf("making a private directory for the agent: %w", err)
	}
	defer remove()
	resultFile := filepath.Join(scratch, "result.json")
	t.gates = t.Gates(t.tree.Dir, t.task.Phase)
	out, err := t.drive(ctx, Job{
		Prompt: t.prompt(), Script: t.scripts(), Dir: t.tree.Dir, Env: t.environ(resultFile, t.nonce),
		Scratch: scratch,
		Log:     log, Activity: t.activity, Timeout: t.Timeout, Idle: t.Idle, Model: t.who.Model,
		Done: func(text string) bool { return t.over(text, resultFile) },
	})
	strayed, looked := t.stray(ctx)
	if err != nil {
		return fmt.Errorf("running agent %s: %w", t.who.Uses, err)
	}
	if err := context.Cause(ctx); err != nil {
		return err // stopped from outside: what it says now means nothing
	}
	t.listen(out, resultFile)
	// else nothing is verified, and the end of the attempt says it all
	if t.stopped == nil || t.seen.Claim != nil {
		t.report(state.Event{
			Type: state.AgentFinished, Usage: &t.record.Usage,
			Text: t.record.Claimed(),
		})
	}
	if looked != nil {
		return looked
	}
	if strayed {
		t.glance(ctx, out)
		return t.fail(ctx)
	}
	if err := t.broke(ctx, out); err != nil {
		return err
	}
	if t.hopeless(out) {
		t.glance(ctx, out)
		return t.fail(ctx)
	}
	return nil
}

// untakeable notes why the work cannot be taken as it is.
func (t *try) untakeable(work *WorkError) { t.seen.Work, t.seen.Nested = work.Reason, work.Nested }

// prompt is the text that the agent gets. Advice that the phase's section contradicts is left out
// of it and recorded.
func (t *try) prompt() string {
	p, left := t.draft().WithoutContradictions()
	t.record.Warnings = append(t.record.Warnings, left...)
	return p.String()
}

// draft is everything that the prompt may say.
func (t *try) draft() prompt.Prompt {
	return prompt.Prompt{
		Task: t.task, Plan: t.Plan, Gates: t.gates, Before: t.before, Nonce: t.nonce,
		Tree:   prompt.Tree{Base: t.tree.Base, Kept: t.tree.Kept, Reused: t.tree.Reused},
		Strong: !t.who.Weak, Known: t.lessons(),
	}
}

func (t *try) scripts() []string {
	texts := make([]string, len(t.task.Phase.Script))
	for i, block := range t.task.Phase.Script {
		texts[i] = block.Text
	}
	return texts
}

func (t *try) activity(line string, quiet time.Duration) {
	t.report(state.Event{Type: state.Activity, Text: line, Quiet: quiet})
}

// environ is the environment of an agent.
func (t *try) environ(resultFile, nonce string) []string {
	set := map[string]string{
		"AUTOBUILD_RUN_ID":      t.RunID,
		"AUTOBUILD_PHASE_ID":    t.id,
		"AUTOBUILD_PHASE_LABEL": t.task.Phase.Label,
		"AUTOBUILD_ATTEMPT":     strconv.Itoa(t.task.Attempt),
		"AUTOBUILD_NONCE":       nonce,
		"AUTOBUILD_RESULT_FILE": resultFile,
	}
	maps.Copy(set, t.Vars)
	env := t.Env
	if t.Root != "" && t.tree.Branch != "" {
		env = prepare.Env(env, t.Root, t.tree.Dir)
	}
	return proc.Environ(env, set)
}

// fail turns what was seen into the phase's failure.
func (t *try) fail(ctx context.Context) error {
	if t.record.Verdict == "" {
		t.record.Verdict = state.Refused
	}
	t.seen.Near, t.seen.InCheckout = t.near(ctx)
	t.seen.Confined = t.Denied != nil
	if t.Denied != nil {
		for _, text := range diagnose.Messages(t.seen) {
			t.seen.Denied = append(t.seen.Denied, t.Denied(t.tree.Dir, text)...)
		}
	}
	t.seen.Flaky = append(t.seen.Flaky, wavered(t.task.Earlier)...)
	d := diagnose.From(t.seen)
	if t.Memory != nil {
		d.Match = t.Memory.Match(d)
	}
	return &failure.Failure{Diagnosis: d}
}

// stamp is the present time.
func (t *try) stamp() time.Time {
	if t.Now == nil {
		return time.Now()
	}
	return t.Now()
}
