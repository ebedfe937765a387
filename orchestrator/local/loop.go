package local

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
)

// loop owns a run while it goes on. Only its goroutine reads or changes the run; workers send.
type loop struct {
	*Engine
	run     *state.Run
	plan    *plan.Plan           // the engine's, until a user edits it
	worker  orchestrator.Worker  // of the attempts that start now
	edited  *edited              // nil: the plan was not edited
	options orchestrator.Options // the engine's, and what the session and the user add
	ending  orchestrator.Ending
	running map[string]*inWork // by id of the phase
	final   []state.Gate       // results of the final gates
	decided bool               // nothing that Next sees has changed since it was asked

	ctx    context.Context // of the workers
	cancel context.CancelFunc
	group  errgroup.Group
	inbox  chan message     // results and events that must not be lost
	lines  chan state.Event // activity: bounded; drops the oldest
	closed chan struct{}    // closed when the loop stops reading

	clock *clock
	begun time.Time
	timer *time.Timer // fires when something delayed may start
	beat  *time.Timer
}

// message is what a worker sends: an event during its attempt, or the end of it.
type message struct {
	event    state.Event
	finished *orchestrator.Finished
}

// recheck bounds a sleep: a reset is a time of the wall clock, which may be set, while timers stand
// still with the machine.
const recheck = time.Minute

func (e *Engine) newLoop(ctx context.Context, run *state.Run) *loop {
	l := &loop{
		Engine: e, run: run, plan: e.Plan, worker: e.Worker, options: e.Options,
		running: make(map[string]*inWork),
		inbox:   make(chan message), lines: make(chan state.Event, linesKept),
		closed: make(chan struct{}),
		timer:  time.NewTimer(time.Hour), beat: time.NewTimer(time.Hour),
	}
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.timer.Stop()
	l.beat.Stop()
	l.clock = newClock(e.Now, e.Slept)
	l.begun = l.clock.now()
	return l
}

// begin records the session and what becomes of each phase's past. It reports whether all of it was
// saved.
func (l *loop) begin(s orchestrator.Session) bool {
	l.options.Held = s.Held(l.plan)
	for _, e := range s.Events(l.plan, l.options) {
		if !l.emit(e) {
			return false
		}
	}
	return true
}

// act does what Next says, and reports whether there is anything to wait for. After a fleeting
// event Next would say the same again, so it is not asked.
func (l *loop) act() bool {
	for !l.decided && l.goesOn() {
		again := false
		for _, a := range orchestrator.Next(l.plan, l.run, l.options, l.clock.now()) {
			switch a.Kind {
			case orchestrator.Start:
				l.start(a)
			case orchestrator.Block:
				again = true
				l.emit(state.Event{
					Type: state.PhaseBlocked, Phase: l.run.Phases[a.Phase].ID,
					By: a.By,
				})
			case orchestrator.Sleep:
				l.timer.Reset(min(a.Until.Sub(l.clock.now()), recheck))
			case orchestrator.Pause:
			case orchestrator.Finish, orchestrator.Halt, orchestrator.Stop:
				l.ending = l.ending.Then(a.Ending())
			}
		}
		if !again {
			break
		}
	}
	if len(l.running) > 0 {
		return true
	}
	return l.ending.Cause == orchestrator.GoesOn && l.ctx.Err() == nil
}

// goesOn reports whether Next is still to be asked. A phase that failed does not end that: its
// siblings get their retries.
func (l *loop) goesOn() bool {
	switch l.ending.Cause {
	case orchestrator.Limited, orchestrator.Broken, orchestrator.StoreFailed:
		return false
	case orchestrator.GoesOn, orchestrator.Completed, orchestrator.PhaseFailed:
	}
	return l.ctx.Err() == nil
}

// start records the attempt, and only then lets a worker have it.
func (l *loop) start(a orchestrator.Action) {
	e := orchestrator.Started(l.plan, l.run, l.options, a, l.Key())
	if !l.emit(e) {
		return
	}
	task := orchestrator.NewTask(l.plan, l.run, l.options, a.Phase)
	w := &inWork{since: l.clock.now()}
	w.ctx, w.cancel = context.WithCancel(l.ctx)
	worker := l.worker // an edit replaces it for later attempts
	l.running[e.Phase] = w
	l.group.Go(func() error {
		finished := l.attempt(w.ctx, worker, task)
		l.inbox <- message{finished: &finished}
		return nil // a failure is a result: no sibling is cancelled for it
	})
}

// wait takes one message: the first of a worker, a timer and the user.
func (l *loop) wait() {
	cancelled := l.ctx.Done()
	if l.ctx.Err() != nil {
		cancelled = nil // handled already: now only the workers matter
	}
	l.decided = false
	select {
	case m := <-l.inbox:
		l.take(m)
		l.decided = m.finished == nil && !m.event.Type.Lifecycle()
	case e := <-l.lines:
		l.decided = true
		if _, running := l.running[e.Phase]; running { // else the end of its attempt came first
			l.emit(e)
		}
	case <-l.beat.C:
		l.decided = true
		l.emit(state.Event{Type: state.Heartbeat})
	case <-l.timer.C:
	case <-l.GoOn:
		l.options.GoOn = l.clock.now()
		l.emit(state.Event{
			Type: state.Notice,
			Text: "going on at the user's request: usage limits met so far are ignored",
		})
	case r := <-l.Requests:
		l.steer(r)
	case e := <-l.Edits:
		l.noticeEdit(e)
	case <-cancelled:
	}
	for _, jump := range l.clock.takeJumps() {
		l.decided = false
		l.emit(state.Event{Type: state.Notice, Text: jump})
	}
}

// take records a worker's message.
func (l *loop) take(m message) {
	f := m.finished
	if f == nil {
		l.emit(m.event)
		return
	}
	now, w := l.clock.now(), l.running[f.Phase]
	f.Cancelled, f.Duration = w.ctx.Err() != nil, now.Sub(w.since)
	w.cancel()
	delete(l.running, f.Phase)
	defer func() {
		for _, r := range w.then {
			l.steer(r)
		}
	}()
	if l.ending.Cause == orchestrator.StoreFailed {
		return // the phase stays recorded as running: a resume finds out what became of it
	}
	settled := orchestrator.Settle(l.plan, l.run, l.options, *f, now)
	if settled.Notice != "" {
		l.emit(state.Event{Type: state.Notice, Phase: f.Phase, Text: settled.Notice})
	}
	l.emit(settled.Event)
	l.ending = l.ending.Then(settled.Ending)
	l.applyEditAgain()
}

// emit is the only path of an event: stamp and apply, save, show. The caller acts only if it
// reports true. A run without storage must not go on: a failed save cancels the workers, and
// nothing is emitted after it.
func (l *loop) emit(e state.Event) bool { return l.emitAt(e, l.clock.now()) }

// emitAt is emit for an event that happened at a known time.
func (l *loop) emitAt(e state.Event, at time.Time) bool {
	if l.ending.Cause == orchestrator.StoreFailed {
		return false
	}
	e, err := orchestrator.Record(l.plan, l.run, l.options, e, at)
	for i := 0; err == nil && i < len(l.Sinks); i++ {
		if err = l.Sinks[i].Event(e, l.run); err != nil {
			err = fmt.Errorf("recording %s: %w", e.Type, err)
		}
	}
	if err != nil {
		l.ending = l.ending.Then(orchestrator.Ending{Cause: orchestrator.StoreFailed, Err: err})
		l.cancel()
		return false
	}
	l.restartBeat(e.Type)
	return true
}

// restartBeat puts off the heartbeat after an event that screens of lines show. Activity does not:
// an agent that reports it for an hour would leave them silent for an hour.
func (l *loop) restartBeat(t state.EventType) {
	beat := l.Heartbeat
	if beat == 0 {
		beat = DefaultHeartbeat
	}
	if beat > 0 && t != state.Activity && t != state.GateStarted {
		l.beat.Reset(beat)
	}
}

// drain waits for the last worker to return. Every one has sent its result by then.
func (l *loop) drain() {
	close(l.closed)
	_ = l.group.Wait()
}
