package activities

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// tries bounds how often the line may move while work is integrated. The workflow integrates one
// phase at a time, so that a second try needs a worker that was taken for dead.
const tries = 5

// Integrate adds verified work to the run's line. Work that was judged on the line's tip is pushed
// as it is; where the tip has moved since, it is merged and judged again, by the same code as the
// attempt. Work that is on the line already is recognised by its key.
func (w *Worker) Integrate(ctx context.Context, e wire.Errand) (wire.Outcome, error) {
	return w.carryOut(ctx, e, func(ctx context.Context, b *beat) (wire.Outcome, error) {
		for range tries {
			out, err := w.integrate(ctx, e, b)
			if !errors.Is(err, dataplane.ErrMoved) {
				return out, err
			}
		}
		return wire.Outcome{}, fmt.Errorf("the line of run %s moved %d times", e.Run, tries)
	})
}

// soon is how long works join a row: what depends on the first of them waits for the last.
const soon = time.Second

// Row integrates works in their order, and returns the outcomes of the first ones: of at least one,
// and of no more than can begin within a second. Where the row was cut off after the first, the
// works that landed are found by their keys when it is done again.
func (w *Worker) Row(ctx context.Context, row []wire.Errand) ([]wire.Outcome, error) {
	begun := w.now()
	var done []wire.Outcome
	for _, e := range row {
		out, err := w.Integrate(ctx, e)
		if err != nil && len(done) > 0 {
			break // it is the first one of the next row
		}
		if err != nil {
			return nil, err
		}
		done = append(done, out)
		if out.Interrupted || ctx.Err() != nil || w.now().Sub(begun) > soon {
			break
		}
	}
	return done, nil
}

func (w *Worker) integrate(ctx context.Context, e wire.Errand, b *beat) (wire.Outcome, error) {
	var none wire.Outcome
	line := dataplane.Line(e.Run)
	tip, err := w.Mirror.Ref(ctx, line)
	if err != nil {
		return none, err
	}
	if err = w.Mirror.Fetch(ctx, e.Ref.Commit, e.Ref.Record); err != nil {
		return none, err
	}
	record, err := dataplane.ReadRecord(ctx, w.Mirror.Git, e.Ref.Record)
	if err != nil {
		return none, err
	}
	record.Outcome.Ref = e.Ref
	landed, err := w.landed(ctx, e, tip)
	if err != nil {
		return none, err
	}
	if landed != "" {
		return w.after(ctx, e, record.Outcome, landed)
	}
	base, err := w.Mirror.Run(ctx, "rev-parse", e.Ref.Commit+"^")
	if err != nil {
		return none, err
	}
	out, commit := record.Outcome, e.Ref.Commit
	specs, leases := []string{}, map[string]string{line: tip}
	from := w.Mirror.Git
	if base != tip {
		again := e
		if again.Work, err = w.unmarked(ctx, e, base); err != nil {
			return none, err
		}
		if out, err = w.visit(ctx, again, b, &record); err != nil || !out.Landed() {
			return w.refused(ctx, e, out, err)
		}
		commit = out.Ref.Commit
	}
	specs = append(specs, commit+":"+line)
	if out.Ref.Record != e.Ref.Record {
		specs = append(specs, "+"+out.Ref.Record+":"+dataplane.RecordRef(e.Run, e.Phase, e.Key))
	}
	b.stage("git")
	if err = w.Mirror.Push(ctx, from, leases, specs...); err != nil {
		return none, err
	}
	return w.after(ctx, e, out, commit)
}

// landed is the commit of the errand's key on the line; empty: there is none.
func (w *Worker) landed(ctx context.Context, e wire.Errand, tip string) (string, error) {
	out, err := w.Mirror.Run(ctx, "log", "-500", "--format=%H %(trailers:key=Autobuild-Attempt,valueonly,separator=%x2C)", tip)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		commit, keys, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains(strings.Split(keys, ","), e.Key) {
			return commit, nil
		}
	}
	return "", nil
}

// after completes the outcome of landed work and removes its branch, which the line holds now.
func (w *Worker) after(
	ctx context.Context, e wire.Errand, out wire.Outcome, commit string,
) (wire.Outcome, error) {
	out.Ref.Commit = commit
	if out.Result.Attempt.Commit != nil {
		c := *out.Result.Attempt.Commit
		c.SHA = commit
		out.Result.Attempt.Commit = &c
	}
	var gone []string
	for _, ref := range append(e.Refs[e.Phase], e.Ref) {
		if ref.Branch != "" && ref.Commit != "" {
			gone = append(gone, ":"+dataplane.Head(ref.Branch))
		}
	}
	if len(gone) > 0 {
		slices.Sort(gone)
		// best effort: a branch that stays does no harm
		_ = w.Mirror.Push(ctx, w.Mirror.Git, nil, slices.Compact(gone)...)
	}
	return out, nil
}

// refused is the outcome of work that was fine alone and is not on the line as it stands now. Its
// record replaces that of the attempt, whose branch stays.
func (w *Worker) refused(
	ctx context.Context, e wire.Errand, out wire.Outcome, err error,
) (wire.Outcome, error) {
	if err != nil || out.Ref.Record == "" {
		return out, err
	}
	var specs []string
	out.Ref.Branch = e.Ref.Branch
	if out.Ref.Work != "" {
		out.Ref.Branch = dataplane.Branch(e.Run, e.Phase, e.Attempt, out.Ref.Work)
		specs = append(specs, "+"+out.Ref.Work+":"+dataplane.Head(out.Ref.Branch))
	}
	specs = append(specs, "+"+out.Ref.Record+":"+dataplane.RecordRef(e.Run, e.Phase, e.Key))
	return out, w.Mirror.Push(ctx, w.Mirror.Git, nil, specs...)
}

// unmarked is the work of an attempt without the plan's mark, which belongs to its landing.
func (w *Worker) unmarked(ctx context.Context, e wire.Errand, base string) (string, error) {
	s, err := dataplane.ReadSpec(ctx, w.Mirror.Git, e.Spec)
	if err != nil {
		if err = w.Mirror.Fetch(ctx, e.Spec); err == nil {
			s, err = dataplane.ReadSpec(ctx, w.Mirror.Git, e.Spec)
		}
	}
	if err != nil {
		return "", err
	}
	g := w.Mirror.Git
	tree, err := g.Run(ctx, "rev-parse", e.Ref.Commit+"^{tree}")
	if err != nil {
		return "", err
	}
	if entry, _ := g.Run(ctx, "ls-tree", "-z", base, "--", s.Plan); entry != "" &&
		!path.IsAbs(s.Plan) {
		if tree, err = g.Replace(ctx, e.Ref.Commit, strings.TrimRight(entry, "\x00")); err != nil {
			return "", err
		}
	}
	return g.Commit(ctx, tree, "verified work of "+e.Phase, base)
}
