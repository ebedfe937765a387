package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/session/workspace"
	"autobuild/render"
	"autobuild/state"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"autobuild/temporal/activities"
	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// Pauses between questions to the workflow.
const (
	askSoon = 200 * time.Millisecond
	askLate = 2 * time.Second
	// a query waits this long where no worker looks for work
	queryTime = 15 * time.Second
	// how long an unreachable server is waited for before the user hears of it
	patience = 10 * time.Second
	// how often logs of running attempts are looked for
	logsEvery = 2 * time.Second
)

// errNotSaved means that the store has refused an event: the loop has the error.
var errNotSaved = errors.New("an event could not be saved")

// follow mirrors the run until it has ended. The end of ctx stops the run.
func (f *follower) follow(
	ctx context.Context, run *state.Run,
) (orchestrator.Ending, []state.Gate, error) {
	unwatch := f.WatchPlan()
	defer unwatch()
	calm := context.WithoutCancel(ctx)
	asking, cancel := context.WithCancel(calm)
	f.asking, f.helm.answers = asking, make(chan answered)
	defer f.leave(cancel)
	stop, kill, goOn := ctx.Done(), f.Kill, f.Local.GoOn
	f.heard, f.shown, f.listed = f.now(), f.now(), f.now()
	for pause := askSoon; ; {
		events, out, err := f.catchUp(calm, run)
		if err != nil {
			return orchestrator.Ending{}, nil, err
		}
		if out != nil {
			return f.end(calm, *out)
		}
		f.respond()
		if pause = min(pause*3/2, askLate); events > 0 || len(f.helm.waiting) > 0 {
			pause = askSoon
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-stop:
			stop = nil
			err = f.signal(calm, wire.Stop, wire.Stopping{})
		case <-kill:
			kill = nil
			err = f.signal(calm, wire.Stop, wire.Stopping{Now: true})
		case <-goOn:
			err = f.signal(calm, wire.GoOn, nil)
		case r := <-f.Local.Requests:
			f.steer(asking, run, r)
		case e := <-f.Local.Edits:
			f.edit(asking, run, e, f.noticeEdit)
		case a := <-f.helm.answers:
			f.helm.waiting = append(f.helm.waiting, a)
		}
		timer.Stop()
		if err != nil && !passing(err) {
			return orchestrator.Ending{}, nil, err
		}
	}
}

// catchUp mirrors what has happened since it was called last: it returns the number of events, and
// the end of the run where that is known. An error ends the mirroring, and the run goes on.
func (f *follower) catchUp(
	ctx context.Context, run *state.Run,
) (events int, out *wire.Output, err error) {
	page, err := f.ask(ctx)
	switch {
	case err == nil:
		f.heard, f.warned = f.now(), false
	case !passing(err):
		return 0, nil, fmt.Errorf("following %s: %w", f.id, err)
	case f.now().Sub(f.heard) > patience && !f.warned:
		f.warned = true
		f.emit(state.Event{Type: state.Notice, Text: f.waiting(ctx, err)})
	}
	if page.Spec != "" {
		f.current = page.Spec
	}
	current := err == nil && page.First+len(page.Events) >= page.Total
	for _, e := range page.Events {
		if err = f.take(ctx, run, e); err != nil {
			return 0, nil, f.lost(err)
		}
		f.shown = f.now()
	}
	if current && f.Session == nil && !f.compared && page.Output == nil {
		f.compared = true
		f.compare(ctx, run)
	}
	if current && f.Attached != nil {
		if err = f.Attached(); err != nil {
			return 0, nil, f.lost(err)
		}
		f.Attached = nil
	}
	if page.Output != nil {
		return len(page.Events), page.Output, nil
	}
	if f.now().Sub(f.listed) > logsEvery {
		f.mirrorLogs(ctx)
		f.listed = f.now()
	}
	if every := f.heartbeat(); every > 0 && f.now().Sub(f.shown) > every {
		f.shown = f.now()
		if !f.emit(state.Event{Type: state.Heartbeat}) {
			return 0, nil, f.lost(errNotSaved)
		}
	}
	return len(page.Events), nil, nil
}

// now is the starter's clock: what it decides is how long to be silent.
func (f *follower) now() time.Time { return f.Call.Now() }

func (f *follower) signal(ctx context.Context, name string, value any) error {
	return f.conn.SignalWorkflow(ctx, f.id, "", name, value)
}

// heartbeat is the silence after which a sign of life is shown.
func (f *follower) heartbeat() time.Duration {
	if f.Local.Heartbeat == 0 {
		return local.DefaultHeartbeat
	}
	return f.Local.Heartbeat
}

// lost is the error where an event could not be mirrored.
func (f *follower) lost(err error) error {
	return fmt.Errorf("mirroring %s, which goes on: %w", f.id, err)
}

// ask gets the next events: from the links of the workflow's chain that have them.
func (f *follower) ask(ctx context.Context) (wire.Page, error) {
	link := ""
	for {
		page, err := f.query(ctx, link)
		if err != nil || page.First <= f.next || page.Previous == "" {
			return page, err
		}
		link = page.Previous
	}
}

func (f *follower) query(ctx context.Context, link string) (page wire.Page, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	answer, err := f.conn.QueryWorkflow(ctx, f.id, link, wire.Query, f.next)
	if err != nil {
		return f.closed(ctx, link, err)
	}
	err = answer.Get(&page)
	return page, err
}

// closed reads the end of a workflow from its result, for which no worker is needed.
func (f *follower) closed(ctx context.Context, link string, cause error) (wire.Page, error) {
	var page wire.Page
	seen, err := f.conn.DescribeWorkflowExecution(ctx, f.id, link)
	if err != nil {
		return page, cause
	}
	switch seen.GetWorkflowExecutionInfo().GetStatus() {
	case enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:
	case enums.WORKFLOW_EXECUTION_STATUS_RUNNING,
		enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW:
		return page, cause
	default:
		return page, fmt.Errorf("the workflow was ended from outside (%s); resume with --resume: %w",
			seen.GetWorkflowExecutionInfo().GetStatus(), cause)
	}
	var out wire.Output
	if err = f.conn.GetWorkflow(ctx, f.id, link).Get(ctx, &out); err != nil {
		return page, cause
	}
	if out.First > f.next && !f.skips(out) {
		return page, cause // a worker is needed to tell what happened before
	}
	page.First, page.Events, page.Output = out.First, out.Tail[max(0, f.next-out.First):], &out
	return page, nil
}

// skips reports whether everything before the tail has been mirrored by an earlier call.
func (f *follower) skips(out wire.Output) bool {
	for _, e := range out.Tail {
		if e.Seq > 0 {
			return f.next == 0 && e.Seq <= f.Run.Seq+1
		}
	}
	return false
}

// passing reports whether asking again may help: the server restarts, or no worker looks for work.
func passing(err error) bool {
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return false
	}
	_, failed := errors.AsType[*serviceerror.QueryFailed](err)
	_, denied := errors.AsType[*serviceerror.PermissionDenied](err)
	return !failed && !denied
}

// waiting says why nothing is heard of the run.
func (f *follower) waiting(ctx context.Context, err error) string {
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	if _, down := f.conn.DescribeWorkflowExecution(ctx, f.id, ""); down != nil {
		return "the Temporal server does not answer; the run goes on when it is back: " +
			text.Clean(down.Error(), 200)
	}
	return "no worker looks for work; start one: autobuild-temporal worker --repo " +
		text.Clean(f.remote.URL, 200) + " (" + text.Clean(err.Error(), 100) + ")"
}

// take mirrors one event: with its record, its commit and its logs. Events that an earlier call has
// mirrored are left out.
func (f *follower) take(ctx context.Context, run *state.Run, e wire.Event) error {
	f.next++
	if e.Seq > 0 && e.Seq <= run.Seq {
		return nil
	}
	if e.Type == state.PhaseStarted {
		if p, ok := f.Local.Plan.Index(e.Phase); ok {
			e.Print = f.Local.Plan.At(p).Fingerprint
		}
	}
	if e.Type == state.PlanEdited {
		return f.takeEdit(ctx, run, e)
	}
	if e.Command != "" {
		if err := f.remote.Fetch(ctx, e.Command); err != nil {
			return err
		}
		c, err := dataplane.ReadCommand(ctx, f.git, e.Command)
		if err != nil {
			return err
		}
		e.Text = wire.Worded(e.Text, e.Command, c)
	}
	var r dataplane.Record
	if e.Record != "" {
		if err := f.remote.Fetch(ctx, e.Record); err != nil {
			return err
		}
		var err error
		if r, err = dataplane.ReadRecord(ctx, f.git, e.Record); err != nil {
			return err
		}
		if err = f.keepLogs(ctx, e.Record); err != nil {
			return err
		}
		for _, seen := range r.Events {
			if !f.emit(seen) {
				return errNotSaved
			}
		}
	}
	if e.Record != "" && e.Type == state.Notice && e.Phase == "" {
		return nil // it carried the record of the final gates
	}
	if err := f.complete(ctx, &e, r); err != nil {
		return err
	}
	if _, known := run.Find(e.Phase); e.Phase != "" && !known && e.Seq > 0 {
		run.Seq = e.Seq // of a phase that has left the plan since, and stays elsewhere until it ends
		return nil
	}
	e.Seq = 0
	if !f.emit(e.Event) {
		return errNotSaved
	}
	return nil
}

// complete puts the record of an attempt in the place of what has travelled of it, and brings its
// work here.
func (f *follower) complete(ctx context.Context, e *wire.Event, r dataplane.Record) error {
	switch {
	case e.Type == state.PhaseInterrupted && r.Err != "":
		e.Text = r.Err
	case e.Type == state.AttemptFinished && e.Result != nil && e.Record != "":
		full := activities.Merged(*e.Result, r)
		full.Dir, full.Branch = "", e.Branch
		e.Result = &full
	default:
		return nil
	}
	if e.Work != "" {
		if err := f.remote.Fetch(ctx, e.Work); err != nil {
			return err
		}
		return f.space.Line.Keep(ctx, e.Phase, e.Work)
	}
	if e.Result == nil || e.Result.Failure != nil || e.Result.Commit == nil ||
		e.Result.Commit.SHA == "" {
		return nil
	}
	return f.deliver(ctx, e.Result.Commit)
}

// deliver moves the line here to what has landed, and brings it into the checkout.
func (f *follower) deliver(ctx context.Context, c *state.Commit) error {
	if err := f.remote.Fetch(ctx, c.SHA); err != nil {
		return err
	}
	if err := f.space.Line.Adopt(ctx, c.SHA); err != nil {
		return err
	}
	d, err := f.space.Line.Deliver(ctx)
	if err != nil {
		return err
	}
	c.Delivered, c.Obstacle = d.Delivered, workspace.Obstacle(d.Why)
	if f.Run.Config.CommitMode == state.CommitSingle {
		c.Obstacle = state.Obstacle{}
	}
	c.Undelivered = render.ObstacleText(c.Obstacle)
	return nil
}

// keepLogs puts the logs of a record where those of local attempts are.
func (f *follower) keepLogs(ctx context.Context, record string) error {
	logs, err := dataplane.Logs(ctx, f.git, record)
	if err != nil {
		return err
	}
	dir := filepath.Join(f.Project.StateDir, "logs")
	if err = os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, data := range logs {
		if name == "execution.log" {
			continue
		}
		if err = safefile.Write(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// end is how the run ended.
func (f *follower) end(
	ctx context.Context, out wire.Output,
) (orchestrator.Ending, []state.Gate, error) {
	var broken error
	final := out.Final
	if out.Cause == orchestrator.Broken {
		broken = errors.New("a worker could not go on; its log says why")
	}
	if out.Record != "" {
		if err := f.remote.Fetch(ctx, out.Record); err != nil {
			return orchestrator.Ending{}, nil, f.lost(err)
		}
		r, err := dataplane.ReadRecord(ctx, f.git, out.Record)
		if err != nil {
			return orchestrator.Ending{}, nil, f.lost(err)
		}
		if r.Err != "" {
			broken = errors.New(r.Err)
		}
		if out.Phase != "" {
			broken = fmt.Errorf("phase %s: %w", out.Phase, broken)
		}
	}
	return out.Ending(broken), final, nil
}
