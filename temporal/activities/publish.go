package activities

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// Publish makes branches of the remote lead to commits of the line, all or none. A branch that is
// there already stays; one with other commits keeps them, and the starter says so. Branches of
// attempts at a phase give way to the branch of the phase.
func (w *Worker) Publish(ctx context.Context, e wire.Errand) (wire.Outcome, error) {
	return w.carryOut(ctx, e, func(ctx context.Context, _ *beat) (wire.Outcome, error) {
		var out wire.Outcome
		tip, err := w.Mirror.Ref(ctx, dataplane.Line(e.Run))
		if err != nil {
			return out, err
		}
		gone, err := w.attempts(ctx, e)
		if err != nil {
			return out, err
		}
		if len(gone) > 0 {
			if err = w.Mirror.Push(ctx, w.Mirror.Git, nil, gone...); err != nil {
				return out, err
			}
		}
		var specs []string
		for branch, commit := range e.Heads {
			commit = cmp.Or(commit, tip)
			if err = w.Mirror.Fetch(ctx, commit); err != nil {
				return out, err
			}
			specs = append(specs, commit+":"+dataplane.Head(branch))
		}
		slices.Sort(specs)
		err = w.Mirror.Push(ctx, w.Mirror.Git, nil, specs...)
		if errors.Is(err, dataplane.ErrMoved) {
			w.note("the branches of run %s are not pushed: %v", e.Run, err)
			err = nil
		}
		return out, err
	})
}

// attempts are deletions of the branches below those of an errand: git cannot have both.
func (w *Worker) attempts(ctx context.Context, e wire.Errand) ([]string, error) {
	all, err := w.Mirror.List(ctx, dataplane.Head("autobuild/"+e.Run+"/*"))
	var gone []string
	for _, ref := range all {
		for branch := range e.Heads {
			if strings.HasPrefix(ref, dataplane.Head(branch)+"/") {
				gone = append(gone, ":"+ref)
			}
		}
	}
	slices.Sort(gone)
	return gone, err
}
