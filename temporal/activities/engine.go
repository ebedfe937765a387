package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autobuild/internal/safefile"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/session"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/worktree"
	"autobuild/state"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// visit is the engine of a session that does one errand.
type visit struct {
	*Worker
	errand wire.Errand
	spec   dataplane.Spec
	tip    string // of the line on the remote
	from   string // where the session begins
	beat   *beat
	said   *dataplane.Record // of the attempt that is judged again; nil: none
	repo   dataplane.Git
	now    func() time.Time // the server's clock

	settled  bool // the session knows what it is for
	began    bool
	err      error // of the machinery, for the record
	record   dataplane.Record
	outcome  wire.Outcome
	stateDir string
	ended    error // the cause of an interruption
}

// Away is false: the attempt is made here.
func (*visit) Away() bool { return false }

// Configure gives the session the run that it works for.
func (v *visit) Configure(c *state.Config) {
	v.settled = true
	c.RunID, c.Started, c.Base, c.Branch = v.spec.Run, v.spec.Started, v.spec.Base, v.spec.Branch
}

// Accepts is nil: the starter has looked.
func (*visit) Accepts(session.Parts) error { return nil }

// Elsewhere is nothing: a clone has no stored run.
func (*visit) Elsewhere(
	context.Context, *call.Project, string, *state.Run,
) (session.Elsewhere, error) {
	return session.Elsewhere{}, nil
}

// Run does the errand with what the session has prepared.
func (v *visit) Run(ctx context.Context, p session.Parts) error {
	v.began, v.stateDir = true, p.Project.StateDir
	if v.errand.Phase == "" {
		return v.judgeWhole(ctx, p)
	}
	return v.tryPhase(ctx, p)
}

// judgeWhole runs the final gates.
func (v *visit) judgeWhole(ctx context.Context, p session.Parts) error {
	if p.Local.Final == nil {
		return nil
	}
	v.beat.stage("gates")
	gates, err := p.Local.Final(ctx, false, v.report) // a visit keeps no build folders
	v.record.Gates, v.outcome.Gates = gates, wire.ThinGates(gates)
	return v.noted(ctx, err)
}

// noted keeps an error of the machinery for the record; that of a cancelled context ends the visit.
func (v *visit) noted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		v.ended = context.Cause(ctx)
		return v.ended
	}
	v.err = err
	return nil
}

// report keeps the events of the attempt for the record.
func (v *visit) report(e state.Event) {
	switch e.Type {
	case state.Activity:
		v.beat.stage("agent")
		return
	case state.GateStarted, state.AgentFinished:
		v.beat.stage("gates")
	}
	if e.Type.Lifecycle() || !e.Type.Kept() {
		return
	}
	v.beat.mu.Lock()
	defer v.beat.mu.Unlock()
	e.Time, e.Phase, e.Attempt = v.now().UTC(), v.errand.Phase, v.errand.Attempt
	v.record.Events = append(v.record.Events, e)
}

// tryPhase makes the attempt, decides what its policy says of a failure, and keeps unfinished work.
func (v *visit) tryPhase(ctx context.Context, p session.Parts) error {
	made, ok := p.Local.Worker.(*attempt.Runner)
	if !ok {
		return errors.New("the session has no runner of attempts")
	}
	run, err := v.hydrate(ctx, p)
	if err != nil {
		return err
	}
	options := p.Local.Options
	i, ok := p.Local.Plan.Index(v.errand.Phase)
	if !ok {
		return fmt.Errorf("the plan has no phase %s", v.errand.Phase)
	}
	runner := v.listening(*made, p)
	v.beat.stage("agent")
	task := orchestrator.NewTask(p.Local.Plan, run, options, i)
	task.Fresh = task.Fresh && v.said == nil // else the work is to be judged as it is
	stop := v.tailing(ctx)
	result, err := runner.Attempt(ctx, task, v.report)
	stop()
	v.record.Result = result.Attempt
	v.outcome.Result = state.Result{
		Attempt: wire.ThinAttempt(result.Attempt), Spent: result.Spent,
	}
	if err != nil {
		v.outcome.Interrupted = ctx.Err() != nil
		return v.noted(ctx, err)
	}
	if result.Attempt.Failure != nil {
		phase, _ := run.Find(v.errand.Phase)
		last, _ := phase.Last()
		decided := result.Attempt
		decided.Key = last.Key
		d := options.Decide(run, phase, decided)
		v.record.Result.Decision, v.outcome.Decision = &d, wire.ThinDecision(&d)
		return v.keepWork(ctx, p, result.Attempt)
	}
	if c := result.Attempt.Commit; c != nil && result.Spent == "" {
		v.outcome.Ref.Commit = c.SHA
	}
	return nil
}

// keepWork makes a commit of unfinished work, on its base, so that a retry goes on from it wherever
// it is made.
func (v *visit) keepWork(ctx context.Context, p session.Parts, a state.Attempt) error {
	space, ok := p.Space.(*workspace.Worktrees)
	if !ok || a.Base == "" {
		return nil
	}
	dir := space.Line.Worktree(v.errand.Phase)
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	tree, err := space.Line.Work(ctx, worktree.Tree{
		Phase: v.errand.Phase, Dir: dir, Base: a.Base,
		Branch: "refs/heads/autobuild/" + v.errand.Run + "/" + v.errand.Phase,
	})
	if err != nil {
		v.note("the work of %s is not kept: %v", v.errand.Phase, err)
		return nil
	}
	base, err := v.repo.Run(ctx, "rev-parse", a.Base+"^{tree}")
	if err != nil || base == tree {
		return err
	}
	work, err := v.repo.Commit(ctx, tree, "unfinished work of "+v.errand.Phase, a.Base)
	if err != nil {
		return err
	}
	what, err := v.repo.Secret(ctx, work)
	if what != "" {
		ref := fmt.Sprintf("refs/unpushed/%s/%s/%d", v.errand.Run, v.errand.Phase, v.errand.Attempt)
		v.note("the work of %s is not pushed, because it holds %s; it is %s in %s", v.errand.Phase,
			what, ref, v.Mirror.Dir)
		if err = v.Mirror.Adopt(ctx, v.repo, work); err == nil {
			_, err = v.Mirror.Run(ctx, "update-ref", ref, work)
		}
		return err
	}
	v.outcome.Ref.Work = work
	return err
}

// hydrate makes of an errand the run as far as a task is made of it: the stored run of the session,
// what happened since as the errand says it, and the whole attempts from their records.
func (v *visit) hydrate(ctx context.Context, p session.Parts) (*state.Run, error) {
	run := v.spec.Stored
	statuses, err := wire.Statuses(v.errand.Statuses, p.Local.Plan.Len())
	if err != nil {
		return nil, err
	}
	if run == nil || len(run.Phases) != len(statuses) || len(statuses) != p.Local.Plan.Len() {
		return nil, errors.New("the errand and the plan do not have the same phases")
	}
	for i := range run.Phases {
		phase := &run.Phases[i]
		phase.Status = statuses[i]
		standing, ok := v.errand.Phases[phase.ID]
		if !ok {
			continue
		}
		if err = v.whole(ctx, phase, standing); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// whole makes of a phase as it was stored the phase as it stands.
func (v *visit) whole(ctx context.Context, phase *state.Phase, s wire.Standing) error {
	notes := phase.Notes
	known := make(map[string]state.Attempt)
	for _, a := range phase.Attempts {
		known[a.Key] = a
	}
	stored := wire.Phase{ID: phase.ID, Label: phase.Label, Name: phase.Name, Standing: s}.Restore()
	past := phase.Past
	stored.Fingerprint, stored.Name, stored.Created = phase.Fingerprint, phase.Name, phase.Created
	stored.DependsOn, stored.Label = phase.DependsOn, phase.Label
	if err := v.readNotes(ctx, stored.Notes, notes); err != nil {
		return err
	}
	for i, a := range stored.Attempts {
		full, ok := known[a.Key]
		for _, ref := range v.errand.Refs[phase.ID] {
			if ref.Key != a.Key || ref.Record == "" || ok {
				continue
			}
			if err := v.Mirror.Fetch(ctx, ref.Record); err != nil {
				return err
			}
			r, err := dataplane.ReadRecord(ctx, v.Mirror.Git, ref.Record)
			if err != nil {
				return err
			}
			full, ok = Merged(a, r), true
		}
		if !ok {
			continue
		}
		stored.Attempts[i] = full
		if _, old := known[a.Key]; !old && full.Failure != nil && full.Decision != nil {
			past = append(past, full.Failure.Earlier(full.Changes.Paths(), full.Decision.Action))
		}
	}
	if n := len(stored.Past); n > 0 && n <= len(past) {
		stored.Past = slices.Clone(past[len(past)-n:])
	}
	if s.Commit != nil && phase.Commit == nil {
		message, err := v.repo.Run(ctx, "log", "-1", "--format=%B", s.Commit.SHA)
		if err == nil {
			stored.Commit = &state.Commit{SHA: s.Commit.SHA, Message: message}
		}
	} else {
		stored.Commit = phase.Commit
	}
	*phase = stored
	return nil
}

// readNotes puts the texts of a phase's notes in their places: old ones are in the spec, later ones
// are commands.
func (v *visit) readNotes(ctx context.Context, notes, old []state.Note) error {
	for i, n := range notes {
		if n.Text == "" && i < len(old) {
			notes[i].Text = old[i].Text
			continue
		}
		if err := v.Mirror.Fetch(ctx, n.Text); err != nil {
			return err
		}
		c, err := dataplane.ReadCommand(ctx, v.Mirror.Git, n.Text)
		if err != nil {
			return err
		}
		notes[i].Text = strings.TrimSpace(c.Text)
	}
	return nil
}

// Merged is the whole attempt: what travelled, and what its record says besides.
func Merged(thin state.Attempt, r dataplane.Record) state.Attempt {
	full := r.Result
	full.N, full.Key, full.Started, full.Ended = thin.N, thin.Key, thin.Started, thin.Ended
	full.Duration, full.Account, full.Agent = thin.Duration, thin.Account, cmp.Or(full.Agent, thin.Agent)
	if thin.Decision != nil {
		d := *thin.Decision
		if r.Result.Decision != nil {
			d.Rationale = r.Result.Decision.Rationale + d.Rationale
		}
		full.Decision = &d
	} else {
		full.Decision = nil
	}
	if thin.Failure == nil {
		full.Failure = nil
	}
	if thin.Commit != nil && full.Commit != nil {
		c := *full.Commit
		c.SHA = thin.Commit.SHA
		full.Commit = &c
	}
	return full
}

// listening is a runner that writes down what its agent says, or repeats what was written down.
func (v *visit) listening(r attempt.Runner, p session.Parts) *attempt.Runner {
	nonce := r.Nonce()
	if v.said != nil {
		nonce = v.said.Nonce
	}
	v.record.Nonce = nonce
	r.Nonce = func() string { return nonce }
	limits := p.Spec.Limits
	r.Meter = attempt.NewMeter(attempt.Budget{CostUSD: limits.CostUSD, Tokens: limits.Tokens},
		v.errand.Spent)
	wrap := func(a attempt.Agent) attempt.Agent {
		if a == nil {
			return nil
		}
		if v.said != nil {
			return repeating{v, p.Space}
		}
		return recording{a, v}
	}
	r.Agent, r.Clean = wrap(r.Agent), r.Clean && v.said == nil
	if choose := r.For; choose != nil {
		r.For = func(phase, agent string) attempt.Choice {
			c := choose(phase, agent)
			c.Agent, c.Clean = wrap(c.Agent), c.Clean && v.said == nil
			return c
		}
	}
	r.Tiers = slices.Clone(r.Tiers)
	for i := range r.Tiers {
		r.Tiers[i].Agent = wrap(r.Tiers[i].Agent)
	}
	return &r
}

// recording is an agent whose words are kept.
type recording struct {
	attempt.Agent
	v *visit
}

// Run lets the agent work.
func (a recording) Run(ctx context.Context, job attempt.Job) (attempt.Outcome, error) {
	out, err := a.Agent.Run(ctx, job)
	a.v.record.Said = out
	if raw, failed := safefile.Read(filepath.Join(job.Scratch, "result.json"), wire.MaxOutcome); failed == nil {
		a.v.record.File = string(raw)
	}
	return out, err
}

// repeating is the agent of an attempt that was made elsewhere: its work is in the worktree.
type repeating struct {
	v     *visit
	space workspace.Space
}

// Run says what the agent has said. Meanwhile the line moves, as it did while the agent was at
// work.
func (a repeating) Run(ctx context.Context, job attempt.Job) (attempt.Outcome, error) {
	said := a.v.said
	if space, ok := a.space.(*workspace.Worktrees); ok {
		if err := space.Line.Adopt(ctx, a.v.tip); err != nil {
			return attempt.Outcome{}, err
		}
	}
	a.v.record.Said, a.v.record.File = said.Said, said.File
	if said.File != "" {
		err := safefile.Write(filepath.Join(job.Scratch, "result.json"), []byte(said.File), 0o600)
		if err != nil {
			return attempt.Outcome{}, err
		}
	}
	return said.Said, nil
}

// leave pushes what the errand left, and returns its outcome. A worker that made the same attempt
// at the same time and was first is right.
func (v *visit) leave(ctx context.Context) (wire.Outcome, error) {
	e := v.errand
	v.outcome.Worker, v.outcome.Ref.Key, v.outcome.Ref.Attempt = v.Name, e.Key, e.Attempt
	if v.err != nil {
		v.outcome.Broken, v.record.Err = true, v.err.Error()
		v.note("%s: %v", phaseOf(e), v.err)
	}
	leases := map[string]string{}
	var specs []string
	if left := cmp.Or(v.outcome.Ref.Commit, v.outcome.Ref.Work); left != "" && v.said == nil {
		branch := dataplane.Branch(e.Run, e.Phase, e.Attempt, left)
		v.outcome.Ref.Branch = branch
		specs = append(specs, "+"+left+":"+dataplane.Head(branch))
	}
	v.record.Outcome = v.outcome
	logs := ""
	if v.stateDir != "" {
		logs = filepath.Join(v.stateDir, "logs")
	}
	record, err := dataplane.WriteRecord(ctx, v.repo, v.record, logs)
	if err != nil {
		return v.outcome, err
	}
	v.outcome.Ref.Record = record
	kept := []string{record}
	for _, id := range []string{v.outcome.Ref.Commit, v.outcome.Ref.Work} {
		if id != "" {
			kept = append(kept, id)
		}
	}
	if err = v.Mirror.Adopt(ctx, v.repo, kept...); err != nil || v.said != nil {
		return v.outcome, err // integrate pushes the record with the line
	}
	ref := dataplane.RecordRef(e.Run, phaseOf(e), e.Key)
	if len(e.Avoid) == 0 {
		leases[ref] = ""
	}
	specs = append(specs, "+"+record+":"+ref)
	v.beat.stage("git")
	err = v.Mirror.Push(ctx, v.repo, leases, specs...)
	if errors.Is(err, dataplane.ErrMoved) {
		if out, ok, failed := v.found(ctx, e); ok {
			return out, failed
		}
	}
	return v.outcome, err
}
