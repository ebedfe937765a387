package client

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/environ"
	"autobuild/internal/text"
	"autobuild/state"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// mostListed bounds a list of runs, and a name in it.
const (
	mostListed = 100
	mostName   = 60
)

// Listed is a session of a run as a server lists it.
type Listed struct {
	Run        string
	Session    int
	Plan       string // name of its file
	Repository string // last part of the remote's name
	State      string
	Started    time.Time
}

// List returns the latest sessions of runs that a server knows, newest first, at most 100. env says
// how the server is reached.
func List(ctx context.Context, env environ.Environ) ([]Listed, error) {
	o, err := Options(env)
	if err != nil {
		return nil, err
	}
	conn, err := client.Dial(o)
	if err != nil {
		return nil, fmt.Errorf("no Temporal server answers at %s: %w; start one, or set "+
			"TEMPORAL_ADDRESS", o.HostPort, err)
	}
	defer conn.Close()
	seen, err := conn.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: o.Namespace, PageSize: mostListed,
		Query: "WorkflowType = '" + wire.Workflow + "' AND ExecutionStatus != 'ContinuedAsNew'",
	})
	if err != nil {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	var runs []Listed
	for _, w := range seen.GetExecutions() {
		runs = append(runs, listed(w, converterOf(o.DataConverter)))
	}
	return runs, nil
}

// listed reads a workflow of a list.
func listed(w *workflow.WorkflowExecutionInfo, from converter.DataConverter) Listed {
	field := func(name string) (value string) {
		p := w.GetMemo().GetFields()[name]
		if p == nil || from.FromPayload(p, &value) != nil {
			return "?" // another key, or a version that noted nothing
		}
		return text.CleanLine(value, mostName)
	}
	l := Listed{
		Plan: field(wire.ListedPlan), Repository: field(wire.ListedRepository),
		State: field(wire.ListedState), Started: w.GetStartTime().AsTime(),
	}
	id := strings.TrimPrefix(w.GetExecution().GetWorkflowId(), "autobuild-")
	cut := max(0, strings.LastIndexByte(id, '-'))
	l.Run = text.CleanLine(id[:cut], mostName)
	l.Session, _ = strconv.Atoi(strings.TrimPrefix(id[cut:], "-"))
	switch status := w.GetStatus(); status {
	case enums.WORKFLOW_EXECUTION_STATUS_RUNNING, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:
	default:
		l.State = "ended from outside: " + strings.ToLower(status.String())
	}
	return l
}

// listing is what lists say of a run.
type listing struct{ plan, repository string }

func (f *follower) listing(run *state.Run) listing {
	return listing{
		plan:       text.CleanLine(path.Base(run.Config.Plan), mostName),
		repository: text.CleanLine(dataplane.RepositoryName(f.remote.URL), mostName),
	}
}

func (l listing) memo() map[string]any {
	return map[string]any{
		wire.ListedPlan: l.plan, wire.ListedRepository: l.repository,
		wire.ListedState: wire.Running,
	}
}

func (l listing) attributes() temporal.SearchAttributes {
	key := temporal.NewSearchAttributeKeyKeyword
	return temporal.NewSearchAttributes(key(wire.ListedPlan).ValueSet(l.plan),
		key(wire.ListedRepository).ValueSet(l.repository),
		key(wire.ListedState).ValueSet(wire.Running))
}

// searchable reports whether the server has the search attributes of runs, or takes them. A server
// that is to see ciphertext alone gets none: attributes are not encrypted.
func (f *follower) searchable(ctx context.Context) bool {
	if f.sealed {
		return false
	}
	const keyword = enums.INDEXED_VALUE_TYPE_KEYWORD
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	_, err := f.conn.OperatorService().AddSearchAttributes(ctx,
		&operatorservice.AddSearchAttributesRequest{
			Namespace: f.namespace, SearchAttributes: map[string]enums.IndexedValueType{
				wire.ListedPlan: keyword, wire.ListedRepository: keyword, wire.ListedState: keyword,
			},
		})
	_, there := errors.AsType[*serviceerror.AlreadyExists](err)
	return err == nil || there
}
