package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/state"
)

// Cause says why a run starts nothing more. A later one outranks those before it.
type Cause int

// The causes. The zero value: the run goes on.
const (
	GoesOn      Cause = iota
	Completed         // every selected phase is complete
	Limited           // a budget or limit ends the run; no later event changes that
	PhaseFailed       // a phase failed for good
	Broken            // autobuild's own machinery failed: running attempts may end, nothing starts
	StoreFailed       // an event could not be saved: nothing is emitted any more
)

// Ending is why a run ends, and the words or the error that say so.
type Ending struct {
	Cause  Cause
	Type   failure.Type // of Limited
	Reason string       // of Limited
	Err    error        // of Broken and StoreFailed
}

// Then returns the ending with the higher Cause; of two equal causes the first. It joins their
// errors.
func (e Ending) Then(next Ending) Ending {
	if next.Cause <= e.Cause {
		return e
	}
	if e.Err != nil {
		next.Err = errors.Join(next.Err, e.Err)
	}
	return next
}

// Ending is what an action of kind Finish, Halt or Stop means; zero for every other kind.
func (a Action) Ending() Ending {
	switch a.Kind {
	case Finish:
		return Ending{Cause: Completed}
	case Halt:
		return Ending{Cause: PhaseFailed}
	case Stop:
		return Ending{Cause: Limited, Type: a.StopType, Reason: a.Reason}
	case Start, Block, Sleep, Pause:
	}
	return Ending{}
}

// Error is the error with which a run ends, nil for success. final are the results of the final
// gates; cancelled is the cause of a context that ended the run before anything else did.
func (e Ending) Error(run *state.Run, final []state.Gate, cancelled error) error {
	switch e.Cause {
	case GoesOn:
		return cancelled
	case Completed:
		if names := unmet(final); len(names) > 0 {
			return &HaltError{Final: names, Reason: finalReason(names)}
		}
		return nil
	case Limited:
		return &StopError{Type: e.Type, Reason: e.Reason}
	case Broken, StoreFailed:
		return e.Err
	case PhaseFailed:
	}
	labels, reason := haltReason(run)
	halt := &HaltError{Failed: labels, Reason: reason}
	for i := range run.Phases {
		last, _ := run.Phases[i].Last()
		halt.Unusable = halt.Unusable || last.Failure != nil &&
			last.Failure.Type == failure.AgentUnusable
	}
	return halt
}

// HaltError says that the run ended because phases failed. It is a result, already shown to the
// user.
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

// unmet names the final gates that did not pass.
func unmet(gates []state.Gate) []string {
	var names []string
	for _, g := range gates {
		if g.Status != state.GatePassed {
			names = append(names, g.Name)
		}
	}
	return names
}

// finalReason words why a run with complete phases halts.
func finalReason(names []string) string {
	const most = 3
	if n := len(names); n > most {
		names = append(slices.Clone(names[:most]), "…")
	}
	if len(names) == 1 {
		return "all phases are complete, and final gate " + names[0] + " failed"
	}
	return "all phases are complete, and final gates " + strings.Join(names, ", ") + " failed"
}

// Outcome converts an error into the end of a session.
func Outcome(err error) state.End {
	halt, halted := errors.AsType[*HaltError](err)
	stop, stopped := errors.AsType[*StopError](err)
	switch {
	case err == nil:
		return state.End{Outcome: state.Done, Reason: "all phases complete"}
	case halted:
		return state.End{Outcome: state.Halted, Reason: halt.Reason}
	case stopped:
		return state.End{Outcome: state.Stopped, Reason: stop.Reason}
	case errors.Is(err, context.Canceled):
		return state.End{Outcome: state.Interrupted, Reason: err.Error()}
	}
	return state.End{Outcome: state.Broken, Reason: err.Error()}
}

// Interrupted is the cause with which a context is cancelled when a person or the system ends the
// run.
type Interrupted struct {
	Signal string // "SIGINT"
}

// Error names the signal.
func (e *Interrupted) Error() string { return "interrupted by " + e.Signal }

// Is makes an interruption a cancellation.
func (*Interrupted) Is(target error) bool { return target == context.Canceled }

// Deadline is the cause with which a context is cancelled when the run exceeds its time limit.
func Deadline(limit time.Duration) error {
	return &StopError{Type: failure.Timeout, Reason: "the run timed out after " + limit.String()}
}
