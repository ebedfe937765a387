package attempt

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"autobuild/failure/diagnose"
	"autobuild/orchestrator/attempt/prompt"
	"autobuild/plan"
	"autobuild/state"
)

// Bounds of a search for what missing paths may mean.
const (
	maxSought = 20 // paths
	maxNear   = 5  // that each may mean
)

// near finds, for every path that something expected and did not find, the paths that may be meant:
// for those that gates and the agent name, the claimed ones, and those that the plan takes for
// granted. Paths that exist only in the user's checkout are in inCheckout instead.
func (t *try) near(ctx context.Context) (found map[string][]string, inCheckout []string) {
	if t.Near == nil || t.tree.Dir == "" || ctx.Err() != nil {
		return nil, nil
	}
	root, err := os.OpenRoot(t.tree.Dir)
	if err != nil {
		return nil, nil
	}
	defer func() { _ = root.Close() }() // only read from
	found = make(map[string][]string)
	sought := slices.Concat(diagnose.NotFound(t.seen), t.task.Phase.Prerequisites.Files,
		t.task.Phase.Files.Existing)
	for _, path := range sought[:min(len(sought), maxSought)] {
		local, ok := inside(t.tree.Dir, path)
		if _, known := found[path]; known || !ok || exists(root, t.tree.Dir, local) {
			continue
		}
		switch slash := filepath.ToSlash(local); {
		case t.Outside != nil && !t.planned(slash) && t.Outside(ctx, slash):
			inCheckout = append(inCheckout, path)
		case !t.awaited(slash):
			if near := t.Near(ctx, t.tree.Dir, slash); len(near) > 0 {
				found[path] = near[:min(len(near), maxNear)]
			}
		}
	}
	return found, inCheckout
}

// awaited reports whether a path that does not exist is one that is still to be written: by this
// phase or another one of the plan, for a gate that names it, or by the agent, which claims to
// have created it. Then no other file is meant.
func (t *try) awaited(path string) bool {
	if r := t.record.Report; r != nil && slices.Contains(r.Created, path) {
		return true
	}
	if slices.ContainsFunc(t.gates,
		func(g state.GateSpec) bool { return prompt.StandsIn(g.Command, path) }) {
		return true
	}
	return prompt.Makes(t.task.Phase, path) || t.planned(path)
}

// planned reports whether a phase of the plan says that it writes a path.
func (t *try) planned(path string) bool {
	return prompt.Creates(t.task.Phase, path) || t.Plan != nil &&
		slices.ContainsFunc(t.Plan.Phases(),
			func(p plan.Phase) bool { return prompt.Creates(p, path) })
}

// inside is a path relative to dir, if it lies below it.
func inside(dir, path string) (string, bool) {
	local := filepath.FromSlash(path)
	if filepath.IsAbs(local) {
		rel, err := filepath.Rel(dir, local)
		if err != nil {
			return "", false
		}
		local = rel
	}
	local = filepath.Clean(local)
	return local, local != "." && filepath.IsLocal(local)
}
