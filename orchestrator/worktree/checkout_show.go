package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// Checkout makes a directory below the line's folder of checkouts. Close removes it; after a crash,
// the next Begin does.
func (l *Line) Checkout(ctx context.Context) (*Checkout, error) {
	root, err := l.checkoutFolder()
	if err != nil {
		return nil, err
	}
	if err = os.MkdirAll(root, 0o700); err != nil {
		return nil, git.Unusable("the folder of the referee's checkouts cannot be made", err)
	}
	outer, err := os.MkdirTemp(root, "")
	if err != nil {
		return nil, git.Unusable("a checkout for the referee cannot be made", err)
	}
	c := &Checkout{
		Dir: filepath.Join(outer, filepath.Base(l.repo.Top)), line: l,
		name: "checkout-" + filepath.Base(outer),
	}
	if err = c.furnish(ctx, outer); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// furnish makes the directory and the content of its git directory.
func (c *Checkout) furnish(ctx context.Context, outer string) (err error) {
	if err = os.Mkdir(filepath.Join(outer, filepath.Base(c.Dir)), 0o755); err != nil {
		return git.Unusable("a checkout for the referee cannot be made", err)
	}
	c.git, err = c.line.cloneFiles(ctx)
	return err
}

// surround removes everything beside the directory, and creates the directory if it is missing.
func (c *Checkout) surround() error {
	outer := filepath.Dir(c.Dir)
	entries, err := os.ReadDir(outer)
	if err != nil {
		return git.Unusable("a checkout for the referee cannot be read", err)
	}
	for _, e := range entries {
		if path := filepath.Join(outer, e.Name()); path != c.Dir || !e.IsDir() {
			if err := safefile.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	if !safefile.IsDir(c.Dir) {
		c.shown, c.intact = "", false
		if err := os.Mkdir(c.Dir, 0o755); err != nil {
			return git.Unusable("a checkout for the referee cannot be made", err)
		}
	}
	return nil
}

// Close removes the directory and all that belongs to it.
func (c *Checkout) Close() error {
	for _, f := range []string{c.index(), c.index() + ".copied"} {
		_ = os.Remove(f) // one that stays is found by no later name
	}
	return safefile.RemoveAll(filepath.Dir(c.Dir))
}

// Show brings the directory to exactly the tree: it removes all other files, except those that Seal
// found. Files that have not changed keep their times.
func (c *Checkout) Show(ctx context.Context, tree string) error {
	if err := c.surround(); err != nil {
		return err
	}
	if err := c.clean(ctx); err != nil {
		return err
	}
	o := git.Files{WorkTree: c.Dir, Index: c.index()}
	err := c.line.scratch.ResetTree(ctx, o, tree, "core.trustctime=true", "core.checkStat=default")
	if err != nil {
		return err
	}
	c.shown = tree
	if err := c.populate(ctx); err != nil {
		return err
	}
	return c.moveHead(ctx, tree)
}

// Restore shows the same tree again: tracked files that setup changed are the tree's from then on.
func (c *Checkout) Restore(ctx context.Context) error { return c.Show(ctx, c.shown) }

// Reset forgets what setup made: the next Show removes it.
func (c *Checkout) Reset() { c.kept, c.intact = nil, false }

// Include copies the untracked files that .worktreeinclude names. It comes before setup.
func (c *Checkout) Include(ctx context.Context) error {
	release, err := take(ctx, c.line.refsLock)
	if err != nil {
		return err
	}
	defer release()
	return c.line.copyIncluded(ctx, Tree{Phase: c.name, Dir: c.Dir})
}

// populate sets up the submodules that the user's checkout has.
func (c *Checkout) populate(ctx context.Context) error {
	release, err := take(ctx, c.line.refsLock)
	if err != nil {
		return err
	}
	defer release()
	return c.line.modules.Populate(ctx, c.Dir, c.index())
}
