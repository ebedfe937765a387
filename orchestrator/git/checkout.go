package git

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// HooksDir is the directory in which git looks for the user's hooks.
func (r *Repository) HooksDir(ctx context.Context) (string, error) {
	out, err := r.user(ctx, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", err
	}
	dir := word(out)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Top, dir)
	}
	return dir, nil
}

// TrySigning signs a commit to which no ref leads, by the user's configuration.
func (r *Repository) TrySigning(ctx context.Context) error {
	_, err := r.user(ctx, "commit-tree", "-S", "-m", "a test of the signature", r.Head+"^{tree}")
	return err
}

// Dirty counts the paths that differ from HEAD in the checkout, untracked ones included.
func (r *Repository) Dirty(ctx context.Context) (int, error) {
	out, _, err := r.real(ctx, nil, nil, "status", "--porcelain", "-z")
	return len(SplitNUL(out)), err
}

// Submodules lists the paths of the checkout's submodules.
func (r *Repository) Submodules(ctx context.Context) ([]string, error) {
	out, _, err := r.real(ctx, nil, nil, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, entry := range SplitNUL(out) {
		if rest, ok := strings.CutPrefix(entry, Gitlink+" "); ok {
			_, path, _ := strings.Cut(rest, "\t")
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// BlobAt reads a file of a commit; found is false where the commit or the file is missing.
func (r *Repository) BlobAt(
	ctx context.Context, commit, path string,
) (content []byte, found bool, err error) {
	out, code, err := r.real(ctx, nil, []int{128}, "cat-file", "blob", commit+":"+path)
	return out, err == nil && code == 0, err
}

// AddWorktree makes a locked worktree without files at dir, whose HEAD is a branch that the caller
// makes next, at the commit. The branch is a full ref name. Nothing is synced: a worktree that a
// power cut has left empty is made again.
func (r *Repository) AddWorktree(ctx context.Context, dir, branch, commit, reason string) error {
	_, _, err := r.real(ctx, nil, nil, "-c", "core.fsync=none", "worktree", "add", "-q",
		"--no-checkout", "--lock", "--reason", reason, "--detach", dir, commit)
	if err != nil {
		return err
	}
	admin := AdminDir(r.CommonDir, dir)
	if admin == "" {
		return fmt.Errorf("git made no worktree at %s", text.Quote(dir))
	}
	if err = safefile.Write(filepath.Join(admin, "HEAD"), []byte("ref: "+branch+"\n"),
		0o644); err != nil {
		return Unusable("a worktree's git directory cannot be written", err)
	}
	return nil
}

// Tracks reports whether the checkout's index, or else its commit, holds something at or below a
// path. Where the index does, committed is always false.
func (r *Repository) Tracks(ctx context.Context, path string) (indexed, committed bool, err error) {
	out, _, err := r.real(ctx, nil, nil, "ls-files", "-z", "--", path)
	if err != nil || len(out) > 0 || r.Head == "" {
		return len(out) > 0, false, err
	}
	out, _, err = r.real(ctx, nil, nil, "ls-tree", "-z", r.Head, "--", path)
	return false, len(out) > 0, err
}
