package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree/delivery"
)

// Line is the integration line of one run: the branch autobuild/RUN/integration, to which every
// verified phase adds one commit. The name has a third part because git cannot have the branch
// autobuild/RUN beside the phases' branches autobuild/RUN/PHASE.
// Its methods may be called from any number of goroutines; landings wait for each other.
type Line struct {
	Branch string   // the line's branch, short: the argument of a merge command
	Notes  []string // notes for the user on how the run begins

	// paths of the user's checkout that are not as in its last commit, sorted; the run's own work
	// left out
	Uncommitted []string

	repo    *git.Repository // the user's
	own     *git.OwnRefs    // the run's refs
	scratch *git.ScratchDir // the run's, for its content
	modules *git.Submodules
	opt     Options
	// the user's checkout, into which deliveries bring what landed
	checkout delivery.Checkout
	plan     string             // the plan's path below the repository's root, or empty
	aside    string             // likewise that of the file that is written beside the run
	landed   map[string]string  // phase → its newest commit
	keys     map[string]string  // phase → the key of the attempt that landed it
	hooks    git.Hooks          // the user's commit hooks as they were when the run began
	revived  bool               // Begin made the branch again, of a run that may be complete
	held     map[string]content // phase → what lands of its worktree, while it is reviewed; see Hold
	reads    map[string]reading // phase → the newest read of its worktree
	// phase → the stamp of its worktree's own index as it was made: that of the base
	untouched map[string]string
	merges    map[string]merged // phase → its newest merge with the line
	shared    bool              // phases work in the checkout itself: its files are theirs

	settings map[string]string // see Meanwhile

	base string // commit from which the run started
	tip  string // newest commit of the line

	queue    queue         // candidates that are being judged
	turn     chan struct{} // one verification of a landing at a time
	refsLock chan struct{} // one change of refs, worktrees or checkout at a time
}

var safeWord = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// CheckName refuses, with an *git.UnusableError, a word that would not stay one element of a path
// and one part of a ref; kind names it in the message.
func CheckName(kind, w string) error {
	if !safeWord.MatchString(w) || strings.Contains(w, "..") || strings.HasSuffix(w, ".") ||
		strings.HasSuffix(w, ".lock") {
		return &git.UnusableError{
			What: kind + " cannot be part of a path and a branch name", Where: w,
			Next: "use letters, digits, dots, dashes and underscores",
		}
	}
	return nil
}

// ref names one of the run's branches, hidden one of its private refs. A phase may be called
// integration.
func (l *Line) ref(name string) string { return "refs/heads/autobuild/" + l.opt.RunID + "/" + name }

func (l *Line) hidden(name string) string { return "refs/autobuild/" + l.opt.RunID + "/" + name }

func (l *Line) phaseRef(phase string) string {
	if phase == "integration" {
		phase = "integration.phase"
	}
	return l.ref(phase)
}

// take waits for a token, no longer than the context lives.
func take(ctx context.Context, token chan struct{}) (give func(), err error) {
	select {
	case token <- struct{}{}:
		return func() { <-token }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (l *Line) String() string { return fmt.Sprintf("line %s at %.12s", l.Branch, l.tip) }

// content is the state of a worktree's files, as a tree object.
type content struct {
	tree   string
	index  string // index file that describes the worktree, with file times
	others touched
}

// touched reports which of the files that are never part of a phase's work were changed.
type touched struct{ plan, aside, store bool }

// reading is the result of the newest read of a worktree, with stamps of the index that it left and
// of the agent's own.
type reading struct {
	dir, base, tree, index, agent string

	others  touched
	none    bool   // no child of the run was alive when it began
	started uint64 // of proc.Runner.Children
}

// same reports whether a later reading, as far as it is known, finds the same place.
func (r reading) same(now reading) bool {
	return r.tree != "" && r.dir == now.dir && r.base == now.base && r.index == now.index &&
		r.agent == now.agent
}

// merged is a landing in progress: the merged content and its base.
type merged struct {
	of     mergeOf
	landed Landed
	tip    string // the line when the merge was made
	tree   string // the result, without the plan's edit
	marked string // the result with it
	work   content
	moved  bool // anything else landed since the base
	ahead  bool // tip is work of other phases that has not landed
}

func (m merged) candidate(t Tree) Candidate {
	return Candidate{
		Tip: m.tip, Work: m.tree, Tree: m.marked, Base: t.Base, Alone: m.work.tree, Moved: m.moved,
		Already: m.landed.Already, Ahead: m.ahead,
	}
}

// mergeOf is all that a merge depends on: the same is made once.
type mergeOf struct {
	attempt, phase  string
	base, tip, work string // commits, and the tree of the phase's work
}

// Worktree is the path of a phase's worktree, which need not exist.
func (l *Line) Worktree(phase string) string { return filepath.Join(l.opt.worktrees(), phase) }

// Worktrees is the parent directory of the phases' worktrees.
func (l *Line) Worktrees() string { return l.opt.worktrees() }

// Lock waits until nothing else changes refs, worktrees or the checkout, no longer than ctx lives.
// Methods of the line must not be called before unlock, but for those whose comment says so.
func (l *Line) Lock(ctx context.Context) (unlock func(), err error) { return take(ctx, l.refsLock) }

// Repository is the repository of the run.
func (l *Line) Repository() *git.Repository { return l.repo }

// Scratch is the git directory in which the run works on content.
func (l *Line) Scratch() *git.ScratchDir { return l.scratch }

// RunID names the run.
func (l *Line) RunID() string { return l.opt.RunID }

// StateDir is the directory with the run's state and worktrees.
func (l *Line) StateDir() string { return l.opt.StateDir }

// Tip is the newest commit of the line. The caller holds Lock.
func (l *Line) Tip() string { return l.tip }

// Plan is the path of the plan, from the root of the checkout. It is empty for a plan outside the
// checkout, and without a plan.
func (l *Line) Plan() string { return l.plan }

// output reports whether a file of the checkout is one that the program's own output goes to.
func (l *Line) output(path string) bool {
	if len(l.opt.Output) == 0 {
		return false
	}
	info, err := os.Lstat(filepath.Join(l.repo.Top, filepath.FromSlash(path)))
	return err == nil && safefile.IsAmong(l.opt.Output, info)
}
