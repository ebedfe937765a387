package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"autobuild/internal/text"
	"autobuild/orchestrator/session"
	"autobuild/orchestrator/session/call"
	"autobuild/state"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// Elsewhere asks the server for the workflow of the stored session, and for others of the plan in
// this repository.
func (g *Engine) Elsewhere(
	ctx context.Context, p *call.Project, plan string, run *state.Run,
) (at session.Elsewhere, err error) {
	if p.Repo == nil {
		return at, nil
	}
	if err = g.connect(ctx, g.Environ); err != nil {
		return at, err
	}
	if run != nil && run.End == nil && run.Config.RunID != "" {
		if at, err = g.stored(ctx, run); err != nil || at.Joins {
			return at, err
		}
	}
	at.Open, err = g.open(ctx, dataplane.Git{Dir: p.Root, Env: g.Environ}, plan)
	return at, err
}

// stored is what the server knows of the stored session.
func (g *Engine) stored(
	ctx context.Context, run *state.Run,
) (at session.Elsewhere, err error) {
	id := WorkflowID(run.Config.RunID, run.Config.Sessions)
	seen, err := g.conn.DescribeWorkflowExecution(ctx, id, "")
	if _, unknown := errors.AsType[*serviceerror.NotFound](err); unknown {
		return at, nil
	}
	if err != nil {
		return at, fmt.Errorf("asking the Temporal server for %s: %w", id, err)
	}
	switch info := seen.GetWorkflowExecutionInfo(); info.GetStatus() {
	case enums.WORKFLOW_EXECUTION_STATUS_RUNNING:
		at.Joins = true
		at.Open = opened(info, run.Config.Plan, "started from here at "+
			run.Config.Started.UTC().Format(time.DateTime))
	case enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		at.Joins = true
	default:
		at.Ended = fmt.Sprintf("run %s was ended on the Temporal server at %s (%s); --resume goes on "+
			"from what is stored here", run.Config.RunID,
			info.GetCloseTime().AsTime().Format(time.DateTime),
			strings.ToLower(info.GetStatus().String()))
	}
	return at, nil
}

// open is a run of the plan that goes on; empty: none does. An empty plan is any.
func (g *Engine) open(ctx context.Context, here dataplane.Git, plan string) (string, error) {
	identity, err := here.Identity(ctx, "HEAD")
	if err != nil {
		return "", nil //nolint:nilerr // without a commit nothing was started
	}
	seen, err := g.conn.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: g.namespace, PageSize: mostListed,
		Query: "WorkflowType = '" + wire.Workflow + "' AND TaskQueue = '" + Queue(identity) +
			"' AND ExecutionStatus = 'Running'",
	})
	if err != nil {
		return "", fmt.Errorf("listing the runs of this repository: %w", err)
	}
	for _, w := range seen.GetExecutions() {
		l := listed(w, g.converter)
		s, err := g.specAt(ctx, here, l)
		if err != nil {
			return "", fmt.Errorf("reading what run %s, which is open, goes by: %w", l.Run, err)
		}
		if plan == "" || s.Plan == plan {
			return opened(w, s.Plan, fmt.Sprintf("started on %s in %s at %s", text.Clean(s.Host, 100),
				text.Clean(s.Dir, 300), w.GetStartTime().AsTime().Format(time.DateTime))), nil
		}
	}
	return "", nil
}

// specAt is the spec by which a listed session began.
func (g *Engine) specAt(
	ctx context.Context, here dataplane.Git, l Listed,
) (s dataplane.Spec, err error) {
	remote, err := remoteOf(ctx, here)
	if err != nil {
		return s, err
	}
	commit, err := remote.Ref(ctx, dataplane.SpecRef(l.Run, l.Session))
	if err != nil || commit == "" {
		return s, err
	}
	return dataplane.ReadSpec(ctx, here, commit)
}

// opened says which run goes on, where it is from, and how it is ended.
func opened(w *workflow.WorkflowExecutionInfo, plan, from string) string {
	id := text.CleanLine(w.GetExecution().GetWorkflowId(), 2*mostName)
	run := strings.TrimPrefix(id, "autobuild-")
	return fmt.Sprintf("run %s of %s is open on the Temporal server, %s; wait for its end, or end "+
		"it: there with autobuild-temporal stop, from anywhere with temporal workflow terminate -w %s",
		run[:max(0, strings.LastIndexByte(run, '-'))], text.CleanLine(plan, 300), from, id)
}
