package workflow

import (
	"errors"
	"time"

	"autobuild/orchestrator"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
)

// inWork is an attempt that a worker makes.
type inWork struct {
	since  time.Time
	ctx    workflow.Context
	cancel workflow.CancelFunc
	give   workflow.CancelFunc // ends its integration; nil: it has not come to that
	then   []request           // commands that are decided when the attempt has ended
}

// request is a command on its way to the run.
type request struct {
	command wire.Command
	answer  workflow.Settable // nil: no sender waits for it
}

// ask passes the command of an update on to the coroutine of Run, and waits for its answer.
func (d *driver) ask(ctx workflow.Context, c wire.Command) (a wire.Answer, err error) {
	future, answer := workflow.NewFuture(ctx)
	r := request{c, answer}
	if d.closing {
		d.reply(r, "", orchestrator.ErrEnding)
	} else {
		d.asked.Send(ctx, r)
	}
	err = future.Get(ctx, &a)
	return a, err
}

// steer does what a command asks, as package local does. The run changes by events alone.
func (d *driver) steer(r request) {
	if !d.takesCommands() {
		d.reply(r, "", orchestrator.ErrEnding)
		return
	}
	if r.command.Edit != nil {
		text, err := d.edit(r.command)
		d.reply(r, text, err)
		return
	}
	s, err := orchestrator.Steer(d.run, r.command.Command)
	if err != nil {
		d.reply(r, "", err)
		return
	}
	for _, e := range s.Events {
		d.emit(wire.Event{Event: e, Command: r.command.Ref})
	}
	s.EachStop(func(phase string, again bool) {
		w := d.running[phase]
		if w != nil && again {
			w.then = append(w.then, r)
		}
		if w != nil {
			w.cancel()
		}
	})
	if !s.Wait {
		d.applyEditAgain()
		d.reply(r, s.Answer, nil)
	}
}

// reply answers a command.
func (d *driver) reply(r request, text string, err error) {
	a := wire.Answer{Text: text, Events: d.in.Past + len(d.events)}
	if refused, ok := errors.AsType[*orchestrator.CommandError](err); ok {
		a.Why, a.Next = refused.Why, refused.Next
	}
	r.answer.SetValue(a)
}

// refuse answers the commands that came too late.
func (d *driver) refuse() {
	d.closing = true
	for _, p := range d.plan.Phases() {
		if w := d.running[p.ID]; w != nil {
			for _, r := range w.then {
				d.reply(r, "", orchestrator.ErrEnding)
			}
		}
	}
	d.answered()
}

// answered waits until no command is without its answer. Only the end of the workflow's context
// can keep it from that.
func (d *driver) answered() {
	_ = workflow.Await(d.ctx, func() bool {
		var r request
		for d.asked.ReceiveAsync(&r) {
			d.steer(r)
		}
		return workflow.AllHandlersFinished(d.ctx)
	})
}

// hear adds what a user asks to a selector.
func (d *driver) hear(s workflow.Selector) {
	s.AddReceive(workflow.GetSignalChannel(d.ctx, wire.Stop),
		func(c workflow.ReceiveChannel, _ bool) {
			var how wire.Stopping
			c.Receive(d.ctx, &how)
			d.stop(how.Now)
		})
	s.AddReceive(workflow.GetSignalChannel(d.ctx, wire.GoOn),
		func(c workflow.ReceiveChannel, _ bool) {
			c.Receive(d.ctx, nil)
			d.options.GoOn = workflow.Now(d.ctx)
		})
	s.AddReceive(d.asked, func(c workflow.ReceiveChannel, _ bool) {
		var r request
		c.Receive(d.ctx, &r)
		d.steer(r)
	})
}

// hearAll takes what has arrived: the next link of the chain does not get it.
func (d *driver) hearAll() {
	s := workflow.NewSelector(d.ctx)
	d.hear(s)
	for s.HasPending() {
		s.Select(d.ctx)
	}
}

// stop starts nothing more and asks the running attempts to end; with now it does not wait for
// them.
func (d *driver) stop(now bool) {
	d.stopped = true
	d.now = d.now || now
	d.cancel()
	for _, p := range d.plan.Phases() {
		w := d.running[p.ID]
		if w != nil && w.give != nil {
			w.give()
		}
		if w != nil && now {
			d.settle(done{phase: p.ID, err: temporal.NewCanceledError()})
		}
	}
}
