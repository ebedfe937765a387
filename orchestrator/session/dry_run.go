package session

import (
	"cmp"
	"context"

	"autobuild/failure/policy"
	"autobuild/internal/call"
	"autobuild/internal/text"
	"autobuild/orchestrator"
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
		run, _, err := store.Load(s.project.StateDir, orchestrator.Seeds(s.plan, policy.Single{}.Attempts()))
		if err == nil && call.SamePlan(run.Config, s.name, s.plan.Hash) {
			stored, s.run = run, run
		}
	}
	s.marked = s.marks(stored)
	s.leaveMarked()
	if err := s.configure(stored); err != nil {
		if call.ExitCode(err) == call.ExitUsage {
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
