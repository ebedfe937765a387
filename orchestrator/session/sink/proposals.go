package sink

import (
	"os"
	"path/filepath"

	"autobuild/failure"
	"autobuild/internal/call"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/spec"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

// Proposals is a sink that writes down how the plan could be changed when a policy asks for that.
// autobuild carries out no proposal by itself.
type Proposals struct {
	Dir  *store.Dir
	Plan *plan.Plan
	Spec spec.Plan
	Note func(format string, args ...any)
}

// proposes reports whether the last decision about a phase came with a proposal.
func proposes(p *state.Phase) bool {
	last, ok := p.Last()
	return ok && p.Status == state.Failed && last.Decision != nil &&
		(last.Decision.Propose || last.Decision.Action == failure.Replan)
}

// Proposed reports whether there is a proposal for the phase as it stands.
func Proposed(stateDir string, p *state.Phase) bool {
	_, err := os.Stat(filepath.Join(stateDir, filepath.FromSlash(render.ProposalName(p.ID))))
	return proposes(p) && err == nil
}

// ProposedPhases are the ids of the phases of a run for which there is a proposal.
func ProposedPhases(stateDir string, r *state.Run) []string {
	var ids []string
	for i := range r.Phases {
		if p := &r.Phases[i]; Proposed(stateDir, p) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Event writes the proposal of a phase whose attempt has just failed.
func (s Proposals) Event(e state.Event, r *state.Run) error {
	if e.Type != state.AttemptFinished {
		return nil
	}
	p, ok := r.Find(e.Phase)
	if !ok || !proposes(p) {
		return nil
	}
	if err := s.write(r, p); err != nil {
		s.Note("the proposal for phase %s could not be written: %s", text.Clean(p.Label, 40),
			text.Clean(err.Error(), 300))
	}
	return nil
}

func (s Proposals) write(r *state.Run, p *state.Phase) error {
	src, err := safefile.ReadNamed(s.Spec.Path, call.MaxPlan)
	if err != nil {
		return err
	}
	now, err := s.read(string(src))
	// the plan has changed meanwhile, and is invalid: use the one that was read at the start
	if err != nil {
		now, src = s.Plan, nil
	}
	page := render.Proposal(render.Revision{Plan: now, Run: r, Phase: p, Source: string(src)})
	if page == "" {
		return nil
	}
	return s.Dir.Put(render.ProposalName(p.ID), []byte(page), false)
}

func (s Proposals) read(source string) (*plan.Plan, error) {
	return markdown.Parse(s.Plan.Path, []byte(source), markdown.Options{})
}

var _ orchestrator.Sink = Proposals{}
