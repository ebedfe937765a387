package workflow

import (
	"time"

	"autobuild/state"
	"go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
)

// publishTime bounds the delivery to a remote. The starter does it again, and says what kept it.
const publishTime = 10 * time.Minute

// publish has the branches of --deliver pushed, so that they are there without the starter. A run
// that was stopped leaves that to the starter.
func (d *driver) publish() {
	heads := d.heads()
	if len(heads) == 0 || d.stopped {
		return
	}
	o := d.activity(d.in.Queue, "publish")
	o.ScheduleToCloseTimeout = publishTime
	e := wire.Errand{
		Run: d.in.Run, Session: d.in.Session, Spec: d.in.Spec, Key: d.key("publish", 1),
		Heads: heads,
	}
	future := workflow.ExecuteActivity(workflow.WithActivityOptions(d.work, o), wire.Publish, e)
	for !future.IsReady() {
		s := workflow.NewSelector(d.ctx)
		s.AddFuture(future, func(workflow.Future) {})
		d.hear(s)
		s.Select(d.ctx)
	}
	if err := future.Get(d.ctx, nil); err != nil {
		workflow.GetLogger(d.ctx).Warn("the branches were not pushed", "error", err)
	}
}

// heads are the branches of the run's delivery, each with its commit; empty: the tip of the line.
func (d *driver) heads() map[string]string {
	heads := make(map[string]string)
	for i := range d.run.Phases {
		p := &d.run.Phases[i]
		if p.Status != state.Complete || p.Commit == nil || p.Commit.SHA == "" {
			continue
		}
		switch d.in.Deliver {
		case state.DeliverBranch, state.DeliverPR:
			heads["autobuild/"+d.in.Run+"/all"] = ""
		case state.DeliverStack:
			heads["autobuild/"+d.in.Run+"/"+p.ID] = p.Commit.SHA
		}
	}
	return heads
}
