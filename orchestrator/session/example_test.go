package session_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"autobuild/orchestrator/session"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
)

// A dry run shows what a run would do, and touches nothing.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of an example
	plan := "# House\n\n## Phase 1: Walls\n\n- [ ] build them\n"
	if err = os.WriteFile(filepath.Join(dir, "plan.md"), []byte(plan), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	var out bytes.Buffer
	caller := &call.Call{
		Stdout: &out, Stderr: &out, Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, Now: time.Now,
		Signals: call.Signals{Stop: func(ctx context.Context, _ func(string)) (context.Context, <-chan struct{}, func()) {
			return ctx, nil, func() {}
		}},
	}
	var o config.Options
	o.Bind(pflag.NewFlagSet("run", pflag.ContinueOnError))
	o.DryRun, o.AgentCmd = true, "true"
	err = session.Run(context.Background(), caller, &o, "plan.md", nil)
	fmt.Println(strings.Contains(out.String(), "Walls"), err)
	// Output: true <nil>
}
