//go:build unix

package doctor

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"autobuild/internal/environ"
	"autobuild/internal/proc"
	"autobuild/internal/sandbox"
	"autobuild/orchestrator/session/config"
	"autobuild/render"
)

// The test binary is the supervisor of its children, and the stage of a sandbox.
func TestMain(m *testing.M) {
	proc.Supervise()
	if sandbox.Confined(os.Args) {
		_ = sandbox.Enter(os.Args, os.Environ())
		os.Exit(126)
	}
	os.Exit(m.Run())
}

// A doctor that probes ends within a minute, whatever its agent does.
func TestProbeIsShort(t *testing.T) {
	t.Parallel()
	if most := quickPatience + probePatience + proc.DefaultGrace; most >= time.Minute {
		t.Errorf("a probe may take %s", most)
	}
}

// An agent that waits for a person, and one that prints without end, are stopped although they
// ignore the signal, and prove nothing.
func TestProbeOfHanging(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"waits":  `trap "" TERM; echo "Open https://example.com/device and enter the code"; while :; do sleep 1; done`,
		"floods": `trap "" TERM; exec yes`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner := &proc.Runner{}
			defer runner.Close()
			all := environ.Environ(os.Environ())
			d := &Doctor{
				Runner: runner, Environ: all, Dir: t.TempDir(), Note: func(string, ...any) {}, limit: 300 * time.Millisecond,
				Shown:    func(path string) string { return path },
				Children: func([]string) environ.Environ { return all },
				Try:      func([]string) error { return nil },
				Open: func(context.Context, *config.Options) (*Project, error) {
					return &Project{Root: t.TempDir(), StateDir: t.TempDir(), Settings: config.Settings{File: config.File{Agents: map[string]config.Agent{
						"mine": {Command: []string{"sh", "-c", script}, Result: "exit"},
					}}}}, nil
				},
			}
			findings, err := d.Look(t.Context(), "mine", true)
			if err != nil {
				t.Fatal(err)
			}
			last := findings[len(findings)-1]
			if last.Level != render.Fatal || !strings.Contains(last.What, "no end within 300ms") {
				t.Errorf("%+v", findings)
			}
		})
	}
}
