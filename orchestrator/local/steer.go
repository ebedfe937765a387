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

// steer does what a command asks. The run changes by events alone, which are recorded before the
// answer.
func (l *loop) steer(r orchestrator.Request) {
	if !l.goesOn() {
		r.Answer("", orchestrator.ErrEnding)
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
			r.Answer("", errors.Join(orchestrator.ErrEnding, l.ending.Err))
			return
		}
	}
	s.EachStop(func(phase string, again bool) {
		w := l.running[phase]
		if w != nil && again {
			w.then = append(w.then, r)
		}
		if w != nil {
			w.cancel()
		}
	})
	if !s.Wait {
		l.applyEditAgain()
		r.Answer(s.Answer, nil)
	}
}

// refuse answers the commands that wait for the end of attempts which the loop will not see.
func (l *loop) refuse() {
	for _, w := range l.running {
		for _, r := range w.then {
			r.Answer("", orchestrator.ErrEnding)
		}
		w.then = nil
	}
}
