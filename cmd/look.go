package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"autobuild/failure"
	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/render"
	"autobuild/render/term"
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
	if store.Exists(s.project.stateDir) && !s.o.Fresh {
		run, _, err := store.Load(s.project.stateDir, orchestrator.Seeds(s.plan, failure.Single{}.Attempts()))
		if err == nil && samePlan(run.Config, s.name, s.plan.Hash) {
			stored, s.run = run, run
		}
	}
	s.marked = s.marks(stored)
	s.leaveMarked()
	if err := s.configure(stored); err != nil {
		if exitCode(err) == exitUsage {
			return err
		}
		defer s.note("it could not start as things are: %s", text.Clean(err.Error(), 500))
		s.config = state.Config{RunID: s.run.Config.RunID, Plan: s.name, PlanTitle: s.plan.Title, Agent: "none", Jobs: orchestrator.DefaultJobs}
	}
	if s.project.repo != nil && s.project.repo.Head == "" {
		defer s.note("it could not start as things are: the repository has no commit yet")
	}
	s.config.RunID = cmp.Or(s.config.RunID, "dry")
	if err := s.run.Apply(state.Event{Type: state.RunStarted, Config: &s.config, Phases: orchestrator.Seeds(s.plan, 1)}); err != nil {
		return err
	}
	for i, phase := range s.plan.Phases() {
		why, left := s.begin.Skip[phase.ID]
		if (left || s.selected != nil && !s.selected[i]) && s.run.Phases[i].Status == state.Pending {
			if err := s.run.Apply(state.Event{Type: state.PhaseSkipped, Phase: phase.ID, Text: cmp.Or(why, "not asked for")}); err != nil {
				return err
			}
		}
	}
	s.print(term.DryRun(s.plan, s.run, s.style(s.stdout)))
	for _, phase := range s.plan.Phases() {
		if why, marked := s.marked[phase.ID]; marked {
			s.note("phase %s: %s", phase.Label, why)
		}
	}
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
	format := config.Choice{Value: "text", Words: []string{"text", "mermaid", "dot", "json"}}
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
			out, err := term.Graph(p, nil, format.Value, a.style(a.stdout))
			if err != nil {
				return err
			}
			a.print(out)
			return nil
		},
	}
	c.Flags().Var(&format, "format", "how it is shown")
	c.Flags().StringVar(&dialect, "dialect", "", "read the plan in this `DIALECT`")
	c.Flags().BoolVar(&serialize, config.SerializeFlag, false, config.SerializeHelp)
	return c
}

// errNoState says that nothing was ever run here.
var errNoState = errors.New("no run here: there is no state in .autobuild; start one with: autobuild PLAN.md")

// noState says that nothing was ever run here, or that a run is only just beginning.
func noState(p *project) error {
	h, held := store.Held(p.stateDir, p.lockDir)
	if !held || h.PID == 0 || elsewhere(p, h) != nil {
		return errNoState
	}
	return fmt.Errorf("the run here has only just begun (process %d): before its first phase it runs the gates once; look again in a moment", h.PID)
}

// loadRun loads the run that is stored here, with the phases of its plan where that can still be read.
func (a *app) loadRun(ctx context.Context) (*project, *state.Run, *plan.Plan, error) {
	p, err := a.openProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	run, _, err := store.Load(p.stateDir, nil)
	if errors.Is(err, store.ErrNoRun) {
		return nil, nil, nil, noState(p)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	lookUpCutOffs(p.stateDir, run)
	src, err := safefile.ReadNamed(p.planPath(run.Config.Plan), maxPlan)
	if err != nil {
		return p, run, nil, nil // the plan may be gone; what was recorded is not
	}
	parsed, err := markdown.Parse(run.Config.Plan, src, markdown.Options{Dialect: run.Config.Dialect})
	if err != nil {
		return p, run, nil, nil
	}
	if run, _, err = store.Load(p.stateDir, orchestrator.Seeds(parsed, failure.Single{}.Attempts())); err != nil {
		return nil, nil, nil, err
	}
	lookUpCutOffs(p.stateDir, run)
	return p, run, parsed, nil
}

func (a *app) statusCommand() *cobra.Command {
	var asJSON, watch bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show where the run stands",
		Example: `  autobuild status
  autobuild status --watch   until the run ends, and end as it ended
  autobuild status --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case watch && asJSON:
				return usage("--watch is for people and --json for programs", "a program reads .autobuild/events.jsonl, or waits with: autobuild wait")
			case watch:
				return a.watch(c.Context())
			}
			p, run, _, err := a.loadRun(c.Context())
			if err != nil {
				return err
			}
			alive := store.Working(p.stateDir, p.lockDir)
			if !asJSON {
				a.print(term.Status(run, a.stands(p, run, alive), alive, time.Now(), a.style(a.stdout)))
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
	c.Flags().BoolVar(&watch, "watch", false, "go on showing it, and end with the run and its exit code")
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
	return nil, usage(fmt.Sprintf("the run has no phase %q", label), text.Suggest(label, labels, config.SeeHelp))
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
