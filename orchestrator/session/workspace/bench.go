package workspace

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/orchestrator/worktree"
)

// benches are the places where work is judged, at most gate-jobs at once.
type benches struct {
	limit *verify.Limit
	line  *worktree.Line // nil: phases share one directory, and gates run there

	preparations atomic.Int64

	mu   sync.Mutex
	free []*bench
}

// bench is one checkout of the referee's.
type bench struct {
	*benches
	checkout *worktree.Checkout
	prepared string // names the setup that was done in it, and its inputs
	// number of the setup that was done in it, in the session
	preparation int64
	leave       func()
}

// take waits for room.
func (b *benches) take(ctx context.Context, waiting func()) (*bench, error) {
	leave, err := b.limit.Take(ctx, waiting)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.free); n > 0 {
		seat := b.free[n-1]
		b.free, seat.leave = b.free[:n-1], leave
		return seat, nil
	}
	seat := &bench{benches: b, leave: leave}
	if seat.checkout, err = b.line.Checkout(ctx); err != nil {
		leave()
		return nil, err
	}
	return seat, nil
}

// GateJobs makes room for n suites at once.
func (l *Worktrees) GateJobs(n int) { l.benches.limit.Resize(n) }

// GateJobs changes nothing: there is one directory.
func (*Shared) GateJobs(int) {}

// close removes every checkout. None is in use any more.
func (b *benches) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all error
	for _, seat := range b.free {
		all = errors.Join(all, seat.checkout.Close())
	}
	b.free = nil
	return all
}

// Leave frees the place.
func (b *bench) Leave() {
	b.mu.Lock()
	b.free = append(b.free, b)
	b.mu.Unlock()
	b.leave()
}

// Show brings the checkout to a tree. Setup runs where its commands, the files that they read, or
// what they made have changed.
func (b *bench) Show(
	ctx context.Context, tree string, setup []string, prepare func(context.Context, string) error,
) (referee.Shown, error) {
	var none referee.Shown
	key := "included"
	if len(setup) > 0 {
		inputs, err := b.line.Inputs(ctx, tree,
			func(path string) bool { return verify.SetupReads(path, setup) })
		if err != nil {
			return none, err
		}
		key = verify.Key(inputs, nil, setup)
	}
	if err := b.checkout.Show(ctx, tree); err != nil {
		return none, err
	}
	if b.prepared == key && b.checkout.Intact() {
		return b.shown(tree), nil
	}
	b.prepared = ""
	b.checkout.Reset()
	if err := b.checkout.Show(ctx, tree); err != nil {
		return none, err
	}
	if err := b.checkout.Include(ctx); err != nil {
		return none, err
	}
	if err := prepare(ctx, b.checkout.Dir); err != nil {
		return none, err
	}
	if err := b.checkout.Seal(ctx); err != nil {
		return none, err
	}
	b.prepared = key
	b.preparation = b.preparations.Add(1)
	return b.shown(tree), b.checkout.Restore(ctx)
}

// shown names what the checkout holds. Files that setup made count as those of this preparation
// alone, since another one may make others. Modules of the user's checkout, which Node finds above
// this one, are not known.
func (b *bench) shown(tree string) referee.Shown {
	at := referee.Shown{Dir: b.checkout.Dir}
	switch {
	case b.checkout.Linked():
	case b.checkout.Bare():
		at.Content = tree
	default:
		at.Content = tree + " prepared " + strconv.FormatInt(b.preparation, 10)
	}
	return at
}

// Rehearse stages what is shown for the user's commit hooks.
func (b *bench) Rehearse(_ context.Context, tip, message string) (string, error) {
	r, err := b.checkout.Rehearse(tip, message)
	return hookCommand(r), err
}

// Changed asks whether a hook has written to what is shown.
func (b *bench) Changed(ctx context.Context) (bool, error) { return b.checkout.Changed(ctx) }

// sharedBench is the directory that all phases share: there is no other place to judge their work.
type sharedBench struct {
	dir   string
	leave func()
}

// Show changes nothing: the work is in place.
func (b sharedBench) Show(
	context.Context, string, []string, func(context.Context, string) error,
) (referee.Shown, error) {
	return referee.Shown{Dir: b.dir}, nil
}

// Rehearse has no hooks to ask.
func (sharedBench) Rehearse(context.Context, string, string) (string, error) { return "", nil }

// Changed is false: no hooks run.
func (sharedBench) Changed(context.Context) (bool, error) { return false, nil }

// Leave ends the turn that Bench waited for.
func (b sharedBench) Leave() { b.leave() }

// Bench takes a checkout of the referee's.
func (l *Worktrees) Bench(ctx context.Context, waiting func()) (attempt.Bench, error) {
	return l.benches.take(ctx, waiting)
}

// Bench waits for its turn in the one directory that there is.
func (d *Shared) Bench(ctx context.Context, waiting func()) (attempt.Bench, error) {
	leave, err := d.benches.limit.Take(ctx, waiting)
	if err != nil {
		return nil, err
	}
	return sharedBench{d.root, leave}, nil
}

// Candidate merges the work with the line in memory.
func (l *Worktrees) Candidate(
	ctx context.Context, t attempt.Tree, how attempt.Landing,
) (attempt.Candidate, error) {
	landing, _ := l.landing(how)
	c, err := l.Line.Candidate(ctx, toTree(how.Phase, t), landing)
	return attempt.Candidate(c), l.own(err)
}

// Ahead waits for the candidates before the phase's.
func (l *Worktrees) Ahead(ctx context.Context, phase string) error {
	return l.Line.Ahead(ctx, phase)
}

// Rest takes the phase's candidate out of the queue and begins to watch its worktree.
func (l *Worktrees) Rest(ctx context.Context, phase string) error {
	l.Line.Drop(phase)
	return errors.Join(l.Line.Free(ctx, phase), l.lookout.Rest(ctx, phase))
}

// Ahead returns at once: work in a shared directory is not merged.
func (*Shared) Ahead(context.Context, string) error { return nil }

// Candidate is empty: gates judge the shared directory itself.
func (*Shared) Candidate(
	context.Context, attempt.Tree, attempt.Landing,
) (attempt.Candidate, error) {
	return attempt.Candidate{}, nil
}
