package local

import (
	"context"
	"errors"
	"time"

	"autobuild/orchestrator"
)

// inWork is an attempt that a worker makes.
type inWork struct {
	since  time.Time
	ctx    context.Context
	cancel context.CancelFunc
	// commands that are decided when the attempt has ended
	then []orchestrator.Request
}

// errEnding answers a command that comes too late.
var errEnding = &orchestrator.CommandError{
	Why: "the run is ending", Next: "autobuild status shows how it goes on",
}

// steer does what a command asks. The run changes by events alone, which are recorded before the
// answer.
func (l *loop) steer(r orchestrator.Request) {
	if !l.goesOn() {
		r.Answer("", errEnding)
		return
	}
	if r.Command.Kind == orchestrator.ReloadPlan {
		l.reload(r)
		return
	}
	s, err := orchestrator.Steer(l.run, r.Command)
	if err != nil {
		r.Answer("", err)
		return
	}
	for _, e := range s.Events {
		if !l.emit(e) {
			r.Answer("", errors.Join(errEnding, l.ending.Err))
			return
		}
	}
	for i, id := range s.Stop {
		w := l.running[id]
		if w == nil {
			continue
		}
		if s.Wait && i == 0 {
			w.then = append(w.then, r)
		}
		w.cancel()
	}
	if !s.Wait {
		l.applyEditAgain()
		r.Answer(s.Answer, nil)
	}
}

// refuse answers the commands that wait for the end of attempts which the loop will not see.
func (l *loop) refuse() {
	for _, w := range l.running {
		for _, r := range w.then {
			r.Answer("", errEnding)
		}
		w.then = nil
	}
}
