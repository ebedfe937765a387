package attempt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/proc"
	"autobuild/state"
)

// ConflictError says that work could not be merged: two phases, or a phase and the user, changed the same lines.
type ConflictError struct {
	Files      []failure.Conflict
	Merge      string // the command that takes a person to the conflict; may be empty
	Unresolved bool   // a person began to merge and has not come to the end
}

// Error names the files.
func (e *ConflictError) Error() string {
	names := make([]string, len(e.Files))
	for i, f := range e.Files {
		names[i] = f.File
	}
	return "conflict in " + strings.Join(names, ", ")
}

// WorkError says that a phase's work cannot be taken as it is: its directory is gone, or holds a repository of its own.
type WorkError struct {
	Reason string
}

// Error is the reason.
func (e *WorkError) Error() string { return e.Reason }

// try is one attempt as it goes on.
type try struct {
	*Runner
	task   state.Task
	report func(state.Event)
	id     string
	nonce  string
	tree   Tree
	gates  []state.GateSpec
	record state.Attempt
	seen   failure.Evidence
}

// Attempt makes one attempt. See orchestrator.Worker for what its errors mean.
func (r *Runner) Attempt(ctx context.Context, task state.Task, report func(state.Event)) (state.Attempt, error) {
	t := &try{Runner: r, task: task, report: report, id: task.Phase.ID, nonce: r.Nonce()}
	t.record = state.Attempt{N: task.Attempt, Key: task.Key, Agent: r.Name, Model: r.Model}
	err := t.run(ctx)
	return t.record, err
}

// run is the story: open, set up, let the agent work, look for yourself, land.
func (t *try) run(ctx context.Context) error {
	if err := t.open(ctx); err != nil {
		return err
	}
	if err := t.setup(ctx); err != nil {
		return err
	}
	if err := t.work(ctx); err != nil {
		return err
	}
	if err := t.verify(ctx); err != nil {
		return err
	}
	return t.land(ctx)
}

// open gets the workspace. A script's first attempt wants it untouched, unless a person may have mended what a failed
// one left behind.
func (t *try) open(ctx context.Context) error {
	clean := t.Clean && t.task.Attempt == 1 && t.task.Was != state.Failed
	tree, err := t.Workspace.Open(ctx, t.id, clean)
	if work, ok := errors.AsType[*WorkError](err); ok {
		t.seen.Work = work.Reason
		return t.fail()
	}
	if conflict, ok := errors.AsType[*ConflictError](err); ok {
		t.conflict(conflict)
		return t.fail()
	}
	if err != nil {
		return fmt.Errorf("opening the workspace: %w", err)
	}
	t.tree = tree
	t.record.Dir, t.record.Branch, t.record.Base = tree.Dir, tree.Branch, tree.Base
	if t.Place != nil {
		t.record.Dir = t.Place(tree.Dir)
	}
	t.record.Warnings = append(t.record.Warnings, tree.Notes...) // at the end they must still be there to be read
	for _, note := range tree.Notes {
		t.report(state.Event{Type: state.Notice, Text: note})
	}
	return nil
}

// prefix names the logs of this attempt.
func (t *try) prefix() string { return "phase-" + t.id + "." + strconv.Itoa(t.task.Attempt) }

// setup prepares the workspace. Its failure is no fault of the agent, which has not begun.
func (t *try) setup(ctx context.Context) error {
	commands := append(slices.Clone(t.Setup), t.task.Phase.Setup...)
	if len(commands) == 0 {
		return nil
	}
	failed, err := t.Verifier.Setup(ctx, t.tree.Dir, t.prefix(), commands)
	if err != nil {
		return fmt.Errorf("setting up the workspace: %w", err)
	}
	if failed != nil {
		g := t.gateRun(*failed)
		t.seen.Setup = &g
		return t.fail()
	}
	return nil
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
	out, err := t.Agent.Run(ctx, Job{
		Prompt: prompt{task: t.task, plan: t.Plan, gates: t.gates, nonce: t.nonce, reused: t.tree.Reused}.String(),
		Script: t.scripts(), Dir: t.tree.Dir, Env: t.environ(resultFile), Scratch: scratch,
		Log: log, Activity: t.activity, Timeout: t.Timeout, Idle: t.Idle, Model: t.Model,
	})
	if err != nil {
		return fmt.Errorf("running agent %s: %w", t.Name, err)
	}
	if err := context.Cause(ctx); err != nil {
		return err // stopped from outside: what it says now means nothing
	}
	t.listen(out, resultFile)
	t.report(state.Event{Type: state.AgentFinished, Usage: &t.record.Usage, Text: t.record.Claimed()})
	if t.hopeless(out) {
		return t.fail()
	}
	return nil
}

func (t *try) scripts() []string {
	texts := make([]string, len(t.task.Phase.Script))
	for i, block := range t.task.Phase.Script {
		texts[i] = block.Text
	}
	return texts
}

func (t *try) activity(line string) {
	t.report(state.Event{Type: state.Activity, Text: line})
}

// environ is what every agent is told through its environment.
func (t *try) environ(resultFile string) []string {
	set := map[string]string{
		"AUTOBUILD_RUN_ID":      t.RunID,
		"AUTOBUILD_PHASE_ID":    t.id,
		"AUTOBUILD_ATTEMPT":     strconv.Itoa(t.task.Attempt),
		"AUTOBUILD_NONCE":       t.nonce,
		"AUTOBUILD_RESULT_FILE": resultFile,
	}
	maps.Copy(set, t.Vars)
	return proc.Environ(t.Env, set)
}

// listen records how the agent ended and what it claims.
func (t *try) listen(out Outcome, resultFile string) {
	t.record.ExitCode, t.record.Session = out.ExitCode, out.Session
	if out.Model != "" {
		t.record.Model = out.Model
	}
	t.record.Usage = state.Usage{CostUSD: out.CostUSD, InputTokens: out.InputTokens, OutputTokens: out.OutputTokens}
	t.seen.Agent = t.agentRun(out)

	if len(out.Denied) > 0 {
		t.record.Warnings = append(t.record.Warnings, "the agent was denied: "+strings.Join(out.Denied, ", "))
	}
	report, err := t.claim(out, resultFile)
	if err != nil {
		t.seen.ParseNote = err.Error()
		return
	}
	t.record.Report, t.record.Tasks = report, report.Tasks
	t.seen.Tasks = report.Tasks
	t.seen.Claim = &failure.Claim{Complete: report.Complete, Error: report.Error, Type: failure.Type(report.ErrType), Gates: claimedGates(report)}
}

// claim finds the result: in the file that the agent may write, else in its final message. An agent that knows no
// result block claims by its exit code.
func (t *try) claim(out Outcome, resultFile string) (*state.Report, error) {
	if !out.Claims {
		n := len(t.task.Phase.Tasks)
		done := n
		// Only a program that ended by itself says something by its exit code.
		ended := out.Err == "" && out.Signal == "" && !out.TimedOut
		if !ended || out.ExitCode != 0 {
			done = 0
		}
		return &state.Report{Complete: ended && out.ExitCode == 0, Implied: true, Tasks: failure.TaskCount{Total: n, Done: done}}, nil
	}
	raw, err := readSmall(resultFile)
	if err != nil {
		return parseResult(out.Final, t.id, t.nonce)
	}
	written, why := t.written(raw)
	if why == nil {
		return written, nil
	}
	if said, err := parseResult(out.Final, t.id, t.nonce); err == nil {
		return said, nil
	}
	return nil, fmt.Errorf("in the result file: %w", why)
}

// written reads a result file: the object alone, or a text with a fenced block as a final message has it.
func (t *try) written(raw string) (*state.Report, error) {
	report, alone := decodeBlock(raw, t.id, t.nonce)
	if alone == nil {
		return report, nil
	}
	report, err := parseResult(raw, t.id, t.nonce)
	if errors.Is(err, errNoBlock) {
		return nil, alone
	}
	return report, err
}

// readSmall reads a file that an agent wrote: a regular one of bounded size, not behind a link.
func readSmall(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > maxBlock {
		return "", errors.New("it is not a small regular file")
	}
	raw, err := os.ReadFile(path)
	return string(raw), err
}

// hopeless reports whether there is nothing worth verifying: the agent broke, or left no result.
func (t *try) hopeless(out Outcome) bool {
	claimed := t.seen.Claim != nil && t.seen.Claim.Complete
	switch {
	case out.Err != "" || out.Kind != "":
		return true
	case t.seen.Claim == nil:
		return true
	case t.record.Report.Implied:
		return !claimed // a script that failed says all there is
	case !claimed:
		// A failed claim may still be an upgrade, when every task is done.
		return t.seen.Tasks.Total > 0 && t.seen.Tasks.Done < t.seen.Tasks.Total && t.seen.Claim.Type != "" && !gateType(t.seen.Claim.Type)
	}
	return false
}

// gateType reports whether a gate can produce failures of this type, so that running it says more than the claim.
func gateType(t failure.Type) bool {
	switch t {
	case failure.TestFailure, failure.LintError, failure.FormatError, failure.TypecheckError, failure.GateFailure:
		return true
	}
	return false
}

// fail turns what was seen into the phase's failure.
func (t *try) fail() error {
	if t.record.Verdict == "" {
		t.record.Verdict = state.Refused
	}
	return &failure.Failure{Diagnosis: failure.Diagnose(t.seen)}
}

// stamp is the present time.
func (t *try) stamp() time.Time {
	if t.Now == nil {
		return time.Now()
	}
	return t.Now()
}
