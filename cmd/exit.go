package cmd

import (
	"errors"
	"fmt"

	"autobuild/internal/call"

	"autobuild/internal/config"
	"autobuild/orchestrator"
	"autobuild/orchestrator/local"
	"autobuild/plan"
	"autobuild/state"
)

// Exit codes. Every end of the program is one of them.
const (
	exitOK        = 0                  // complete, or nothing to do
	exitHalted    = 1                  // phases failed
	exitUsage     = 2                  // the call, the plan or the configuration is not valid
	exitEnv       = 3                  // the environment or the state is not usable
	exitStopped   = 4                  // a budget, limit or deadline; resumable
	exitUnproven  = state.ExitUnproven // done, and unverified or contested
	exitBug       = 70                 // autobuild itself
	exitTimedOut  = 124                // wait gave up; the run goes on
	exitHangup    = 129                // SIGHUP
	exitInterrupt = 130                // SIGINT
	exitQuit      = 131                // SIGQUIT, with what every goroutine did in a log
	exitTerminate = 143                // SIGTERM
)

// exitCode is the only place where an error becomes an exit code.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if e, ok := errors.AsType[*endedError](err); ok {
		return e.code
	}
	if errors.Is(err, errTimedOut) {
		return exitTimedOut
	}
	if i, ok := errors.AsType[*orchestrator.Interrupted](err); ok {
		switch i.Signal {
		case "SIGTERM":
			return exitTerminate
		case "SIGHUP":
			return exitHangup
		}
		return exitInterrupt
	}
	if h, ok := errors.AsType[*orchestrator.HaltError](err); ok {
		if h.Unusable {
			return exitEnv
		}
		return exitHalted
	}
	if _, ok := errors.AsType[*orchestrator.StopError](err); ok {
		return exitStopped
	}
	if _, ok := errors.AsType[plan.Problems](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*call.UsageError](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
		return exitUsage
	}
	if _, ok := errors.AsType[*state.TransitionError](err); ok {
		return exitBug
	}
	if _, ok := errors.AsType[*bugError](err); ok {
		return exitBug
	}
	if _, ok := errors.AsType[*local.PanicError](err); ok {
		return exitBug
	}
	if errors.Is(err, errUnverified) || errors.Is(err, errContested) {
		return exitUnproven
	}
	return exitEnv
}

// errUnverified says that the run is complete and that nothing proves it.
var errUnverified = errors.New("complete, but unverified: no gate was run; name some in autobuild.yaml, or accept it with --allow-unverified")

// errContested says that the run is complete and that a person has to decide about changes of its referee.
var errContested = errors.New("complete, but contested: phases changed the tests or gates that judge them, and the plan does not ask for it; " +
	"look at them with autobuild status, then accept each with: autobuild accept PHASE; or accept all with --allow-contested")

// bugError is a fault of autobuild's own.
type bugError struct {
	what  any
	stack []byte
}

// Error says how to report it.
func (e *bugError) Error() string { return "internal error" }

// endCode is the exit code that an end of a run stands for, known before the error that carries it is.
func endCode(o *config.Options, end state.End, err error) int {
	if err == nil {
		err = unproven(o, end)
	}
	return exitCode(err)
}

// unproven is what keeps a complete run from exit code 0; nil where nothing does.
func unproven(o *config.Options, end state.End) error {
	switch {
	case end.Totals.Contested > 0 && !o.AllowContested:
		return errContested
	case end.Unproven() && !o.AllowUnverified:
		return errUnverified
	}
	return nil
}

// errTimedOut says that the run goes on and this call does not.
var errTimedOut = errors.New("the time is over")

// endedError carries the exit code of another process that has ended.
type endedError struct{ code int }

// Error names the code.
func (e *endedError) Error() string { return fmt.Sprintf("it ended with exit code %d", e.code) }
