package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"autobuild/failure"
	"autobuild/internal/proc"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

// dryRun shows what a run would do, and touches nothing.
func (s *session) dryRun(ctx context.Context) error {
	if err := s.findHooks(ctx); err != nil {
		return err
	}
	if err := s.choose(func(string) bool { return true }); err != nil {
		return err
	}
	s.run = &state.Run{}
	var stored *state.Run
	if store.Exists(s.project.stateDir) && !s.o.fresh {
		run, _, err := store.Load(s.project.stateDir, orchestrator.Seeds(s.plan, failure.Single{}.Attempts()))
		if err == nil && samePlan(run.Config, s.name, s.plan.Hash) {
			stored, s.run = run, run
		}
	}
	if err := s.configure(stored); err != nil {
		if exitCode(err) == exitUsage {
			return err
		}
		defer s.note("it could not start as things are: %s", render.Clean(err.Error(), 500))
		s.config = state.Config{Plan: s.name, PlanTitle: s.plan.Title, Agent: "none", Jobs: orchestrator.DefaultJobs}
	}
	if s.project.repo != nil && s.project.repo.Head == "" {
		defer s.note("it could not start as things are: the repository has no commit yet")
	}
	s.config.RunID = cmp.Or(s.config.RunID, "dry")
	if err := s.run.Apply(state.Event{Type: state.RunStarted, Config: &s.config, Phases: orchestrator.Seeds(s.plan, 1)}); err != nil {
		return err
	}
	for i, phase := range s.plan.Phases() {
		if s.selected != nil && !s.selected[i] && s.run.Phases[i].Status == state.Pending {
			if err := s.run.Apply(state.Event{Type: state.PhaseSkipped, Phase: phase.ID, Text: "not asked for"}); err != nil {
				return err
			}
		}
	}
	s.print(render.DryRun(s.plan, s.run, s.style(s.stdout)))
	return nil
}

// onePlan wants exactly one argument.
func onePlan(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(fmt.Sprintf("%s takes one plan, not %d arguments", c.CommandPath(), len(args)), "for example: "+c.CommandPath()+" plan.md")
	}
	return nil
}

func (a *app) graphCommand() *cobra.Command {
	format := choice{"text", []string{"text", "mermaid", "dot", "json"}}
	var dialect string
	var serialize bool
	c := &cobra.Command{
		Use:               "graph PLAN.md",
		Short:             "Show the graph of a plan's phases",
		Example:           "  autobuild graph plan.md\n  autobuild graph plan.md --format mermaid",
		Args:              onePlan,
		ValidArgsFunction: completePlans,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.readPlan(args[0], dialect, serialize)
			if err != nil {
				return err
			}
			out, err := render.Graph(p, nil, format.value, a.style(a.stdout))
			if err != nil {
				return err
			}
			a.print(out)
			return nil
		},
	}
	c.Flags().Var(&format, "format", "how it is shown")
	c.Flags().StringVar(&dialect, "dialect", "", "read the plan in this `DIALECT`")
	c.Flags().BoolVar(&serialize, serializeFlag, false, serializeHelp)
	return c
}

// errNoState says that nothing was ever run here.
var errNoState = errors.New("no run here: there is no state in .autobuild; start one with: autobuild PLAN.md")

// loadRun loads the run that is stored here, with the phases of its plan where that can still be read.
func (a *app) loadRun(ctx context.Context) (*project, *state.Run, *plan.Plan, error) {
	p, err := a.openProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	run, _, err := store.Load(p.stateDir, nil)
	if errors.Is(err, store.ErrNoRun) {
		return nil, nil, nil, errNoState
	}
	if err != nil {
		return nil, nil, nil, err
	}
	src, err := readBounded(p.planPath(run.Config.Plan), maxPlan)
	if err != nil {
		return p, run, nil, nil // the plan may be gone; what was recorded is not
	}
	parsed, err := markdown.Parse(run.Config.Plan, src, markdown.Options{Dialect: run.Config.Dialect})
	if err != nil {
		return p, run, nil, nil
	}
	run, _, err = store.Load(p.stateDir, orchestrator.Seeds(parsed, failure.Single{}.Attempts()))
	return p, run, parsed, err
}

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show where the run stands",
		Example: `  autobuild status
  autobuild status --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			p, run, _, err := a.loadRun(c.Context())
			if err != nil {
				return err
			}
			alive := store.Working(p.stateDir, p.lockDir)
			if !asJSON {
				a.print(render.Status(run, alive, time.Now(), a.style(a.stdout)))
				return nil
			}
			out, err := render.StatusJSON(run, alive)
			if err != nil {
				return err
			}
			a.print(string(out))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

// findPhase resolves what a person typed to a phase of the run.
func findPhase(run *state.Run, label string) (*state.Phase, error) {
	id, err := plan.NormalID(label)
	if err == nil {
		if p, ok := run.Find(id); ok {
			return p, nil
		}
	}
	labels := make([]string, len(run.Phases))
	for i := range run.Phases {
		labels[i] = run.Phases[i].Label
	}
	return nil, usage(fmt.Sprintf("the run has no phase %q", label), didYouMean(label, labels))
}

func (a *app) logsCommand() *cobra.Command {
	var attempt int
	var follow bool
	c := &cobra.Command{
		Use:               "logs PHASE",
		Short:             "Print what an agent said and what the gates printed",
		Example:           "  autobuild logs 2A\n  autobuild logs 2A --attempt 1\n  autobuild logs 2A -f",
		Args:              onePhase,
		ValidArgsFunction: a.completePhases,
		RunE: func(c *cobra.Command, args []string) error {
			p, run, _, err := a.loadRun(c.Context())
			if err != nil {
				return err
			}
			phase, err := findPhase(run, args[0])
			if err != nil {
				return err
			}
			return a.printLogs(c.Context(), p, phase, attempt, follow)
		},
	}
	c.Flags().IntVar(&attempt, "attempt", 0, "of this attempt (default: the latest)")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on printing while the phase runs")
	return c
}

// onePhase wants exactly one argument.
func onePhase(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(fmt.Sprintf("%s takes one phase, not %d arguments", c.CommandPath(), len(args)), "for example: "+c.CommandPath()+" 2A")
	}
	return nil
}

// printLogs prints the agent's log and then those of the gates. They were made safe to print when they were written.
func (a *app) printLogs(ctx context.Context, p *project, phase *state.Phase, attempt int, follow bool) error {
	if attempt == 0 {
		attempt = max(1, len(phase.Attempts))
	}
	logs := filepath.Join(p.stateDir, "logs")
	prefix := fmt.Sprintf("phase-%s.%d.", phase.ID, attempt)
	main := filepath.Join(logs, prefix+"log")
	if !fileExists(main) {
		return fmt.Errorf("there is no log of attempt %d of phase %s in %s; see autobuild status for what has run", attempt, phase.Label, a.shown(logs))
	}
	if follow {
		return a.followLog(ctx, p, phase.ID, main)
	}
	if err := a.copyFile(main, 0); err != nil {
		return err
	}
	for _, name := range gateLogs(phase, attempt) {
		a.print("\n==> " + filepath.Base(name) + " <==\n")
		path := filepath.Join(p.stateDir, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.Size() == 0 {
			a.print("(nothing was printed)\n")
		}
		if err := a.copyFile(path, 0); err != nil {
			return err
		}
	}
	return nil
}

// gateLogs are the logs of the gates of one attempt, in the order in which they ran.
func gateLogs(phase *state.Phase, attempt int) []string {
	var names []string
	for _, a := range phase.Attempts {
		for _, g := range a.Gates {
			if a.N == attempt && g.Log != "" {
				names = append(names, g.Log)
			}
		}
	}
	return names
}

func (a *app) copyFile(path string, from int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	if _, err = f.Seek(from, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(a.stdout, f)
	return err
}

// followEvery is how often a log is looked at while it grows.
const followEvery = 200 * time.Millisecond

// followLog prints what is added to a log until the phase does not run any more.
func (a *app) followLog(ctx context.Context, p *project, id, path string) error {
	ctx, _, stop := a.signals(ctx, func(string) {})
	defer stop()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	var at int64
	for {
		running := stillRunning(p, id) // asked before the log is read, so that its last words are printed
		var err error
		if at, err = a.copyFrom(path, at); err != nil {
			return err
		}
		if !running {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func stillRunning(p *project, id string) bool {
	run, _, err := store.Load(p.stateDir, nil)
	if err != nil {
		return false
	}
	phase, ok := run.Find(id)
	return ok && phase.Status == state.Running
}

// copyFrom prints what a growing file has beyond at, and returns its size.
func (a *app) copyFrom(path string, at int64) (int64, error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() <= at {
		return at, err
	}
	return info.Size(), a.copyFile(path, at)
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  autobuild version --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				a.print("autobuild " + version() + "\n")
				return nil
			}
			out, err := json.Marshal(map[string]any{"autobuild": version(), "schema": state.Schema, "events": state.EventVersion})
			if err != nil {
				return err
			}
			a.print(string(out) + "\n")
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
