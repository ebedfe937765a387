package session

import (
	"path/filepath"

	"autobuild/failure"
	"autobuild/internal/call"
	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/plan"
	"autobuild/plan/markdown"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

// proposals is a sink that writes down how the plan could be changed when a policy asks for that.
// Nothing of a proposal is ever done by itself, and the run does not depend on it: one that cannot
// be written costs a line.
type proposals struct {
	dir     *store.Dir
	plan    *plan.Plan
	path    string // of the plan
	dialect string
	note    func(format string, args ...any)
}

// proposes reports whether the last decision about a phase came with a proposal.
func proposes(p *state.Phase) bool {
	last, ok := p.Last()
	return ok && p.Status == state.Failed && last.Decision != nil && (last.Decision.Propose || last.Decision.Action == failure.Replan)
}

// Proposed reports whether there is a proposal for the phase as it stands.
func Proposed(stateDir string, p *state.Phase) bool {
	return proposes(p) && fileExists(filepath.Join(stateDir, filepath.FromSlash(render.ProposalName(p.ID))))
}

// Event writes the proposal of a phase whose attempt has just failed.
func (s proposals) Event(e state.Event, r *state.Run) error {
	if e.Type != state.AttemptFinished {
		return nil
	}
	p, ok := r.Find(e.Phase)
	if !ok || !proposes(p) {
		return nil
	}
	if err := s.write(r, p); err != nil {
		s.note("the proposal for phase %s could not be written: %s", text.Clean(p.Label, 40), text.Clean(err.Error(), 300))
	}
	return nil
}

func (s proposals) write(r *state.Run, p *state.Phase) error {
	src, err := safefile.ReadNamed(s.path, call.MaxPlan)
	if err != nil {
		return err
	}
	now, err := s.read(string(src))
	// the plan has changed meanwhile, and is invalid: use the one that was read at the start
	if err != nil {
		now, src = s.plan, nil
	}
	page := render.Proposal(render.Revision{Plan: now, Run: r, Phase: p, Source: string(src)})
	if page == "" {
		return nil
	}
	return s.dir.Put(render.ProposalName(p.ID), []byte(page), false)
}

func (s proposals) read(source string) (*plan.Plan, error) {
	return markdown.Parse(s.plan.Path, []byte(source), markdown.Options{Dialect: s.dialect})
}
