package delivery

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// complete writes the files that a git left undone when it was cut off in the middle of an update:
// those that it had removed to write anew, and the one that it had begun. A file counts as begun if
// its content is the beginning of its future content, so nothing that a person wrote is lost. The
// rest is git's own work, as ever.
func (u *update) complete(ctx context.Context) error {
	gone, err := u.gone(ctx)
	if err != nil {
		return err
	}
	var undone []string
	for _, c := range u.changes {
		if c.Status == 'D' || c.NewMode == git.Gitlink {
			continue
		}
		half, failed := u.half(ctx, c, gone[c.Path])
		if failed != nil {
			return failed
		}
		if half {
			undone = append(undone, c.Path)
		}
	}
	if len(undone) == 0 {
		return nil
	}
	d := u.Scratch
	want := git.Files{WorkTree: u.Repo.Top, Index: d.IndexFile("adopt")}
	if err = d.ReadTree(ctx, want, u.to); err != nil {
		return err
	}
	return d.CheckoutIndex(ctx, want, undone)
}

// half reports whether a file is gone, or holds the beginning of its content. One that is only to
// be made is git's to make.
func (u *update) half(ctx context.Context, c git.Change, gone bool) (bool, error) {
	info, err := os.Lstat(u.path(c))
	if err != nil || !info.Mode().IsRegular() {
		return gone, nil //nolint:nilerr // git meets the same, and says it
	}
	want, err := u.Scratch.Blob(ctx, c.NewID)
	if err != nil || info.Size() >= int64(len(want)) {
		return false, err
	}
	have, err := safefile.ReadPlain(u.path(c), int64(len(want)))
	if err != nil {
		return false, nil //nolint:nilerr // as above
	}
	return bytes.HasPrefix(want, have), nil
}

// gone are the files that the index has and the checkout lacks; those that a sparse checkout leaves
// out are not among them.
func (u *update) gone(ctx context.Context) (map[string]bool, error) {
	paths, err := u.Scratch.LsFiles(ctx, u.files(), "-d")
	gone := make(map[string]bool)
	for _, p := range paths {
		gone[p] = true
	}
	return gone, err
}

// Interrupted is the content that an interrupted delivery would have written to a file of the
// checkout. It is nil without one, and if the file has more than a prefix of that content. The
// path is absolute.
func Interrupted(ctx context.Context, r *git.Repository, stateDir, path string) ([]byte, error) {
	name := git.PathBelow(r.Top, path)
	own := filepath.Join(stateDir, git.Folder)
	if name == "" || !safefile.IsFile(filepath.Join(own, "HEAD")) {
		return nil, nil
	}
	runs := r.Bare(own)
	refs, err := runs.Refs(ctx, "refs/autobuild/*/delivering")
	if err != nil {
		return nil, err
	}
	for _, commit := range refs {
		want, found, err := runs.BlobAt(ctx, commit, name)
		if err != nil || !found {
			return nil, err
		}
		have, err := safefile.Read(path, int64(len(want)))
		if os.IsNotExist(err) || err == nil && len(have) < len(want) &&
			bytes.HasPrefix(want, have) {
			return want, nil
		}
	}
	return nil, nil
}
