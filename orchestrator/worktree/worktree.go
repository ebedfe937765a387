// Package worktree gives every phase a directory of its own and brings its verified work home. Work
// that is checked in goes onto one integration line by git's object commands alone, so nothing is
// ever half merged, and the user's checkout is only moved forward by a two-tree update that refuses
// rather than overwrites. It does not know what a plan, an agent or a failure is: phases are words,
// the plan is a path, and an edit of it is a function.
package worktree

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree/delivery"
)

// Tree is one phase's place to work.
type Tree struct {
	Phase  string // the phase, as given to Open
	Dir    string // absolute; the agent's working directory
	Branch string // full ref name; empty when the directory is shared
	// the commit on the line from which the work started; empty when the directory is shared
	Base   string
	Reused bool // earlier work of the phase is in it
	// the branch that holds earlier work that was set aside; empty when there was none
	Kept string
	// Realigned says how the worktree of an attempt that was cut off came back to its base; empty
	// when it never left that.
	Realigned string
	// the directory that earlier work was moved to, because git cannot hold it; empty when there
	// was none
	Moved string
}

// Rename is one file under a new name.
type Rename struct {
	From, To string
}

// Changes is the whole difference between a phase's content and its base, regardless of the author
// of commits on the way. Paths are relative, with slashes, sorted, and may hold any byte but NUL.
type Changes struct {
	Created, Modified, Deleted []string
	Renamed                    []Rename
	// in a shared directory: changed meanwhile, and credited to a phase that ran at the same time
	Beside []string
	// the plan file was changed as well; that change is never taken
	PlanTouched  bool
	AsideTouched bool   // so was the file that Options.Aside names
	Stray        string // a package store in the project, which is not part of the work; empty: none
	Tree         string // identity of the content: equal trees are equal work
}

// Empty reports whether nothing was changed.
func (c Changes) Empty() bool {
	return len(c.Created)+len(c.Modified)+len(c.Deleted)+len(c.Renamed) == 0
}

// Landing says how a phase's work becomes a commit.
type Landing struct {
	Phase string // the name in the commit's trailer; empty: the tree's phase
	// of the attempt: landing the same one twice is landing it once, another one lands anew
	Key     string
	Verdict string // one word for the commit's trailer: the verdict on the work; may be empty
	Message string // cleaned and bounded before use; empty gets a plain sentence
	// Contested lists contested changes of tests and gates, for trailers of the commit.
	Contested []string
	// Mark edits the plan file inside the same commit; nil, or a plan that git does not track,
	// leaves it alone. It must give the same bytes when it is applied to its own result.
	Mark   func([]byte) ([]byte, error)
	Judged string // the tree that has been judged already; empty: none
	// Verify judges what would land where that is not the tree Judged, because the line has moved
	// since; nil accepts.
	Verify     func(ctx context.Context, c Candidate) error
	AllowEmpty bool // land a phase that changed nothing
}

func (l Landing) trail() trail {
	return trail{phase: l.Phase, key: l.Key, verdict: l.Verdict, contested: l.Contested}
}

// Overlap is a file that two phases changed and git merged without a conflict.
type Overlap struct {
	Path     string
	Other    string // the other phase, or empty when the change was the user's
	Commit   string // the other change
	CaseOnly string // the other's name of the file, when the two differ in case alone
}

// Landed is the result of a landing.
type Landed struct {
	Commit     string
	Already    bool // it had landed before; nothing was done again
	Reverified bool // Verify was called: the tree was not the one Judged
	Overlap    []Overlap
	// the commit holds the plan, with the phase's mark where there is a place for it
	Marked bool
}

// Delivery is how the run's work stands in the user's checkout.
type Delivery struct {
	Commit    string // newest commit of the work
	Delivered bool
	Why       delivery.Obstacle // why not, when not
	Merge     string            // the command that brings the work in, when not
	Branch    string            // short name of the branch that holds the work, when not
}

// The commit modes.
const (
	Auto        = "auto"
	Single      = "single"
	MessageOnly = "message-only"
)

// Options says which run works on which line.
type Options struct {
	RunID    string // one safe word: letters, digits, dot, dash, underscore
	StateDir string // absolute
	// Worktrees is an absolute folder that holds the worktrees of the run's phases; empty: that of
	// the same name in StateDir
	Worktrees string
	Mode      string // Auto, Single or MessageOnly
	Remote    bool   // landed work stays on the line, and does not go into the user's checkout
	PlanPath  string // absolute; may lie outside the repository or be empty
	// absolute: a file in the checkout that is written beside the run, so that its changes are not
	// part of any phase's work; may be empty
	Aside    string
	NoVerify bool  // the user's commit hooks have no say
	MaxFile  int64 // bytes of one file of a phase's work; 0: 100 MB
	// Checkouts is an absolute folder outside the repository that holds the referee's checkouts and
	// nothing else: its content is removed when a run begins.
	Checkouts string
	// Output are files that the program's own output goes to, wherever they lie: changes there
	// while phases run are not part of any phase's work.
	Output []fs.FileInfo
	// Mark gives the edit of the plan for a landed phase, as in Landing, to be made in the user's
	// copy where that has edits of theirs; nil leaves such a copy as it is.
	Mark func(phase string) func([]byte) ([]byte, error)
}

// repository is the run's own.
func (o Options) repository() string { return filepath.Join(o.StateDir, git.Folder) }

// worktrees is the folder of the phases' worktrees.
func (o Options) worktrees() string {
	return cmp.Or(o.Worktrees, filepath.Join(o.StateDir, "worktrees"))
}

// Candidate is a phase's work merged with the line's tip in memory: the content of a landing at
// this moment.
type Candidate struct {
	Tip     string // commit of the line below the work
	Work    string // tree of the merge
	Tree    string // the same with the plan's mark: exactly what would land
	Base    string // commit from which the phase's own work started
	Alone   string // tree of the phase's own work on Base, as it was before the merge
	Moved   bool   // anything else landed since Base
	Already bool   // this attempt has landed: there is nothing to judge
	Ahead   bool   // Tip holds work of other phases that is being judged and has not landed
}
