package client

import (
	"context"
	"errors"
	"sync"

	"autobuild/orchestrator"
	"autobuild/state"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// errEnding answers a command that the run does not take any more.
var errEnding = &orchestrator.CommandError{
	Why: "the run is ending", Next: "autobuild status shows how it goes on",
}

// helm passes commands of the user on to the workflow, and its answers back: once what follows from
// a command has been mirrored. The zero helm has no command.
type helm struct {
	group   sync.WaitGroup
	answers chan answered
	waiting []answered // until their events are here
}

// answered is a command with its answer.
type answered struct {
	request orchestrator.Request
	answer  wire.Answer
	err     error
}

func (a answered) reply() {
	if a.err == nil && a.answer.Why != "" {
		a.err = &orchestrator.CommandError{Why: a.answer.Why, Next: a.answer.Next}
	}
	a.request.Answer(a.answer.Text, a.err)
}

// steer sends a command; its answer comes by f.helm.answers.
func (f *follower) steer(ctx context.Context, run *state.Run, r orchestrator.Request) {
	if r.Command.Kind == orchestrator.ReloadPlan {
		f.edit(ctx, run, f.Local.Reload(), r.Answer)
		return
	}
	c, err := f.words(ctx, run, r.Command)
	if err != nil {
		r.Answer("", err)
		return
	}
	f.send(ctx, r, c)
}

// send sends a command as an update of the workflow.
func (f *follower) send(ctx context.Context, r orchestrator.Request, c wire.Command) {
	f.helm.group.Go(func() {
		a := answered{request: r}
		var handle client.WorkflowUpdateHandle
		handle, a.err = f.conn.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
			WorkflowID: f.id, UpdateName: wire.Steer, Args: []any{c},
			WaitForStage: client.WorkflowUpdateStageCompleted,
		})
		if a.err == nil {
			a.err = handle.Get(ctx, &a.answer)
		}
		_, gone := errors.AsType[*serviceerror.NotFound](a.err)
		if gone || ctx.Err() != nil {
			a.err = errEnding
		}
		f.helm.answers <- a
	})
}

// words pushes a command with its words to the remote, and returns it without them.
func (f *follower) words(
	ctx context.Context, run *state.Run, c orchestrator.Command,
) (wire.Command, error) {
	if p, ok := run.Find(c.Phase); ok && c.Kind == orchestrator.NotePhase {
		// the workflow does not see the text, so its bounds are checked here
		bounds := &state.Run{Phases: []state.Phase{{ID: p.ID, Label: p.Label}}}
		if _, err := orchestrator.Steer(bounds, c); err != nil {
			return wire.Command{}, err
		}
	}
	ref, err := dataplane.WriteCommand(ctx, f.git, c)
	if err != nil {
		return wire.Command{}, err
	}
	err = f.remote.Push(ctx, f.git, nil,
		"+"+ref+":"+dataplane.CommandRef(run.Config.RunID, ref))
	return wire.ThinCommand(c, ref), err
}

// respond gives the answers whose events are here.
func (f *follower) respond() {
	var later []answered
	for _, a := range f.helm.waiting {
		if a.err == nil && a.answer.Events > f.next {
			later = append(later, a)
			continue
		}
		a.reply()
	}
	f.helm.waiting = later
}

// leave ends what is still on its way to the workflow, and answers it.
func (f *follower) leave(cancel context.CancelFunc) {
	cancel()
	go func() {
		f.helm.group.Wait()
		close(f.helm.answers)
	}()
	for a := range f.helm.answers {
		a.reply()
	}
	for _, a := range f.helm.waiting {
		a.reply()
	}
}
