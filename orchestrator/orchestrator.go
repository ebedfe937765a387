// Package orchestrator says when: which phase starts, which is tried again, and when the run ends.
// Next decides purely from the plan and the run; the loop owns the run and does what Next says, announcing
// every event in one order: apply, save, show, act.
// It does not know agents, git, processes, files or terminals.
package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/state"
)

// Defaults of an Orchestrator.
const (
	DefaultJobs      = 4                // attempts at once
	DefaultHeartbeat = 60 * time.Second // of silence
)

// Schedule is the order in which ready phases start.
type Schedule string

// The schedules. The zero value is Batch.
const (
	Batch Schedule = "batch" // level by level; retries after the siblings have ended
	Eager Schedule = "eager" // as soon as a phase's own needs are complete, longest remaining path first; retries at once
)

// Options are what Next may take into account beside the plan and the run.
type Options struct {
	Jobs      int      // attempts at once; 0 is DefaultJobs
	Schedule  Schedule // zero is Batch
	KeepGoing bool     // after a failure, still run phases that do not depend on it
	Selected  []bool   // by position in the plan: the phases to run; nil is all
	Held      []bool   // by position: failed phases that stay so; they block what needs them, and keep nothing else from starting
	MaxCost   float64  // US dollars over the whole run; 0 is no limit
	MaxTokens int64    // in and out, over the whole run; 0 is no limit
	StopLimit bool     // end the run at a usage limit instead of waiting for its reset

	Agents [][]Agent        // by position: who may do the phase, the first whose account is open does; nil: one account for all
	Tiers  map[string]Agent // by name: who diagnoses
	Out    map[string]bool  // by name: agents that are not used while there is another
	// by position: names of agents whose models refused the phase; others do it while there are any
	Refused map[int][]string
	GoOn    time.Time // usage limits that were met until then are not waited for
}

// Worker carries out attempts.
type Worker interface {
	// Attempt tries the phase once more. It returns nil when the phase's verified work has landed, a
	// *failure.Failure when that is the phase's own fault, a *failure.Spent when the run's budget is used up, and
	// any other error when it is neither: cancelled, or broken machinery. The events that it reports on the way must be fleeting ones.
	Attempt(ctx context.Context, task state.Task, report func(state.Event)) (state.Attempt, error)
}

// Sink hears of every event after the run has taken it in. An error from it stops the run in order: a sink may fail,
// but it may not steer.
type Sink interface {
	Event(e state.Event, r *state.Run) error
}

// HaltError says that the run ended because phases failed. It is a result, already shown to the user.
type HaltError struct {
	Failed   []string // labels of the phases that failed, in document order
	Final    []string // names of the final gates that failed; then every phase is complete
	Reason   string
	Unusable bool // the agent cannot be used at all: every phase would fail alike
}

// Error is the reason.
func (e *HaltError) Error() string { return e.Reason }

// StopError says that the run ended early at a budget, limit or deadline. It can be resumed.
type StopError struct {
	Type   failure.Type // BudgetExhausted, UsageLimit or Timeout
	Reason string
}

// Error is the reason.
func (e *StopError) Error() string { return e.Reason }

// haltReason words why a run halts: "Phase 2A failed after retry".
func haltReason(run *state.Run) (labels []string, reason string) {
	var why []string
	for i := range run.Phases {
		p := &run.Phases[i]
		if p.Status != state.Failed {
			continue
		}
		labels = append(labels, p.Label)
		why = append(why, "Phase "+p.Label+" "+fate(p))
	}
	switch {
	case len(why) == 0:
		return nil, "nothing can start: every phase that is left waits for one that will not run"
	case len(why) > 3:
		return labels, fmt.Sprintf("%d phases failed: %s", len(labels), strings.Join(labels, ", "))
	}
	return labels, strings.Join(why, "; ")
}

// fate words what became of a failed phase: "failed after retry".
func fate(p *state.Phase) string {
	last, _ := p.Last()
	var kind failure.Type
	if last.Failure != nil {
		kind = last.Failure.Type
	}
	d := failure.Decision{Action: failure.Fail}
	if last.Decision != nil {
		d = *last.Decision
	}
	switch {
	case d.Action == failure.Freeze:
		return "is frozen: " + text.Clip(d.Rationale, 160)
	case d.Action == failure.Block:
		_, rule, _ := strings.Cut(d.Rule, ".")
		return "needs a person: blocked (" + cmp.Or(rule, "discovery") + ")"
	case d.To == failure.ToUser && kind != "":
		return "needs a person: " + string(kind)
	case last.Failure != nil && !last.Failure.Retryable:
		return "failed: " + string(kind)
	case last.N > 2:
		return fmt.Sprintf("failed after %d attempts", last.N)
	case last.N > 1:
		return "failed after retry"
	}
	return "failed"
}
