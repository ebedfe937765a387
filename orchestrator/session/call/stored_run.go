package call

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"autobuild/failure/policy"
	"autobuild/internal/proc"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/session/config"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
	"autobuild/state/store"
)

// ErrNoState says that nothing was ever run here.
var ErrNoState = errors.New(
	"no run here: there is no state in .autobuild; start one with: autobuild PLAN.md")

// NoState says that nothing was ever run here, or that a run is only just beginning.
func NoState(p *Project) error {
	h, held := store.Held(p.StateDir, p.LockDir)
	if !held || h.PID == 0 || Elsewhere(p, h) != nil {
		return ErrNoState
	}
	return fmt.Errorf(
		"the run here has only just begun (process %d): before its first phase it runs the "+
			"gates once; look again in a moment",
		h.PID)
}

// LoadRecorded is LoadRun without the plan: the phases are those of the newest session. It costs no
// reading of the plan where the diary has them.
func (c *Call) LoadRecorded(ctx context.Context) (*Project, *state.Run, error) {
	p, err := c.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return nil, nil, err
	}
	seeds := store.Seeds(p.StateDir)
	if seeds == nil {
		found, run, _, failed := c.LoadRun(ctx)
		return found, run, failed
	}
	run, _, err := store.Load(p.StateDir, seeds)
	if errors.Is(err, store.ErrNoRun) {
		return nil, nil, NoState(p)
	}
	if err != nil {
		return nil, nil, err
	}
	return p, run, nil
}

// LoadRun loads the run that is stored here, with the phases of its plan where that can still be
// read.
func (c *Call) LoadRun(ctx context.Context) (*Project, *state.Run, *plan.Plan, error) {
	p, err := c.OpenProject(ctx, &proc.Runner{}, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	run, _, err := store.Load(p.StateDir, nil)
	if errors.Is(err, store.ErrNoRun) {
		return nil, nil, nil, NoState(p)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	parsed := p.StoredPlan(run.Config)
	if parsed == nil {
		return p, run, nil, nil // the plan may be gone; the recorded run is not
	}
	if run, _, err = store.Load(p.StateDir,
		orchestrator.Seeds(parsed, policy.Single{}.Attempts())); err != nil {
		return nil, nil, nil, err
	}
	return p, run, parsed, nil
}

// FindPhase resolves what a person typed to a phase of the run.
func FindPhase(run *state.Run, label string) (*state.Phase, error) {
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
	return nil, Usage(fmt.Sprintf("the run has no phase %q", label),
		text.Suggest(label, labels, config.SeeHelp))
}

// Elsewhere refuses the run of another directory: one lock is for all checkouts of a repository,
// and each has a state of its own.
func Elsewhere(p *Project, h store.Holder) error {
	if h.Dir == "" || h.Dir == p.StateDir {
		return nil
	}
	dir := strings.TrimSuffix(h.Dir, string(os.PathSeparator)+".autobuild")
	return fmt.Errorf(
		"the run that goes on in this repository is one of %s, not of %s; name its directory "+
			"with -C %s",
		dir, p.Root, render.Command([]string{dir}))
}
