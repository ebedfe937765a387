package workspace

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/orchestrator/worktree"
)

// benches are the places where work is judged, a bounded number at once.
type benches struct {
	limit *verify.Limit
	line  *worktree.Line // nil: phases share one directory, and gates run there
	// installs by lockfiles; nil: setup is configured, or phases share one directory
	templates *templates

	builds builds

	preparations atomic.Int64

	mu   sync.Mutex
	free []*bench
}

// bench is one checkout of the referee's.
type bench struct {
	*benches
	checkout *worktree.Checkout
	prepared string // key of the preparation that was done in it
	number   int64  // of that preparation in the session
	leave    func()

	// until Leave
	cold       bool    // no build is copied
	detached   []build // of trees that were shown
	shownBuild build   // of the tree that is shown
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
	return errors.Join(all, b.builds.close(), b.templates.close())
}

// Leave frees the place.
func (b *bench) Leave() {
	b.discard()
	b.mu.Lock()
	b.free = append(b.free, b)
	b.mu.Unlock()
	b.leave()
}

// Show checks out a tree and prepares it, by setup or by its lockfiles. Installs run again if
// manifests or installed files changed; builds run for each tree.
func (b *bench) Show(
	ctx context.Context, tree string, setup []string,
	run func(ctx context.Context, dir string, commands []string) error,
) (referee.Shown, error) {
	var none referee.Shown
	ready, err := b.preparation(ctx, tree, setup)
	if err != nil {
		return none, err
	}
	if err = b.detach(ctx); err != nil {
		return none, err
	}
	if err = b.checkout.Show(ctx, tree); err != nil {
		return none, err
	}
	if b.prepared != ready.key || !b.checkout.Intact() {
		if err = b.prepare(ctx, tree, ready, run); err != nil {
			return none, err
		}
	}
	from, err := b.restore(ctx, tree)
	if err != nil {
		return none, err
	}
	b.shownBuild = build{tree: tree, warm: from != "", started: b.builds.now()}
	if len(ready.builds) > 0 {
		if err := run(ctx, b.checkout.Dir, ready.builds); err != nil {
			return none, err
		}
		if there, err := b.checkout.Untracked(ctx); err != nil || len(there) > b.checkout.Kept() {
			return referee.Shown{Dir: b.checkout.Dir, Warm: from != ""}, err // not repeatable
		}
	}
	return b.shown(tree, ready.copied, from), nil
}

// preparation is the way in which a tree is prepared.
type preparation struct {
	key      string   // identifies its result
	copied   bool     // a template is copied
	installs []string // commands whose result depends on manifests alone
	builds   []string // commands whose result depends on the whole tree
}

func (b *benches) preparation(
	ctx context.Context, tree string, setup []string,
) (p preparation, err error) {
	if b.templates != nil {
		made, err := b.templates.of(ctx, tree)
		if err != nil {
			return p, err
		}
		p.key, p.copied, p.builds = made.key, true, slices.Concat(made.Rebuild, setup)
		return p, b.templates.blame(made)
	}
	p.installs, p.builds = prepare.Split(setup)
	p.key = "included"
	if len(p.installs) > 0 {
		inputs, err := b.line.Inputs(ctx, tree,
			func(path string) bool { return prepare.ReadBy(p.installs, path) })
		if err != nil {
			return p, err
		}
		p.key = verify.Key(inputs, nil, p.installs)
	}
	return p, nil
}

// prepare prepares an empty checkout.
func (b *bench) prepare(
	ctx context.Context, tree string, ready preparation,
	run func(ctx context.Context, dir string, commands []string) error,
) error {
	b.prepared = ""
	b.checkout.Reset()
	if err := b.checkout.Show(ctx, tree); err != nil {
		return err
	}
	if err := b.checkout.Include(ctx); err != nil {
		return err
	}
	if ready.copied {
		if _, err := b.templates.copyTo(ctx, tree, b.checkout.Dir); err != nil {
			return err
		}
	}
	if len(ready.installs) > 0 {
		if err := run(ctx, b.checkout.Dir, ready.installs); err != nil {
			return err
		}
	}
	if err := b.checkout.Seal(ctx); err != nil {
		return err
	}
	b.prepared, b.number = ready.key, b.preparations.Add(1)
	return b.checkout.Restore(ctx)
}

// shown identifies the content of the checkout. Two runs of setup may create different files; two
// copies of one template are equal.
func (b *bench) shown(tree string, copied bool, from string) referee.Shown {
	at := referee.Shown{Dir: b.checkout.Dir, Content: tree}
	if from != "" {
		at.Warm, at.Content = true, tree+" with build of "+from
	}
	switch {
	case b.checkout.Kept() == 0:
	case copied:
		at.Content += " prepared " + b.prepared
	default:
		at.Content += " prepared " + strconv.FormatInt(b.number, 10)
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
	context.Context, string, []string, func(context.Context, string, []string) error,
) (referee.Shown, error) {
	return referee.Shown{Dir: b.dir}, nil
}

// Rehearse has no hooks to ask.
func (sharedBench) Rehearse(context.Context, string, string) (string, error) { return "", nil }

// Changed is false: no hooks run.
func (sharedBench) Changed(context.Context) (bool, error) { return false, nil }

// Cold changes nothing: the directory is the user's.
func (sharedBench) Cold() {}

// Accept changes nothing, as Cold.
func (sharedBench) Accept(context.Context, string) error { return nil }

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

// Rest takes the phase's candidate out of the queue.
func (l *Worktrees) Rest(ctx context.Context, phase string) {
	l.Line.Drop(phase)
	l.Line.Free(ctx, phase)
	l.Lookout.Rest(ctx, phase)
}

// Ahead returns at once: work in a shared directory is not merged.
func (*Shared) Ahead(context.Context, string) error { return nil }

// Candidate is empty: gates judge the shared directory itself.
func (*Shared) Candidate(
	context.Context, attempt.Tree, attempt.Landing,
) (attempt.Candidate, error) {
	return attempt.Candidate{}, nil
}
