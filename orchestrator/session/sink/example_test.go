package sink_test

import (
	"fmt"
	"os"
	"path/filepath"

	"autobuild/orchestrator/session/sink"
	"autobuild/orchestrator/session/spec"
	"autobuild/orchestrator/session/workspace"
	"autobuild/plan/markdown"
	"autobuild/state"
)

// A phase that completes is ticked in a plan that git does not track.
func ExamplePlanMarker_Event() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of an example
	path, text := filepath.Join(dir, "plan.md"), "## Phase 1: Walls\n\n- [ ] build them\n"
	p, marker, err := markdown.ParseMarked(path, []byte(text), markdown.Options{})
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	m := sink.PlanMarker{
		Spec: spec.Plan{Path: path}, Root: dir, Marks: workspace.NewMarks(p, marker),
	}
	run := &state.Run{Phases: []state.Phase{{ID: "1", Status: state.Complete}}}
	if err == nil {
		err = m.Event(state.Event{Type: state.AttemptFinished, Phase: "1", Status: state.Complete}, run)
	}
	marked, _ := os.ReadFile(path)
	fmt.Printf("%s%v\n", marked, err)
	// Output:
	// ## Phase 1: Walls
	//
	// - [x] build them
	// <nil>
}
