package session

import (
	"context"

	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/state"
	"autobuild/state/store"
)

// Engine carries out what a session has prepared. Without one, package local does on this machine.
type Engine interface {
	// Away reports whether agents run on other machines than this one.
	Away() bool
	// Configure completes the configuration of a new run before it is stored.
	Configure(c *state.Config)
	// Accepts is an error where the engine cannot carry out what has been configured: Run,
	// Spec, Project and Call are known. Nothing has been stored or sent yet.
	Accepts(p Parts) error
	// Elsewhere says what is known of a plan's runs beyond this machine. plan is as state has it;
	// empty: any. run is what is stored here, nil for nothing.
	Elsewhere(
		ctx context.Context, project *call.Project, plan string, run *state.Run,
	) (Elsewhere, error)
	// Run takes the run to its end, with the errors of local.Engine.Run.
	Run(ctx context.Context, p Parts) error
}

// Elsewhere is what an engine knows of a plan's runs beyond this machine. The zero Elsewhere is that
// there is none.
type Elsewhere struct {
	// Joins: the stored run goes on without this call, or has ended unseen. A session that joins
	// decides nothing about its phases, and begins nothing.
	Joins bool
	Open  string // the run that goes on, in words, and how it is ended; empty: none
	Ended string // how something else ended the stored run, in words; empty: nothing has
}

// elsewhere settles whether the run joins one that goes on beyond this machine. A second run of a
// plan beside an open one is refused.
func (s *session) elsewhere(ctx context.Context) error {
	fresh := s.spec.Resume.Fresh
	stored := remoteRun(s.project)
	if s.engine == nil && stored == nil {
		return nil
	}
	if s.remote == nil {
		return &MissingEngineError{Name: stored.Config.Engine}
	}
	at, err := s.remote.Elsewhere(ctx, s.project, s.spec.Plan.Name, stored)
	switch {
	case err != nil && fresh && s.engine == nil:
		s.Note("whether the old run goes on could not be asked: %v", err)
	case err != nil:
		return err //nolint:wrapcheck // it says what was asked
	case at.Open != "" && (s.engine == nil || fresh || !at.Joins):
		return call.Usage(at.Open, "")
	case at.Joins && s.engine == nil && !fresh:
		return call.Usage("run "+stored.Config.RunID+" has ended on its server, and how is not known here",
			"fetch its end: --engine "+stored.Config.Engine+" --resume")
	case at.Ended != "":
		s.Note("%s", at.Ended)
	}
	s.joins = at.Joins && !fresh
	return nil
}

// remoteRun is the stored run that an engine beyond this machine may still carry out; nil: there is
// none.
func remoteRun(p *call.Project) *state.Run {
	if !store.Exists(p.StateDir) {
		return nil
	}
	run, _, err := store.Load(p.StateDir, nil)
	if err != nil || run.End != nil || run.Config.Engine == "" {
		return nil // the session itself says what is wrong
	}
	return run
}

// MissingEngineError says that the settings ask for an engine that this program does not have.
type MissingEngineError struct {
	Name   string
	Stored bool // a stored run may go on there
}

// Error names the engine and how it is built.
func (e *MissingEngineError) Error() string {
	return "engine " + e.Name + " is a program of its own, autobuild-" + e.Name +
		", and it is not on PATH; build it in a clone of autobuild: (cd " + e.Name +
		" && go install ./cmd/autobuild-" + e.Name + ")"
}

// Parts are what a session hands to an Engine.
type Parts struct {
	Local   *local.Engine
	Run     *state.Run
	Session *orchestrator.Session // nil: the run has begun, see Joins
	Spec    spec.RunSpec
	Project *call.Project
	Space   workspace.Space
	Call    *call.Call
	Kill    <-chan struct{} // closed when the user does not want to wait for agents
	// Attached is called once a run that was joined has been mirrored as far as it has come; nil
	// where nothing waits for that.
	Attached func() error
	// WatchPlan makes Local.Edits and Local.Reload pass on what is saved in the plan, until the
	// returned function is called.
	WatchPlan func() (stop func())
	// PlanProtected says that no agent of the run can write the plan.
	PlanProtected bool
	// Edit is the edit of the plan to a text.
	Edit func(text string) (local.Edit, error)
}

// carryOut runs what has been prepared.
func (s *session) carryOut(
	ctx context.Context, e *local.Engine, worker *attempt.Runner,
) error {
	if s.engine == nil {
		return e.Run(ctx, s.run, s.begin)
	}
	parts := Parts{
		Local: e, Run: s.run, Session: &s.begin, Spec: s.spec, Project: s.project,
		Space: s.space, Call: s.Call, Kill: s.runner.Kill,
		PlanProtected: s.planProtected(),
		WatchPlan:     func() func() { return s.watchPlan(ctx, e, worker) },
		Edit:          func(text string) (local.Edit, error) { return s.edits.of(text) },
	}
	if s.joins {
		parts.Session, parts.Attached = nil, s.leaveCaller
	}
	return s.engine.Run(ctx, parts)
}
