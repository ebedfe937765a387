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

// UpdateRef makes a ref name a commit, regardless of its old value.
func (g Dir) UpdateRef(ctx context.Context, ref, commit string) error {
	_, err := g.do(ctx, "update-ref", ref, commit)
	return err
}
