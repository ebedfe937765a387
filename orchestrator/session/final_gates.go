package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"autobuild/internal/text"
	"autobuild/orchestrator/local"
	"autobuild/orchestrator/verify"
	"autobuild/state"
)

// finalGates are the gates that the plan states for the whole. A phase may create the programs that
// they call, so they are not looked up before.
func (s *session) finalGates() local.FinalGates {
	specs := make([]state.GateSpec, len(s.plan.Final))
	for i, g := range s.plan.Final {
		specs[i] = state.GateSpec{Name: g.Name, Kind: verify.Kind(g.Name), Command: g.Command, Source: verify.SourcePlan, Available: true}
	}
	if len(specs) == 0 {
		return nil
	}
	return func(ctx context.Context, tell func(state.Event)) ([]state.Gate, error) {
		names := make([]string, len(specs))
		for i, g := range specs {
			names[i] = g.Name
		}
		tell(state.Event{Type: state.Notice, Text: "all phases are complete; final gates: " + text.Clean(strings.Join(names, ", "), 300)})
		gates, err := s.judgeWhole(ctx, specs, func(g state.Gate) {
			kind := state.GateFinished
			if g.Status == "" {
				kind = state.GateStarted
			}
			tell(state.Event{Type: kind, Gate: &g})
		})
		if err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("running the final gates: %w", err)
		}
		return gates, err
	}
}

// judgeWhole runs gates on the line's tip, where no phase works. A setup that fails there is a
// final gate that failed.
func (s *session) judgeWhole(ctx context.Context, specs []state.GateSpec, each func(state.Gate)) ([]state.Gate, error) {
	content, err := s.space.Content(ctx, "")
	if err != nil {
		return nil, err
	}
	place, err := s.space.Bench(ctx, func() {})
	if err != nil {
		return nil, err
	}
	defer place.Leave()
	own, err := s.private("final")
	if err != nil {
		return nil, err
	}
	defer own.Leave()
	var broken *state.Gate
	dir, err := place.Show(ctx, content, s.config.Setup, func(ctx context.Context, dir string) (failed error) {
		if broken, failed = own.Verifier.Setup(ctx, dir, "final", s.config.Setup); failed == nil && broken != nil {
			failed = fmt.Errorf("setup `%s` failed, see %s", broken.Command, s.Shown(filepath.Join(s.project.StateDir, broken.Log)))
		}
		return failed
	})
	if broken != nil {
		each(*broken)
		return []state.Gate{*broken}, nil
	}
	if err != nil {
		return nil, err
	}
	seen, err := own.Verifier.Judge(ctx, dir, "final", specs, each)
	return seen.Gates, err
}
