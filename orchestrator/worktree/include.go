package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// includeFile names, in the syntax of .gitignore, untracked files that every worktree gets a copy
// of.
const includeFile = ".worktreeinclude"

// copyIncluded copies them from the user's checkout. They never become part of the phase's work.
// Links that lead out of the checkout are left behind, and nothing is written through a link.
func (l *Line) copyIncluded(ctx context.Context, t Tree) (err error) {
	manifest := l.scratch.IndexFile(t.Phase + ".copied")
	if info, missing := os.Lstat(filepath.Join(l.repo.Top, includeFile)); missing != nil ||
		!info.Mode().IsRegular() {
		return safefile.IgnoreMissing(os.Remove(manifest))
	}
	o := git.Files{WorkTree: l.repo.Top, Index: filepath.Join(l.repo.GitDir, "index")}
	paths, err := l.scratch.LsFiles(ctx, o, "-o", "-i", "--exclude-from="+filepath.Join(l.repo.Top,
		includeFile))
	if err != nil {
		return err
	}
	paths = slices.DeleteFunc(paths, func(p string) bool {
		return strings.HasSuffix(p, "/") || p == l.plan || strings.HasPrefix(p, ".autobuild/") ||
			!filepath.IsLocal(filepath.FromSlash(p))
	})
	from, err := os.OpenRoot(l.repo.Top)
	if err != nil {
		return git.Unusable("the checkout cannot be read", err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := os.OpenRoot(t.Dir)
	if err != nil {
		return git.Unusable("the worktree cannot be read", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	for _, p := range paths {
		if err := copyInto(from, to, filepath.FromSlash(p)); err != nil {
			return fmt.Errorf("copying %s, which %s names: %w", text.Quote(p), includeFile, err)
		}
	}
	if err := safefile.Replace(manifest, git.JoinNUL(paths), 0o600); err != nil {
		return git.Unusable("git's directory cannot be written", err)
	}
	return nil
}

// copied is the set of files that were copied into the phase's worktree.
func (l *Line) copied(phase string) map[string]bool {
	data, err := safefile.ReadPlain(l.scratch.IndexFile(phase+".copied"), safefile.Large)
	if err != nil {
		return nil
	}
	set := map[string]bool{}
	for _, p := range git.SplitNUL(data) {
		set[p] = true
	}
	return set
}

func copyInto(from, to *os.Root, name string) (err error) {
	info, err := from.Lstat(name)
	if err != nil {
		return safefile.IgnoreMissing(err)
	}
	if err = to.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err //nolint:wrapcheck // wrapped once by the caller
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return copyLink(from, to, name)
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	in, err := safefile.OpenIn(from, name, os.O_RDONLY, 0)
	if err != nil {
		return err //nolint:wrapcheck // wrapped once by the caller
	}
	defer in.Close() //nolint:errcheck // only read
	out, err := safefile.OpenIn(to, name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC,
		info.Mode().Perm()|0o200)
	if err != nil {
		return err //nolint:wrapcheck // wrapped once by the caller
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// copyLink makes the same link, unless it leads out.
func copyLink(from, to *os.Root, name string) error {
	target, err := from.Readlink(name)
	if err != nil {
		return safefile.IgnoreMissing(err)
	}
	end := path.Join(path.Dir(filepath.ToSlash(name)), filepath.ToSlash(target))
	if filepath.IsAbs(target) || !filepath.IsLocal(filepath.FromSlash(end)) {
		return nil
	}
	return to.Symlink(target, name) //nolint:wrapcheck // wrapped once by the caller
}
