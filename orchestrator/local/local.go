// Package local runs a plan on one machine: one goroutine owns the run, asks package orchestrator
// what to do, starts workers and takes their results from a channel. Every event goes one way: it
// is stamped and applied, then saved, then shown, and only then acted upon. The package does not
// know agents, git, processes, files or terminals, and decides nothing about phases.
package local

import (
	"context"
	"time"

	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
)

// DefaultHeartbeat is the silence after which an Engine emits a heartbeat.
const DefaultHeartbeat = 60 * time.Second

// Engine runs a plan. Plan, Worker, Options.Policy and Key are required; every other field has a
// default.
type Engine struct {
	Plan    *plan.Plan
	Worker  orchestrator.Worker
	Sinks   []orchestrator.Sink // in this order: the one that saves comes first
	Options orchestrator.Options
	// Heartbeat is the time without an event, activity excepted; 0 is DefaultHeartbeat, negative
	// none.
	Heartbeat time.Duration
	Now       func() time.Time // the wall clock; nil is time.Now
	// Slept is how long the machine has slept so far; nil where that is unknown.
	Slept func() time.Duration
	Key   func() string // a new random word for every attempt
	// GoOn receives when the user does not want to wait for usage limits; may be nil.
	GoOn <-chan struct{}
	// Requests receives commands of the user for the run; may be nil.
	Requests <-chan orchestrator.Request
	// Edits receives plans that the user has saved while the run goes on; may be nil.
	Edits <-chan Edit
	// Reload reads the plan as it is saved now, at a command of the user; nil: it cannot be read.
	Reload func() Edit
	Final  FinalGates // of the plan as a whole; nil: there are none
	// Closing does the last work of a session before its end is recorded, and may complete the end.
	// Its error is that of the run where there is none yet. May be nil.
	Closing func(ctx context.Context, end *state.End, cause error) error
}

// FinalGates runs the gates that the plan states for the whole and reports an event for each. With
// warm, the result of state.Run.Warm, the gates of the phases run too, on a clean build. A failed
// gate is a result; an error is autobuild's own, or the context's.
type FinalGates func(ctx context.Context, warm bool, report func(state.Event)) ([]state.Gate, error)

// Run takes the run from where it stands to an end: a fresh run is the zero Run and a session that
// starts it, a resumed one has been loaded. It returns nil when every selected phase is complete,
// an *orchestrator.HaltError when phases failed, an *orchestrator.StopError at a budget or limit,
// the cause of ctx when that ended it, and any other error when autobuild itself could not go on.
// In each case the end has been recorded, unless recording is what failed.
//
// The loop asks orchestrator.Next and starts what it says; then it waits for the first of a worker,
// a timer and the user, records what they report, and asks again. It ends when nothing runs and
// Next has nothing more.
func (e *Engine) Run(ctx context.Context, run *state.Run, session orchestrator.Session) error {
	l := e.newLoop(ctx, run)
	defer l.cancel()
	if !l.begin(session) {
		return l.ending.Err
	}
	for l.act() {
		l.wait()
	}
	l.refuse()
	l.drain()
	l.runFinalGates()
	return l.close(ctx)
}
