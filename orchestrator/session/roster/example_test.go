package roster_test

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/roster"
	"autobuild/plan/markdown"
	"autobuild/state"
)

// Without a coding agent on PATH the plan's own sh blocks are run.
func ExampleRoster_Choose() {
	p, err := markdown.Parse("plan.md", []byte("## Phase 1: Build\n\n```sh\nmake\n```\n"), markdown.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var o config.Options
	o.Bind(pflag.NewFlagSet("run", pflag.ContinueOnError))
	c := &call.Call{Stderr: &strings.Builder{}, Dir: "/", Environ: []string{"PATH=/nowhere"}}
	r := roster.New(c, &o, &call.Project{Root: "/"}, p, "plan.md", nil)
	err = r.Choose(state.Config{})
	fmt.Println(r.Agent.Name, r.PolicyName, err)
	// Output: script single <nil>
}
