package git

import (
	"context"
)

// Dir is a git directory other than that of the user's checkout: of a worktree or a submodule.
type Dir struct {
	program program
	path    string
	work    string // working directory of its commands
}

// At is the git directory at path; its commands run in the directory work.
func (r *Repository) At(path, work string) Dir {
	return Dir{program: r.program, path: path, work: work}
}

// do runs a command with pinnedSettings and gives the line that it printed.
func (g Dir) do(ctx context.Context, args ...string) (string, error) {
	out, _, err := g.program.do(ctx, command{dir: g.work, args: gitDirArgs(g.path, args...)})
	return word(out), err
}

// CommitOf is the commit to which a revision leads.
func (g Dir) CommitOf(ctx context.Context, revision string) (string, error) {
	return g.do(ctx, "rev-parse", "-q", "--verify", "--end-of-options", revision+"^{commit}")
}

// SetHead makes HEAD name a branch, a full ref name.
func (g Dir) SetHead(ctx context.Context, branch string) error {
	_, err := g.do(ctx, "symbolic-ref", "HEAD", branch)
	return err
}

// DetachHead makes HEAD name a commit.
func (g Dir) DetachHead(ctx context.Context, commit string) error {
	_, err := g.do(ctx, "update-ref", "--no-deref", "HEAD", commit)
	return err
}

// UpdateRef makes a ref name a commit, regardless of its old value.
func (g Dir) UpdateRef(ctx context.Context, ref, commit string) error {
	_, err := g.do(ctx, "update-ref", ref, commit)
	return err
}

// AddWorktree makes a locked worktree without files at dir, with a detached HEAD at a commit.
func (g Dir) AddWorktree(ctx context.Context, dir, commit, reason string) error {
	_, err := g.do(ctx, "worktree", "add", "-q", "--no-checkout", "--detach", "--lock", "--reason",
		reason, dir, commit)
	return err
}
