package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/state"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
)

// longest bounds one activity: an agent has limits of its own, far below.
const longest = 7 * 24 * time.Hour

// givenUp is how often an errand is done again that workers gave up.
const givenUp = 20

// maxOthers bounds how many other phases an errand describes.
const maxOthers = 24

// errBroken stands for an error that is in the record of the attempt.
var errBroken = errors.New("an error that is not the phase's own; see its record")

// start records the attempt, and only then gives it to a worker.
func (d *driver) start(a orchestrator.Action) {
	id := d.run.Phases[a.Phase].ID
	key := d.key(id, a.Attempt)
	d.emit(wire.Event{
		Event: orchestrator.Started(d.plan, d.run, d.options, a, key),
	})
	if d.ending.Cause == orchestrator.Broken {
		return
	}
	w := &inWork{since: workflow.Now(d.ctx)}
	w.ctx, w.cancel = workflow.WithCancel(d.work)
	d.running[id] = w
	errand, queue := d.errand(a.Phase), d.queue(a.Phase)
	workflow.Go(w.ctx, func(ctx workflow.Context) {
		m := done{phase: id}
		m.outcome, m.err = d.attempt(ctx, errand, queue)
		d.inbox.SendAsync(m)
	})
}

// key is a word that no other attempt of the run has.
func (d *driver) key(phase string, attempt int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s %d %d", d.in.Run, d.in.Session, phase, attempt,
		d.run.Seq))
	return hex.EncodeToString(sum[:8])
}

// queue is where workers with the labels of a phase look for work.
func (d *driver) queue(i int) string { return wire.QueueFor(d.in.Queue, d.in.Phases[i].RunsOn) }

// errand is all that a worker needs to make the attempt, as ids.
func (d *driver) errand(i int) wire.Errand {
	phase := &d.run.Phases[i]
	last, _ := phase.Last()
	e := wire.Errand{
		Run: d.in.Run, Session: d.in.Session, Spec: d.in.Spec, Phase: phase.ID,
		Label: phase.Label, Name: phase.Name, Attempt: last.N, Key: last.Key,
		Statuses: wire.Letters(d.run), Phases: make(map[string]wire.Standing),
		Refs: make(wire.Refs), Spent: d.run.Totals().Usage,
	}
	describe := func(j int) {
		other := &d.run.Phases[j]
		e.Phases[other.ID] = wire.ThinPhase(other)
		if refs := d.in.Refs[other.ID]; len(refs) > 0 {
			e.Refs[other.ID] = refs
		}
	}
	describe(i)
	for _, j := range d.plan.Needs(i)[:min(maxOthers, len(d.plan.Needs(i)))] {
		describe(j)
	}
	for j := range d.run.Phases {
		other := &d.run.Phases[j]
		beside := d.plan.Level(j) == d.plan.Level(i) && len(other.Attempts) > 0
		if j != i && len(e.Phases) <= maxOthers && (beside || len(other.Limits) > 0) {
			describe(j)
		}
	}
	refs := d.in.Refs[phase.ID]
	for k := len(refs) - 1; k >= 0 && e.Work == ""; k-- {
		e.Work = refs[k].Work
	}
	return e
}

// activity are the options of an activity in a queue. Retries are for machinery alone: a phase that
// failed is a result, and whether it is tried again is decided by Settle.
func (d *driver) activity(queue, summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue: queue, StartToCloseTimeout: longest, WaitForCancellation: true,
		HeartbeatTimeout: time.Duration(d.in.Lease) * time.Second, Summary: summary,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
			NonRetryableErrorTypes: []string{wire.Broken, "TemporalTimeout:StartToClose"},
		},
	}
}

// attempt has one attempt made, and its work integrated. What a worker lacks, another one may have.
func (d *driver) attempt(
	ctx workflow.Context, e wire.Errand, queue string,
) (wire.Outcome, error) {
	var out wire.Outcome
	summary := strings.TrimSpace(fmt.Sprintf("%s %s, attempt %d", e.Label, e.Name, e.Attempt))
	of := workflow.WithActivityOptions(ctx, d.activity(queue, summary))
	err := d.carryOut(of, wire.Attempt, e, &out)
	if lacks(out) && err == nil {
		e.Avoid = append(e.Avoid, out.Worker)
		var other wire.Outcome
		err = d.carryOut(of, wire.Attempt, e, &other)
		out = other
	}
	if err != nil || !out.Landed() || out.Ref.Commit == "" {
		return out, err
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	// From here on only the end of the run stops it: a push that was cut off may have landed.
	ctx, d.running[e.Phase].give = workflow.NewDisconnectedContext(ctx)
	e.Ref, e.Refs[e.Phase] = out.Ref, append(slices.Clone(e.Refs[e.Phase]), out.Ref)
	if d.in.Rows {
		return d.integrate(ctx, e)
	}
	if err = d.turn.Lock(ctx); err != nil {
		return out, err
	}
	defer d.turn.Unlock()
	of = workflow.WithActivityOptions(ctx, d.activity(queue, "integrate "+summary))
	var landed wire.Outcome
	err = d.carryOut(of, wire.Integrate, e, &landed)
	return landed, err
}

// carryOut has an errand done. One that a worker gave up although the run goes on is done again: it
// had lost the way to the server, say.
func (d *driver) carryOut(
	ctx workflow.Context, name string, e wire.Errand, out *wire.Outcome,
) error {
	for range givenUp {
		*out = wire.Outcome{}
		err := workflow.ExecuteActivity(ctx, name, e).Get(ctx, out)
		if err != nil || !out.Interrupted || ctx.Err() != nil {
			return err
		}
	}
	return errBroken
}

// lacks reports whether an attempt failed for a program that its machine does not have.
func lacks(out wire.Outcome) bool {
	f := out.Result.Attempt.Failure
	return f != nil && (f.Type == failure.DependencyMissing || f.Cause == failure.DependencyMissing)
}

// settle records the end of an attempt.
func (d *driver) settle(m done) {
	now, w := workflow.Now(d.ctx), d.running[m.phase]
	if w == nil {
		return // a stop has not waited for it
	}
	out := m.outcome
	f := orchestrator.Finished{
		Phase: m.phase, Result: out.Result, Duration: now.Sub(w.since),
		Cancelled: w.ctx.Err() != nil,
	}
	delete(d.running, m.phase)
	switch {
	case out.Broken || m.err != nil && !f.Cancelled:
		f.Err = errBroken
		if m.err != nil {
			workflow.GetLogger(d.ctx).Error("an attempt broke", "phase", m.phase, "error", m.err)
		}
		d.broken, d.culprit = out.Ref, m.phase
	case m.err != nil || out.Interrupted:
		f.Err = temporal.NewCanceledError()
	}
	if phase, ok := d.run.Find(m.phase); ok && out.Decision != nil {
		last, _ := phase.Last()
		d.decided[last.Key] = *out.Decision
	}
	settled := orchestrator.Settle(d.plan, d.run, d.options, f, now)
	if settled.Notice != "" {
		d.emit(wire.Event{Event: state.Event{
			Type: state.Notice, Phase: m.phase, Text: "another agent goes on",
		}})
	}
	d.emit(wire.Event{
		Event: settled.Event, Record: out.Ref.Record, Branch: out.Ref.Branch, Work: out.Ref.Work,
		Worker: out.Worker,
	})
	if out.Ref.Record != "" {
		d.in.Refs[m.phase] = append(slices.Clone(d.in.Refs[m.phase]), out.Ref)
	}
	if phase, ok := d.run.Find(m.phase); ok && phase.Status == state.Complete {
		delete(d.in.Refs, m.phase)
	}
	d.ending = d.ending.Then(settled.Ending)
	d.applyEditAgain()
	for _, r := range w.then {
		d.steer(r)
	}
}

// wait takes one message: the first of an attempt, a timer and the user.
func (d *driver) wait() {
	s := workflow.NewSelector(d.ctx)
	s.AddReceive(d.inbox, func(c workflow.ReceiveChannel, _ bool) {
		var m done
		c.Receive(d.ctx, &m)
		d.settle(m)
	})
	d.hear(s)
	if !d.stopped {
		s.AddReceive(d.ctx.Done(), func(workflow.ReceiveChannel, bool) { d.stop(false) })
	}
	if !d.wake.IsZero() && !d.stopped {
		timing, cancel := workflow.WithCancel(d.ctx)
		defer cancel()
		pause := max(d.wake.Sub(workflow.Now(d.ctx)), time.Millisecond)
		s.AddFuture(workflow.NewTimer(timing, pause), func(workflow.Future) {})
	}
	s.Select(d.ctx)
}

// runFinalGates has the gates of the whole plan run, once every phase is complete.
func (d *driver) runFinalGates() {
	if !d.in.Final || d.ending.Cause != orchestrator.Completed || d.stopped || !d.run.Finished() {
		return
	}
	e := wire.Errand{
		Run: d.in.Run, Session: d.in.Session, Spec: d.in.Spec,
		Statuses: wire.Letters(d.run), Key: d.key("final", 1),
	}
	of := workflow.WithActivityOptions(d.work, d.activity(d.in.Queue, "final gates"))
	var out wire.Outcome
	var err error
	for tries := 0; tries == 0 || out.Interrupted && !d.stopped && tries < givenUp; tries++ {
		out = wire.Outcome{}
		future := workflow.ExecuteActivity(of, wire.Final, e)
		for !future.IsReady() {
			s := workflow.NewSelector(d.ctx)
			s.AddFuture(future, func(workflow.Future) {})
			d.hear(s)
			s.Select(d.ctx)
		}
		err = future.Get(d.ctx, &out)
	}
	switch {
	case d.stopped || out.Interrupted:
		d.ending = orchestrator.Ending{} // nothing is known of the whole
		return
	case err != nil || out.Broken:
		d.ending = d.ending.Then(orchestrator.Ending{Cause: orchestrator.Broken, Err: errBroken})
		d.broken = out.Ref
	}
	d.final = out.Gates
	if out.Ref.Record != "" {
		d.emit(wire.Event{
			Event: state.Event{Type: state.Notice, Text: "final gates"}, Record: out.Ref.Record,
		})
	}
}
