package session

import (
	"context"

	"autobuild/internal/call"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/state"
)

// Engine carries out what a session has prepared. Without one, package local does on this machine.
type Engine interface {
	// Configure completes the configuration of a new run before it is stored.
	Configure(c *state.Config)
	// Joins reports whether a stored run goes on without this call: then the session decides
	// nothing about its phases, and begins nothing.
	Joins(ctx context.Context, project *call.Project, run *state.Run) (bool, error)
	// Run takes the run to its end, with the errors of local.Engine.Run.
	Run(ctx context.Context, p Parts) error
}

// MissingEngineError says that the settings ask for an engine that this program does not have.
type MissingEngineError struct{ Name string }

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
