package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"autobuild/failure"
	"autobuild/plan"
	"autobuild/state"
)

// Orchestrator runs a plan. Plan, Worker, Policy and Key are required; every other field has a default.
// A policy that promises more attempts than its own Attempts allow gets a failed phase instead: no answer makes a loop of a run.
type Orchestrator struct {
	Plan      *plan.Plan
	Worker    Worker
	Policy    failure.Policy
	Policies  map[string]failure.Policy // by phase id, where a phase has one of its own
	Sinks     []Sink                    // in this order: the one that saves comes first
	Options   Options
	Heartbeat time.Duration            // of silence, signs of life aside, before a heartbeat; 0 is DefaultHeartbeat, negative none
	Now       func() time.Time         // the wall clock; nil is time.Now
	Slept     func() time.Duration     // all the sleep of this machine so far; nil where nobody can tell
	Key       func() string            // a new random word for every attempt
	Kills     func() state.MemoryKills // so far; nil where the system does not count them
	GoOn      <-chan struct{}          // tells that a person does not want usage limits waited for; may be nil
	Final     FinalGates               // of the plan as a whole; nil: there are none
	// Closing does the last work of a session before its end is recorded, and may complete the end. Its error is
	// that of the run where there is none yet. May be nil.
	Closing func(ctx context.Context, end *state.End, cause error) error
}

// Run takes the run from where it stands to an end: a fresh run is the zero Run and a session that starts it, a
// resumed one has been loaded. It returns nil when every selected phase is complete, a *HaltError when phases failed,
// a *StopError at a budget or limit, the cause of ctx when that ended it, and any other error when autobuild itself
// could not go on. In each case the end has been announced, unless announcing is what failed.
//
// The loop is told in one breath: ask Next; start what it says; then wait for whoever speaks first, a worker, a timer or
// the user; announce what they said; ask again. It ends when nothing runs and Next has nothing more.
func (o *Orchestrator) Run(ctx context.Context, run *state.Run, session Session) error {
	l := o.newLoop(ctx, run)
	defer l.cancel()
	if err := l.begin(session); err != nil {
		return err
	}
	for l.step() {
		l.wait()
	}
	l.drain()
	l.judgeWhole()
	return l.close(ctx)
}

// loop is the single owner of a run while it goes on. Workers only send.
type loop struct {
	*Orchestrator
	run     *state.Run
	options Options         // the orchestrator's, and what the session holds
	ctx     context.Context // of the workers
	cancel  context.CancelFunc
	group   errgroup.Group
	inbox   chan message     // what must not be lost
	lines   chan state.Event // signs of life: the oldest gives way
	running map[string]time.Time
	clock   *clock
	begun   time.Time
	timer   *time.Timer // until something delayed may start
	beat    *time.Timer

	whole  []state.Gate  // the final gates, as they ended
	end    *Action       // Finish, Halt or Stop, once Next has said so
	broken error         // autobuild's own trouble: the first wins, and nothing new starts
	mute   bool          // … and it is that events cannot be recorded: nothing is announced any more
	closed chan struct{} // when nobody listens to workers any more
}

// message is what a worker sends: an event on the way, or how its attempt ended.
type message struct {
	event  state.Event
	phase  string
	result *state.Attempt
	err    error
}

// linesKept bounds the signs of life that wait to be shown.
const linesKept = 64

func (o *Orchestrator) newLoop(ctx context.Context, run *state.Run) *loop {
	l := &loop{
		Orchestrator: o, run: run,
		inbox: make(chan message), lines: make(chan state.Event, linesKept),
		running: make(map[string]time.Time), closed: make(chan struct{}),
		timer: time.NewTimer(time.Hour), beat: time.NewTimer(time.Hour),
	}
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.timer.Stop()
	l.beat.Stop()
	l.clock = newClock(o.Now, o.Slept)
	l.begun = l.now()
	return l
}

func (l *loop) now() time.Time { return l.clock.now() }

// announce is the only way in which anything happens while a run goes on: stamp, apply, save and show. Acting is up to the caller, and
// only after a nil error.
func (l *loop) announce(e state.Event) error {
	e.V, e.Time, e.Run = state.EventVersion, l.now(), l.run.Config.RunID
	if e.Config != nil {
		e.Run = e.Config.RunID
	}
	if e.Type.Lifecycle() {
		e.Seq = l.run.Seq + 1
	}
	bound(&e)
	if p, ok := l.run.Find(e.Phase); ok {
		e.Label, e.Name = p.Label, p.Name
	}
	if err := l.run.Apply(e); err != nil {
		return err
	}
	if p, ok := l.run.Find(e.Phase); ok {
		e.Status = p.Status
	}
	l.stampLimit(&e)
	for _, sink := range l.Sinks {
		if err := sink.Event(e, l.run); err != nil {
			return fmt.Errorf("recording %s: %w", e.Type, err)
		}
	}
	if !faint(e.Type) {
		l.restartBeat()
	}
	return nil
}

// bound leaves out of an event what would make it too large to be stored.
func bound(e *state.Event) {
	if e.Result != nil {
		result := e.Result.Bounded()
		e.Result = &result
	}
	if e.Gate != nil {
		gate := e.Gate.Bounded()
		e.Gate = &gate
	}
}

// faint events do not put off a heartbeat: screens of lines leave them out, and an agent that mutters for an hour would
// silence them for an hour.
func faint(t state.EventType) bool { return t == state.Activity || t == state.GateStarted }

// restartBeat puts off the heartbeat: something has just been shown.
func (l *loop) restartBeat() {
	beat := l.Heartbeat
	if beat == 0 {
		beat = DefaultHeartbeat
	}
	if beat > 0 {
		l.beat.Reset(beat)
	}
}

// policy is the one that decides about this phase.
func (o *Orchestrator) policy(phase string) failure.Policy {
	if own, ok := o.Policies[phase]; ok {
		return own
	}
	return o.Policy
}

// begin announces the session and what it makes of each phase's past.
func (l *loop) begin(s Session) error {
	l.options = l.Options
	l.options.Held = s.held(l.Plan)
	for _, e := range s.events(l.Plan, func(id string) int { return l.policy(id).Attempts() }) {
		if err := l.announce(e); err != nil {
			return err
		}
	}
	return nil
}

// step does what Next says, and reports whether the loop goes on.
func (l *loop) step() bool {
	for l.broken == nil && l.ctx.Err() == nil {
		if l.end != nil && l.end.Kind == Stop {
			break // that is final, even if a limit is reset while the last attempts end
		}
		again := false
		for _, a := range Next(l.Plan, l.run, l.options, l.now()) {
			switch a.Kind {
			case Start:
				l.start(a)
			case Block:
				again = true
				l.tell(state.Event{Type: state.PhaseBlocked, Phase: l.run.Phases[a.Phase].ID, By: a.By})
			case Sleep:
				l.sleep(a.Until)
			case Finish, Halt, Stop:
				l.end = &a
			}
		}
		if !again {
			break
		}
	}
	if l.end != nil && len(l.running) == 0 {
		return false
	}
	return len(l.running) > 0 || l.broken == nil && l.ctx.Err() == nil
}

// must ends everything when an event could not be recorded: what cannot be written down must not go on.
func (l *loop) must(err error) {
	if err == nil {
		return
	}
	l.trouble(err)
	l.mute = true
	l.cancel()
}

// trouble remembers that autobuild's own machinery failed. What runs is paid for and may end; nothing new starts.
func (l *loop) trouble(err error) {
	if l.broken == nil {
		l.broken = err
	}
}

// start records the attempt, and only then lets a worker have it.
func (l *loop) start(a Action) {
	if l.broken != nil {
		return
	}
	p := &l.run.Phases[a.Phase]
	task := l.task(a, p)
	var kills state.MemoryKills
	if l.Kills != nil {
		kills = l.Kills()
	}
	err := l.announce(state.Event{
		Type: state.PhaseStarted, Phase: p.ID, Attempt: a.Attempt, Attempts: attemptsOf(l.policy(p.ID), p),
		Key: task.Key, Print: task.Phase.Fingerprint, Agent: a.Agent.Name, Account: a.Agent.Account, Kills: kills,
	})
	if err != nil {
		l.must(err)
		return
	}
	task.Past = l.past(a.Phase, p) // only now: a start with another text ends what was remembered
	l.running[p.ID] = l.now()
	l.group.Go(func() error {
		l.inbox <- l.attempt(task)
		return nil // a failure is a result: no sibling is cancelled for it
	})
}

// attempt lets the worker make one attempt. A panic of its is autobuild's own trouble, and reaches the loop like any other.
func (l *loop) attempt(task state.Task) (m message) {
	m = message{phase: task.Phase.ID, result: &state.Attempt{}}
	defer func() {
		if p := recover(); p != nil {
			m.err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	*m.result, m.err = l.Worker.Attempt(l.ctx, task, l.reporter(task))
	return m
}

// PanicError is a fault of autobuild's own in a worker.
type PanicError struct {
	Value any
	Stack []byte
}

// Error is what the panic said.
func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// reporter carries a worker's events to the loop. Signs of life never block it: the oldest gives way.
func (l *loop) reporter(task state.Task) func(state.Event) {
	return func(e state.Event) {
		if e.Type.Lifecycle() {
			return // only the loop changes the run
		}
		e.Phase, e.Attempt = task.Phase.ID, task.Attempt
		if e.Type != state.Activity {
			select {
			case l.inbox <- message{event: e}:
			case <-l.closed:
			}
			return
		}
		for {
			select {
			case l.lines <- e:
				return
			default:
			}
			select {
			case <-l.lines:
			default:
			}
		}
	}
}

// wait takes one message, whoever speaks first.
func (l *loop) wait() {
	stopped := l.ctx.Done()
	if l.ctx.Err() != nil {
		stopped = nil // known already: now only the workers matter
	}
	select {
	case m := <-l.inbox:
		l.take(m)
	case e := <-l.lines:
		if _, running := l.running[e.Phase]; running { // else it has been overtaken by its end
			l.tell(e)
		}
	case <-l.beat.C:
		l.tell(state.Event{Type: state.Heartbeat})
	case <-l.timer.C:
	case <-l.GoOn:
		l.goOn()
	case <-stopped:
	}
	l.tellJumps()
}

// tell announces, unless recording has failed before.
func (l *loop) tell(e state.Event) {
	if !l.mute {
		l.must(l.announce(e))
	}
}

// take announces a worker's message.
func (l *loop) take(m message) {
	if m.result == nil {
		l.tell(m.event)
		return
	}
	started := l.running[m.phase]
	delete(l.running, m.phase)
	if l.mute {
		return // it stays recorded as running: a resume finds out what became of it
	}
	e, err := l.settle(m, started)
	l.tell(e)
	if err != nil {
		l.trouble(err)
	}
}

// settle says what the end of an attempt means. Ask the context first: an agent that was stopped from outside looks
// just like one that failed, and an interruption must not spend the retry. Only landed work is worth more.
func (l *loop) settle(m message, started time.Time) (state.Event, error) {
	p, _ := l.run.Find(m.phase)
	result := *m.result
	last, _ := p.Last()
	result.N, result.Key, result.Started, result.Account = last.N, last.Key, last.Started, last.Account
	result.Ended = l.now()
	result.Duration = max(0, result.Ended.Sub(started))
	policy := l.policy(m.phase)
	e := state.Event{Type: state.AttemptFinished, Phase: m.phase, Attempt: result.N, Attempts: policy.Attempts(), Result: &result}

	failed, isFailure := errors.AsType[*failure.Failure](m.err)
	spent, isSpent := errors.AsType[*failure.Spent](m.err)
	switch {
	case m.err == nil:
		result.Failure, result.Decision = nil, nil
		return e, nil
	case l.ctx.Err() != nil:
		return state.Event{Type: state.PhaseInterrupted, Phase: m.phase, Attempt: result.N, Usage: &result.Usage, Text: "stopped"}, nil
	case isSpent:
		if l.end == nil {
			l.end = &Action{Kind: Stop, StopType: failure.BudgetExhausted, Reason: spent.Reason}
		}
		return state.Event{Type: state.PhaseInterrupted, Phase: m.phase, Attempt: result.N, Usage: &result.Usage, Text: spent.Reason}, nil
	case !isFailure:
		return state.Event{Type: state.PhaseInterrupted, Phase: m.phase, Attempt: result.N, Usage: &result.Usage, Text: m.err.Error()},
			fmt.Errorf("phase %s: %w", p.Label, m.err)
	}
	diagnosis := failed.Diagnosis
	used := p.Spent.Add(result.Usage)
	decision := policy.Decide(diagnosis, failure.History{
		Failures: p.Failures(), Decisions: p.Decisions(), Waits: l.run.Waited(p),
		Earlier: slices.Clone(p.Past), Proposals: p.Proposed(diagnosis), Seed: result.Key,
		Tokens: used.InputTokens + used.OutputTokens, CostUSD: used.CostUSD,
	})
	decision, replaced := l.replace(p, diagnosis, decision)
	if replaced {
		l.tell(state.Event{Type: state.Notice, Phase: m.phase, Text: decision.Rationale})
	}
	if decision.Redo() { // one more than the policy allows: the conflict is not the phase's own failing
		e.Attempts = max(e.Attempts, result.N+1)
	}
	switch allowed := attemptsOf(policy, p); {
	case decision.Action == failure.Wait && decision.Rule == nextAgent:
	case decision.Action == failure.Wait:
		decision.Until = laterOf(decision.Until, result.Ended.Add(decision.Delay)).Round(0) // of the wall clock, whatever happens to it
	case decision.Again() && !decision.Redo() && result.N >= allowed:
		decision.Action, decision.To, decision.Fresh = failure.Fail, "", false
		decision.Rationale += fmt.Sprintf("; but %d of %d attempts are spent", result.N, allowed)
	}
	result.Failure, result.Decision = &diagnosis, &decision
	return e, nil
}

// attemptsOf is how many attempts a policy allows a phase: its own, and those that have redone a conflict.
func attemptsOf(policy failure.Policy, p *state.Phase) int {
	return policy.Attempts() + failure.History{Decisions: p.Decisions()}.Redone()
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// drain waits for the last worker to go. Every one has sent its result; signs of life that are still on their way have been
// overtaken by it.
func (l *loop) drain() {
	close(l.closed)
	_ = l.group.Wait()
}
