package worktree

import (
	"context"
	"errors"

	"autobuild/internal/proc"
)

var errPending = errors.New("not built")

// Repo is a git repository as it was found.
type Repo struct {
	Top       string // the checkout's root
	GitDir    string // this checkout's git directory
	CommonDir string // what all its worktrees share; locks belong here
	Branch    string // full ref name; empty when HEAD is detached
	Head      string // commit; empty before the first one
}

// Find looks for the repository that holds dir.
func Find(ctx context.Context, run *proc.Runner, environ []string, dir string) (*Repo, error) {
	return nil, errPending
}

// Begin starts or resumes a run's line.
func (r *Repo) Begin(ctx context.Context, o Options) (*Line, error) { return nil, errPending }

// Line is the integration line of one run.
type Line struct {
	Notes []string // what the user should be told about how the run began
}

// Open gives the phase its worktree.
func (l *Line) Open(ctx context.Context, phase string, clean bool) (Tree, error) {
	return Tree{}, errPending
}

// Changes tells what the phase changed.
func (l *Line) Changes(ctx context.Context, t Tree) (Changes, error) { return Changes{}, errPending }

// Land lands.
func (l *Line) Land(ctx context.Context, t Tree, how Landing) (Landed, error) {
	return Landed{}, errPending
}

// Landed tells the commit of every phase that landed.
func (l *Line) Landed(ctx context.Context) (map[string]string, error) { return nil, errPending }

// Done removes the worktree and branch of a landed phase.
func (l *Line) Done(ctx context.Context, t Tree) error { return errPending }

// Deliver tries again to bring undelivered work into the checkout and says how it stands; for a run that halts.
func (l *Line) Deliver(ctx context.Context) (Delivery, error) { return Delivery{}, errPending }

// Finish ends a complete run.
func (l *Line) Finish(ctx context.Context, message string) (Delivery, error) {
	return Delivery{}, errPending
}

// Script gives commits.sh and its files.
func (l *Line) Script(ctx context.Context) ([]File, error) { return nil, errPending }

// Outside takes a snapshot of what no phase may touch.
func (l *Line) Outside(ctx context.Context) (Snapshot, error) { return Snapshot{}, errPending }

// Snapshot is the state of everything outside the worktrees.
type Snapshot struct{}

// Diff says in words what differs in a later snapshot.
func (s Snapshot) Diff(later Snapshot) []string { return nil }

// Shared is a directory in which all phases work side by side.
type Shared struct{}

// OpenShared makes dir the place where all phases work, without git.
func OpenShared(dir, stateDir string) *Shared { return &Shared{} }

// Open gives the phase the shared directory.
func (s *Shared) Open(ctx context.Context, phase string, clean bool) (Tree, error) {
	return Tree{}, errPending
}

// Changes tells what changed since the phase began.
func (s *Shared) Changes(ctx context.Context, t Tree) (Changes, error) { return Changes{}, errPending }

// Land lands.
func (s *Shared) Land(ctx context.Context, t Tree, how Landing) (Landed, error) {
	return Landed{}, errPending
}

// Done forgets the phase.
func (s *Shared) Done(ctx context.Context, t Tree) error { return errPending }
