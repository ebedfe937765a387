// Package orchestrator decides when: which phase starts, which is retried, and when the run ends.
// Every decision is a pure function of the plan, the run and Options: Next chooses the actions,
// NewTask describes an attempt, Settle turns its result into an event, Record stamps an event and
// applies it. An engine calls them in a loop; package local is the one for a single machine. It
// does not know agents, git, processes, files, terminals, goroutines or the clock.
package orchestrator

import (
	"context"
	"time"

	"autobuild/failure"
	"autobuild/state"
)

// DefaultJobs is the number of attempts at once where Options say nothing.
const DefaultJobs = 4

// Schedule is the order in which ready phases start.
type Schedule string

// The schedules. The zero value is Batch.
const (
	Batch Schedule = "batch" // level by level; retries after the siblings have ended
	// as soon as a phase's own needs are complete, longest remaining path first; retries at once
	Eager Schedule = "eager"
)

// Options are what decides beside the plan and the run. Policy is required. A policy that promises
// more attempts than its own Attempts allow gets a failed phase: no answer makes a run endless.
type Options struct {
	Policy   failure.Policy
	Policies map[string]failure.Policy // by phase id, where a phase has one of its own

	Jobs      int      // attempts at once; 0 is DefaultJobs
	Schedule  Schedule // zero is Batch
	KeepGoing bool     // after a failure, still run phases that do not depend on it
	Selected  []bool   // by position in the plan: the phases to run; nil is all
	// by position: failed phases that stay so; they block what needs them, and keep nothing else
	// from starting
	Held      []bool
	MaxCost   float64 // US dollars over the whole run; 0 is no limit
	MaxTokens int64   // in and out, over the whole run; 0 is no limit
	StopLimit bool    // end the run at a usage limit instead of waiting for its reset

	// by position: the agents for the phase, of which the first with an open account is used; nil:
	// one account for all
	Agents [][]Agent
	Tiers  map[string]Agent // by name: the agent that diagnoses
	GoOn   time.Time        // usage limits that were met until then are not waited for
}

// Worker carries out attempts.
type Worker interface {
	// Attempt tries the phase once more. A result without Failure and Spent means that the phase's
	// verified work has landed. The error is autobuild's own: broken machinery or a cancelled
	// context. The result may then be partial. Events that it reports must not be lifecycle events.
	Attempt(ctx context.Context, task state.Task, report func(state.Event)) (state.Result, error)
}

// Sink receives every event after the run has applied it. An error from it stops the run in order:
// a sink may fail, but it may not steer.
type Sink interface {
	Event(e state.Event, r *state.Run) error
}

// policy is the one that decides about a phase.
func (o *Options) policy(phase string) failure.Policy {
	if own, ok := o.Policies[phase]; ok {
		return own
	}
	return o.Policy
}

// attempts is the number of attempts that a phase's policy allows, with those that redo a conflict.
func (o *Options) attempts(p *state.Phase) int {
	return o.policy(p.ID).Attempts() + failure.History{Decisions: p.Decisions()}.Redone()
}
