package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
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

// Settings gives each file of the repository's own configuration and hooks, as .git/NAME, with what
// shows a change of it.
func (r *Repository) Settings() map[string]string {
	all := map[string]string{}
	for _, pattern := range []string{"config", "config.worktree", "info/attributes", "hooks/*"} {
		// the pattern is valid
		paths, _ := filepath.Glob(filepath.Join(safefile.EscapeGlob(r.CommonDir), filepath.FromSlash(pattern)))
		for _, path := range paths {
			info, err := os.Lstat(path)
			name, outside := filepath.Rel(r.CommonDir, path)
			if err == nil && outside == nil {
				all[".git/"+filepath.ToSlash(name)] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return all
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
