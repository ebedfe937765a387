package workflow_test

import (
	"path/filepath"
	"testing"

	"go.temporal.io/sdk/worker"
	sdk "go.temporal.io/sdk/workflow"

	"autobuild/temporal/wire"
	"autobuild/temporal/workflow"
)

// Runs that an earlier version has begun go on under this one: their recorded histories lead to the
// same decisions. RECORD_HISTORIES=DIR makes the tests of package e2e record them.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded histories: %v", err)
	}
	for _, f := range files {
		replayer := worker.NewWorkflowReplayer()
		replayer.RegisterWorkflowWithOptions(workflow.Run,
			sdk.RegisterOptions{Name: wire.Workflow})
		if err := replayer.ReplayWorkflowHistoryFromJSONFile(quietLog{}, f); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}
