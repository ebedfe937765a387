package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session/confine"
	"autobuild/orchestrator/session/resume"
	"autobuild/orchestrator/session/workspace"
	"autobuild/orchestrator/tamper"
	"autobuild/plan"
	"autobuild/state"
)

// lookAtPlan is how often the plan is looked at. A text counts as saved once it has stayed the same
// from one look to the next.
const lookAtPlan = 500 * time.Millisecond

// Doubt says why an edit is not taken by itself.
const Doubt = "an agent that can write it was at work when it was saved; if the edit is yours, stop " +
	"the run and go on with --resume=edited"

// planEdits finds what a user saves in the plan while the run goes on. A text that appeared while a
// program of the run was at work that could have written it does not count by itself: a command of
// the user says that it does.
type planEdits struct {
	path  string
	read  func() (workspace.Marks, error)
	parse func([]byte) (workspace.Marks, error)
	edit  func(edited workspace.Marks) local.Edit
	alone bool // no program of the run can write the plan

	mu       sync.Mutex
	plan     *plan.Plan   // by which the run goes
	stamp    tamper.Stamp // of the file at the last look
	unread   bool         // the file has changed since it was read
	doubtful bool         // a program of the run may have written it
	running  int          // attempts
	started  bool         // an attempt has started, or was running, since the last look
}

// Event counts the attempts in work. A start is heard before the attempt begins, an end after it.
func (e *planEdits) Event(event state.Event, _ *state.Run) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch event.Type {
	case state.PhaseStarted:
		e.running++
		e.started = true
	case state.AttemptFinished, state.PhaseInterrupted:
		e.running = max(0, e.running-1)
	}
	return nil
}

// watch looks at the plan until ctx ends, and passes on what was saved, each text once.
func (e *planEdits) watch(ctx context.Context, pass chan<- local.Edit) {
	tick := time.NewTicker(lookAtPlan)
	defer tick.Stop()
	for {
		if found, ok := e.look(); ok {
			select {
			case pass <- found:
			case <-ctx.Done():
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look compares the file with the last look, and reads it once it has settled.
func (e *planEdits) look() (found local.Edit, ok bool) {
	e.mu.Lock()
	now, was := tamper.StampOf(e.path), e.stamp
	if now != was {
		e.unread = true
		e.doubtful = e.doubtful || !e.alone && e.started
	}
	e.stamp, e.started = now, e.running > 0
	settled := e.unread && now == was
	e.mu.Unlock()
	if !settled {
		return found, false
	}
	edited, err := e.read()
	e.mu.Lock()
	defer e.mu.Unlock()
	if tamper.StampOf(e.path) != now {
		return found, false // it is being written
	}
	e.unread = false
	switch {
	case err != nil:
		return local.Edit{Why: err.Error()}, true
	case orchestrator.SamePlan(e.plan, edited.Plan):
		e.doubtful = false
		return found, false
	case e.doubtful:
		return local.Edit{Why: Doubt}, true
	}
	return e.edit(edited), true
}

// reload is the plan as it is saved now, because a user asks for it.
func (e *planEdits) reload() local.Edit {
	edited, err := e.read()
	if err != nil {
		return local.Edit{Why: err.Error()}
	}
	return e.edit(edited)
}

// of is the edit to a text that is known, whatever is saved by now.
func (e *planEdits) of(text string) (local.Edit, error) {
	edited, err := e.parse([]byte(text))
	if err != nil {
		return local.Edit{}, err
	}
	return e.edit(edited), nil
}

// doubts reports whether the plan asks for something else than what the run goes by, and a program
// of the run can have written that.
func (e *planEdits) doubts() bool {
	e.mu.Lock()
	doubtful := e.doubtful || !e.alone && e.started && tamper.StampOf(e.path) != e.stamp
	was := e.plan
	e.mu.Unlock()
	if !doubtful {
		return false
	}
	edited, err := e.read()
	return err != nil || !orchestrator.SamePlan(was, edited.Plan)
}

// taken is called when the run goes by another plan.
func (e *planEdits) taken(p *plan.Plan) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.plan, e.doubtful = p, false
}

// editOf is an edit of the plan. A part of the session that cannot go by it refuses it.
func (s *session) editOf(worker *attempt.Runner) func(workspace.Marks) local.Edit {
	return func(edited workspace.Marks) local.Edit {
		return local.Edit{Plan: edited.Plan, Text: edited.Text(), Settle: func(run *state.Run) (local.Parts, error) {
			return s.settleEdit(run, worker, edited)
		}}
	}
}

// settleEdit makes the parts of the session that depend on the plan. Attempts in work keep theirs.
func (s *session) settleEdit(run *state.Run, worker *attempt.Runner, edited workspace.Marks) (local.Parts, error) {
	p := edited.Plan
	team, err := s.team.Load().Edited(p)
	if err != nil {
		return local.Parts{}, err
	}
	if err = missingGates(s.Call, s.project, p); err != nil {
		return local.Parts{}, err
	}
	selected, err := s.selectEdited(run, p)
	if err != nil {
		return local.Parts{}, err
	}
	next := *worker
	next.Plan, next.For, next.Review = p, team.ChoiceOf, s.reviewer(team)
	return local.Parts{
		Options: s.engineOptions(team, selected.Phases), Worker: &next,
		Take: func() {
			s.plan, s.selected = p, selected
			s.team.Store(team)
			s.marker.Follow(edited)
			s.edits.taken(p)
		},
	}, nil
}

// watchPlan starts the watch on the plan, which ends with the returned function.
func (s *session) watchPlan(ctx context.Context, o *local.Engine, worker *attempt.Runner) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	edits := make(chan local.Edit)
	s.edits = &planEdits{
		path: s.spec.Plan.Path, read: s.marker.Read, parse: s.marker.Parse, edit: s.editOf(worker),
		plan: s.plan, alone: s.planProtected(),
	}
	o.Edits, o.Reload = edits, s.edits.reload
	o.Sinks = append(o.Sinks, s.edits)
	var group sync.WaitGroup
	group.Go(func() { s.edits.watch(ctx, edits) })
	return func() {
		cancel()
		group.Wait()
	}
}

// planProtected reports whether no agent of the run can write the plan: the sandbox keeps them from
// it, or they are blocks of the plan, which are the user's own commands.
func (s *session) planProtected() bool {
	workers := s.Workers()
	if s.box == nil {
		return !slices.ContainsFunc(workers, func(w confine.Worker) bool { return w.Program != "" })
	}
	return s.spec.Config.Isolation == state.Worktree && s.box.Protects(s.spec.Plan.Path)
}

// selectEdited is the part of an edited plan that the session runs.
func (s *session) selectEdited(run *state.Run, p *plan.Plan) (resume.Selection, error) {
	return resume.Select(p, s.spec.Part, resume.Marks(p, s.spec, run), func(id string) bool {
		phase, ok := run.Find(id)
		return ok && phase.Status == state.Complete
	})
}
