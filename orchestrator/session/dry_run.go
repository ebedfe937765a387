package session

import (
	"cmp"
	"context"

	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/resume"
	"autobuild/render/term"
	"autobuild/state"
	"autobuild/state/store"
)

// dryRun prints what a run would do, and changes nothing.
func (s *session) dryRun(ctx context.Context) error {
	s.run = &state.Run{}
	var stored *state.Run
	if s.resumes() {
		run, _, err := store.Load(s.project.StateDir, resume.Seeds(s.plan))
		if err == nil && call.SamePlan(run.Config, s.spec.Plan.Name, s.plan.Hash) {
			stored, s.run = run, run
		}
	}
	if err := s.choosePart(stored, anything); err != nil {
		return err
	}
	if err := s.configure(ctx, stored); err != nil {
		if call.ExitCode(err) == call.ExitUsage {
			return err
		}
		defer s.Note("it could not start as things are: %s", text.Clean(err.Error(), 500))
		s.spec.Config = state.Config{
			RunID: s.run.Config.RunID, Plan: s.spec.Plan.Name, PlanTitle: s.plan.Title,
			Agent: "none", Jobs: orchestrator.DefaultJobs,
		}
	}
	if s.project.Repo != nil && s.project.Repo.Head == "" {
		defer s.Note("it could not start as things are: the repository has no commit yet")
	}
	s.spec.Config.RunID = cmp.Or(s.spec.Config.RunID, "dry")
	if err := s.run.Apply(state.Event{
		Type: state.RunStarted, Config: &s.spec.Config,
		Phases: orchestrator.Seeds(s.plan, 1),
	}); err != nil {
		return err
	}
	for i, phase := range s.plan.Phases() {
		why, left := s.begin.Skip[phase.ID]
		if (left || s.selected.Phases != nil && !s.selected.Phases[i]) &&
			s.run.Phases[i].Status == state.Pending {
			if err := s.run.Apply(state.Event{
				Type: state.PhaseSkipped, Phase: phase.ID,
				Text: cmp.Or(why, "not asked for"),
			}); err != nil {
				return err
			}
		}
	}
	s.Print(term.DryRun(s.plan, s.run, s.Style(s.Stdout)))
	for _, phase := range s.plan.Phases() {
		if why, marked := s.selected.Marked[phase.ID]; marked {
			s.Note("phase %s: %s", phase.Label, why)
		}
	}
	return nil
}
