package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"autobuild/internal/call"

	"github.com/spf13/cobra"

	"autobuild/failure"
	"autobuild/internal/config"
	"autobuild/internal/text"
	"autobuild/orchestrator"
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
	if store.Exists(s.project.StateDir) && !s.o.Fresh {
		run, _, err := store.Load(s.project.StateDir, orchestrator.Seeds(s.plan, failure.Single{}.Attempts()))
		if err == nil && call.SamePlan(run.Config, s.name, s.plan.Hash) {
			stored, s.run = run, run
		}
	}
	s.marked = s.marks(stored)
	s.leaveMarked()
	if err := s.configure(stored); err != nil {
		if exitCode(err) == exitUsage {
			return err
		}
		defer s.Note("it could not start as things are: %s", text.Clean(err.Error(), 500))
		s.config = state.Config{RunID: s.run.Config.RunID, Plan: s.name, PlanTitle: s.plan.Title, Agent: "none", Jobs: orchestrator.DefaultJobs}
	}
	if s.project.Repo != nil && s.project.Repo.Head == "" {
		defer s.Note("it could not start as things are: the repository has no commit yet")
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
	s.Print(term.DryRun(s.plan, s.run, s.Style(s.Stdout)))
	for _, phase := range s.plan.Phases() {
		if why, marked := s.marked[phase.ID]; marked {
			s.Note("phase %s: %s", phase.Label, why)
		}
	}
	return nil
}

// onePlan wants exactly one argument.
func onePlan(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return call.Usage(fmt.Sprintf("%s takes one plan, not %d arguments", c.CommandPath(), len(args)), "for example: "+c.CommandPath()+" plan.md")
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
			p, err := a.ReadPlan(args[0], dialect, serialize)
			if err != nil {
				return err
			}
			out, err := term.Graph(p, nil, format.Value, a.Style(a.Stdout))
			if err != nil {
				return err
			}
			a.Print(out)
			return nil
		},
	}
	c.Flags().Var(&format, "format", "how it is shown")
	c.Flags().StringVar(&dialect, "dialect", "", "read the plan in this `DIALECT`")
	c.Flags().BoolVar(&serialize, config.SerializeFlag, false, config.SerializeHelp)
	return c
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
				return call.Usage("--watch is for people and --json for programs", "a program reads .autobuild/events.jsonl, or waits with: autobuild wait")
			case watch:
				return a.watch(c.Context())
			}
			p, run, _, err := a.LoadRun(c.Context())
			if err != nil {
				return err
			}
			alive := store.Working(p.StateDir, p.LockDir)
			if !asJSON {
				a.Print(term.Status(run, a.stands(p, run, alive), alive, time.Now(), a.Style(a.Stdout)))
				return nil
			}
			out, err := render.StatusJSON(run, alive)
			if err != nil {
				return err
			}
			a.Print(string(out))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	c.Flags().BoolVar(&watch, "watch", false, "go on showing it, and end with the run and its exit code")
	return c
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
				a.Print("autobuild " + call.Version() + "\n")
				return nil
			}
			out, err := json.Marshal(map[string]any{"autobuild": call.Version(), "schema": state.Schema, "events": state.EventVersion})
			if err != nil {
				return err
			}
			a.Print(string(out) + "\n")
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
