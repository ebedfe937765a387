// Package workflow drives a run durably: the same orchestrator.Next, NewTask and Settle as on one
// machine, with attempts as activities. It holds ids, statuses and counts alone; what a policy says
// of a failure comes with the outcome, because the evidence is where the attempt was made. It does
// not know git, agents or files.
package workflow

import (
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/state"
	"go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
)

// Run takes a run to its end. Its result is an Output; it returns an error only for an Input that
// is no run. After many events it goes on as a new link of its chain.
func Run(ctx workflow.Context, in wire.Input) (wire.Output, error) {
	d, err := newDriver(ctx, in)
	if err != nil {
		return wire.Output{}, err
	}
	if err = workflow.SetQueryHandler(ctx, wire.Query, d.page); err != nil {
		return wire.Output{}, err
	}
	if err = workflow.SetUpdateHandler(ctx, wire.Steer, d.ask); err != nil {
		return wire.Output{}, err
	}
	for d.act() {
		if d.continues() {
			d.answered()
			return wire.Output{}, workflow.NewContinueAsNewError(ctx, wire.Workflow, d.input())
		}
		d.list(d.state())
		d.wait()
	}
	d.closing = true
	d.runFinalGates()
	d.publish()
	d.refuse()
	d.list(d.outcome())
	return d.finish(), nil
}

// driver owns the run while it goes on. Only the coroutine of Run changes it.
type driver struct {
	ctx     workflow.Context
	in      wire.Input
	plan    *plan.Plan
	run     *state.Run
	options orchestrator.Options
	edited  *edited                     // nil: the plan was not edited
	decided map[string]failure.Decision // by the key of an attempt: what its policy said

	running  map[string]*inWork // by phase
	cancel   workflow.CancelFunc
	work     workflow.Context // of the activities
	ending   orchestrator.Ending
	broken   wire.Ref // of what was Broken
	culprit  string   // … and its phase
	final    []state.Gate
	stopped  bool
	now      bool // … and running attempts are not waited for
	draining bool // nothing starts: the next link begins when nothing runs
	closing  bool // no command is taken any more

	inbox workflow.Channel // of done
	asked workflow.Channel // of request
	turn  workflow.Mutex   // one integration at a time
	row   []*work          // verified, in the order in which it is integrated
	wake  time.Time

	events []wire.Event
	output *wire.Output
}

// done is the end of an attempt, with its integration.
type done struct {
	phase   string
	outcome wire.Outcome
	err     error
}

func newDriver(ctx workflow.Context, in wire.Input) (*driver, error) {
	p, err := in.Graph()
	if err != nil {
		return nil, err
	}
	d := &driver{
		ctx: ctx, in: in, plan: p, run: in.State(),
		decided: make(map[string]failure.Decision), running: make(map[string]*inWork),
		inbox: workflow.NewBufferedChannel(ctx, wire.MaxJobs), asked: workflow.NewChannel(ctx),
		turn: workflow.NewMutex(ctx),
	}
	if d.in.Refs == nil {
		d.in.Refs = make(wire.Refs)
	}
	d.work, d.cancel = workflow.WithCancel(ctx)
	d.options = d.optionsOf(in.Options, in.Phases)
	return d, nil
}

// optionsOf are the options of the run for these phases.
func (d *driver) optionsOf(o wire.Options, phases []wire.Phase) orchestrator.Options {
	options := orchestrator.Options{
		Policy: carried{o.Attempts, d.decided}, Policies: make(map[string]failure.Policy),
		Jobs: o.Jobs, Schedule: o.Schedule, KeepGoing: o.KeepGoing, Selected: o.Selected,
		Held: o.Held, MaxCost: o.MaxCost, MaxTokens: o.MaxTokens, StopLimit: o.StopLimit,
		Agents: o.Agents, Tiers: o.Tiers, GoOn: o.GoOn,
	}
	for _, phase := range phases {
		if phase.Attempts != o.Attempts {
			options.Policies[phase.ID] = carried{phase.Attempts, d.decided}
		}
	}
	return options
}

// carried is a policy whose decisions were made where the evidence is.
type carried struct {
	attempts int
	decided  map[string]failure.Decision
}

// Attempts is what the real policy allows.
func (c carried) Attempts() int { return c.attempts }

// Decide returns what the real policy has decided about the attempt.
func (c carried) Decide(_ failure.Diagnosis, past failure.History) failure.Decision {
	return c.decided[past.Seed]
}

// act does what Next says, and reports whether there is anything to wait for.
func (d *driver) act() bool {
	d.wake = time.Time{}
	for d.goesOn() {
		again := false
		for _, a := range orchestrator.Next(d.plan, d.run, d.options, workflow.Now(d.ctx)) {
			switch a.Kind {
			case orchestrator.Start:
				d.start(a)
			case orchestrator.Block:
				again = true
				d.emit(wire.Event{Event: state.Event{
					Type: state.PhaseBlocked, Phase: d.run.Phases[a.Phase].ID, By: a.By,
				}})
			case orchestrator.Sleep:
				d.wake = a.Until
			case orchestrator.Pause:
			case orchestrator.Finish, orchestrator.Halt, orchestrator.Stop:
				d.ending = d.ending.Then(a.Ending())
			}
		}
		if !again {
			break
		}
	}
	if len(d.running) > 0 {
		return !d.now
	}
	return d.ending.Cause == orchestrator.GoesOn && !d.stopped
}

// goesOn reports whether Next is still to be asked.
func (d *driver) goesOn() bool {
	if !d.takesCommands() {
		return false
	}
	d.draining = d.draining || workflow.GetInfo(d.ctx).GetContinueAsNewSuggested()
	return !d.draining
}

// takesCommands reports whether the run may still change its course.
func (d *driver) takesCommands() bool {
	switch d.ending.Cause {
	case orchestrator.Limited, orchestrator.Broken, orchestrator.StoreFailed:
		return false
	case orchestrator.GoesOn, orchestrator.Completed, orchestrator.PhaseFailed:
	}
	return !d.stopped && !d.closing
}

// continues reports whether the next link of the chain begins: its history starts empty.
func (d *driver) continues() bool {
	if !d.draining || len(d.running) > 0 {
		return false
	}
	d.hearAll()
	return !d.stopped && d.ending.Cause == orchestrator.GoesOn
}

// input is the run as the next link begins with it.
func (d *driver) input() wire.Input {
	next := d.in
	next.Seq, next.Past, next.Paused = d.run.Seq, d.in.Past+len(d.events), d.run.Config.Paused
	next.Previous = workflow.GetInfo(d.ctx).WorkflowExecution.RunID
	next.Without, next.Options.GoOn = d.run.Without, d.options.GoOn
	next.Phases = nil
	for i, p := range d.in.Phases {
		p.Standing = wire.ThinPhase(&d.run.Phases[i])
		next.Phases = append(next.Phases, p)
	}
	return next
}

// emit stamps, applies and notes an event. An event that cannot be applied is a fault of the
// program: the run ends as Broken.
func (d *driver) emit(e wire.Event) {
	stamped, err := orchestrator.Record(d.plan, d.run, d.options, e.Event, workflow.Now(d.ctx))
	if err != nil {
		workflow.GetLogger(d.ctx).Error("an event cannot happen", "error", err)
		d.ending = d.ending.Then(orchestrator.Ending{Cause: orchestrator.Broken, Err: err})
		return
	}
	e.Event = stamped
	e.Name, e.Run = "", ""
	e.Phases, e.Edit = nil, nil // the starter makes them again, see wire.WholeEdit
	d.events = append(d.events, e)
}

// page answers the query for events, from the one with this number on.
func (d *driver) page(from int) (wire.Page, error) {
	p := wire.Page{
		First: max(from, d.in.Past), Total: d.in.Past + len(d.events), Previous: d.in.Previous,
		Spec: d.in.Spec,
	}
	if n := p.First - d.in.Past; n < len(d.events) {
		p.Events = d.events[n:min(n+wire.MaxPage, len(d.events))]
	}
	if p.First+len(p.Events) >= p.Total {
		p.Output = d.output
	}
	return p, nil
}

// finish describes the end.
func (d *driver) finish() wire.Output {
	o := wire.Output{
		Cause: d.ending.Cause, Type: d.ending.Type, Reason: d.ending.Reason,
		Record: d.broken.Record, Phase: d.culprit, Final: d.final, Stopped: d.stopped,
	}
	if d.ending.Cause == orchestrator.PhaseFailed {
		o.Reason = ""
	}
	n := max(0, len(d.events)-wire.MaxTail)
	o.First = d.in.Past + n
	short := o
	d.output = &short
	o.Tail = d.events[n:]
	return o
}
