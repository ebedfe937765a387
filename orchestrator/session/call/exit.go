package call

import (
	"errors"
	"fmt"

	"autobuild/orchestrator"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// Exit codes. Every end of the program is one of them.
const (
	ExitOK        = 0                  // complete, or nothing to do
	ExitHalted    = 1                  // phases failed
	ExitUsage     = 2                  // the call, the plan or the configuration is not valid
	ExitEnv       = 3                  // the environment or the state is not usable
	ExitStopped   = 4                  // a budget, limit or deadline; resumable
	ExitUnproven  = state.ExitUnproven // done, and unverified or contested
	ExitBug       = 70                 // autobuild itself
	exitTimedOut  = 124                // wait gave up; the run goes on
	exitHangup    = 129                // SIGHUP
	ExitInterrupt = 130                // SIGINT
	ExitQuit      = 131                // SIGQUIT, with what every goroutine did in a log
	exitTerminate = 143                // SIGTERM
)

// ExitCode is the only place where an error becomes an exit code.
func ExitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	if e, ok := errors.AsType[*EndedError](err); ok {
		return e.Code
	}
	if errors.Is(err, ErrTimedOut) {
		return exitTimedOut
	}
	if i, ok := errors.AsType[*orchestrator.Interrupted](err); ok {
		switch i.Signal {
		case "SIGTERM":
			return exitTerminate
		case "SIGHUP":
			return exitHangup
		}
		return ExitInterrupt
	}
	if h, ok := errors.AsType[*orchestrator.HaltError](err); ok {
		if h.Unusable {
			return ExitEnv
		}
		return ExitHalted
	}
	if _, ok := errors.AsType[*orchestrator.StopError](err); ok {
		return ExitStopped
	}
	if _, ok := errors.AsType[plan.Problems](err); ok {
		return ExitUsage
	}
	if _, ok := errors.AsType[*UsageError](err); ok {
		return ExitUsage
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
		return ExitUsage
	}
	if _, ok := errors.AsType[*state.TransitionError](err); ok {
		return ExitBug
	}
	if _, ok := errors.AsType[*BugError](err); ok {
		return ExitBug
	}
	if _, ok := errors.AsType[*local.PanicError](err); ok {
		return ExitBug
	}
	if errors.Is(err, errUnverified) || errors.Is(err, errContested) ||
		errors.Is(err, errPlan) {
		return ExitUnproven
	}
	return ExitEnv
}

// errUnverified says that the run is complete and that nothing proves it.
var errUnverified = errors.New(
	"complete, but unverified: no gate was run; name some in autobuild.yaml, or accept it with " +
		"--allow-unverified")

// errContested says that the run is complete and that a person has to decide about changes of its
// referee.
var errContested = errors.New(
	"complete, but contested: phases changed the tests or gates that judge them, and the plan " +
		"does not ask for it; " +
		"look at them with autobuild status, then accept each with: autobuild accept PHASE; or " +
		"accept all with --allow-contested")

// errPlan says that the run is complete by a plan that an agent can have changed.
var errPlan = errors.New("complete, but the plan is contested: " + render.ContestedPlan)

// BugError is a fault of autobuild's own.
type BugError struct {
	What  any
	Stack []byte
}

// Error says how to report it.
func (e *BugError) Error() string { return "internal error" }

// EndCode is the exit code of a run's end, available before the error that carries it.
func EndCode(o *config.Options, end state.End, err error) int {
	if err == nil {
		err = Unproven(o, end)
	}
	return ExitCode(err)
}

// Unproven returns the error that keeps a complete run from exit code 0; nil where there is none.
func Unproven(o *config.Options, end state.End) error {
	switch {
	case end.Totals.Contested > 0 && !o.AllowContested:
		return errContested
	case end.PlanContested && !o.Edited && !o.AllowContested:
		return errPlan
	case end.Unproven() && !o.AllowUnverified:
		return errUnverified
	}
	return nil
}

// ErrTimedOut says that the run goes on and this call does not.
var ErrTimedOut = errors.New("timed out")

// EndedError carries the exit code of another process that has ended.
type EndedError struct{ Code int }

// Error names the code.
func (e *EndedError) Error() string { return fmt.Sprintf("it ended with exit code %d", e.Code) }
