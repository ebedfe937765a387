// Package workspace gives attempts the places where phases work: a git worktree each, or one
// directory for all. It translates between attempts, worktrees, the referee and the lookout, whose
// packages do not import each other. It does not know when a phase runs or whether it is retried.
package workspace

import (
	"context"
	"time"

	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/worktree"
	"autobuild/orchestrator/worktree/delivery"
)

// Space is where the phases of a run work, and how their work is delivered at its end.
type Space interface {
	attempt.Workspace
	Past(ctx context.Context) (orchestrator.ResumeOptions, error)
	Arrived(ctx context.Context) (bool, error) // whether nothing is left to deliver
	Finish(ctx context.Context, complete bool, message string) (worktree.Delivery, error)
	Leave(ctx context.Context) error
	Script(ctx context.Context) ([]delivery.File, error)
	Notes() []string
	// Uncommitted are the files of the user's checkout that differ from its last commit, with
	// slashes and relative to it, as they were when the space was opened. Phases do not see them.
	Uncommitted() []string
	// Meanwhile lists what of the user's git settings and checkout is not as it was then.
	Meanwhile(ctx context.Context) ([]string, error)
	// Committed reports whether the user has committed something since a commit.
	Committed(ctx context.Context, since string) (bool, error)
	// Mentions reports whether a tracked file holds a word.
	Mentions(ctx context.Context, word string) (bool, error)
	// Trees reads and composes trees; nil where there is no line to compare with.
	Trees() verify.Trees
	Near(ctx context.Context, dir, missing string) []string // paths that a missing one may mean
	// names the content of a commit; empty: of the base
	Content(ctx context.Context, commit string) (string, error)
	// GateJobs lets n suites of gates run at once, where each has a directory of its own.
	GateJobs(n int)
	// Ignored are the ignored paths of the user's checkout, without dependency folders and
	// .autobuild. A folder stands for its content.
	Ignored(ctx context.Context) ([]string, error)
	// Has reports whether the user's checkout has one of the paths.
	Has(paths ...string) bool
	// Prepare makes clones prepared by their lockfiles. Call it before any clone is opened.
	Prepare(i prepare.Installer)
	// Prepared is the install of the base.
	Prepared(ctx context.Context) (prepare.Made, error)
	// removes what Bench made
	Close() error
	// the difference of the phase
	Edits(ctx context.Context, t attempt.Tree, phase string) ([]git.Edit, error)
}

// Config is what both kinds of Space need.
type Config struct {
	Marks   Marks
	Shown   func(path string) string // a path as the user types it
	Room    func() error             // refuses a full disk
	Jobs    int                      // runs of gates at once
	Cold    bool                     // build-folders: cold
	Now     func() time.Time
	Lookout *tamper.Lookout
}

func (c Config) space(line *worktree.Line) space {
	return space{
		marks: c.Marks, shown: c.Shown, room: c.Room, Lookout: c.Lookout,
		benches: &benches{
			limit: verify.NewLimit(c.Jobs), line: line, builds: builds{off: c.Cold, now: c.Now},
		},
	}
}

// NewWorktrees gives each phase a worktree of a line.
func NewWorktrees(c Config, line *worktree.Line) *Worktrees {
	return &Worktrees{space: c.space(line), Line: line}
}

// NewShared gives all phases of a run the directory root.
func NewShared(c Config, files *shared.Dir, root, run string) *Shared {
	return &Shared{space: c.space(nil), files: files, root: root, run: run}
}

// space is what both kinds of Space have.
type space struct {
	*tamper.Lookout
	marks Marks
	shown func(path string) string // as it is typed from here
	room  func() error             // refuses where the disk is full

	benches *benches
}

// Close removes the checkouts of the referee.
func (p space) Close() error { return p.benches.close() }

// Breaches are those of the Lookout.
func (p space) Breaches(ctx context.Context, phase string) (attempt.Breaches, error) {
	found, err := p.Lookout.Breaches(ctx, phase)
	return attempt.Breaches(found), err
}
