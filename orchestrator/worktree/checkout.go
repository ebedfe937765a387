package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// Checkout is a directory in which trees are shown to gates. No phase works in it, it is outside the repository, and it looks like
// an ordinary clone: code under judgement cannot see from its place that it is judged. One goroutine uses it at a time.
type Checkout struct {
	Dir string

	line   *Line
	name   string               // of its index
	git    map[string]string    // what its git directory holds, made anew for every tree
	kept   map[string]fileStamp // what setup made: paths beside those of the tree, with slashes
	intact bool                 // what setup made is as Seal found it
	shown  string               // the tree in the index; empty: none
}

// Checkout makes a directory below the line's folder of checkouts. Close removes it; after a crash, the next Begin does.
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
	c := &Checkout{Dir: filepath.Join(outer, filepath.Base(l.repo.Top)), line: l, name: "checkout-" + filepath.Base(outer)}
	if err = c.furnish(ctx, outer); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// checkoutFolder holds the checkouts of this repository's runs and nothing else. It does not lie in the repository, where tools would
// look upwards for configuration, nor in the state directory, whose name code could look for.
func (l *Line) checkoutFolder() (string, error) {
	if l.opt.Checkouts == "" {
		return "", errors.New("no folder for the referee's checkouts was given")
	}
	return l.opt.Checkouts, nil
}

// sweepCheckouts removes what a killed run has left. The run's lock is held: no gate is at work.
func (l *Line) sweepCheckouts() error {
	if l.opt.Checkouts == "" || !safefile.IsDir(l.opt.Checkouts) {
		return nil
	}
	left, err := os.ReadDir(l.opt.Checkouts)
	if err != nil {
		return git.Unusable("the folder of the referee's checkouts cannot be read", err)
	}
	for _, e := range left {
		if err := safefile.RemoveAll(filepath.Join(l.opt.Checkouts, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// furnish makes the directory and what its git directory will hold.
func (c *Checkout) furnish(ctx context.Context, outer string) (err error) {
	if err = os.Mkdir(filepath.Join(outer, filepath.Base(c.Dir)), 0o755); err != nil {
		return git.Unusable("a checkout for the referee cannot be made", err)
	}
	c.git, err = c.line.cloneFiles(ctx)
	return err
}

// surround leaves nothing beside the directory but the way to modules that Node finds above a project: in the user's checkout they
// lie above every worktree too.
func (c *Checkout) surround() error {
	outer, modules := filepath.Dir(c.Dir), filepath.Join(c.line.repo.Top, "node_modules")
	entries, err := os.ReadDir(outer)
	if err != nil {
		return git.Unusable("a checkout for the referee cannot be read", err)
	}
	linked := false
	for _, e := range entries {
		path := filepath.Join(outer, e.Name())
		if path == c.Dir && e.IsDir() {
			continue
		}
		if target, err := os.Readlink(path); err == nil && e.Name() == "node_modules" && target == modules {
			linked = true
			continue
		}
		if err := safefile.RemoveAll(path); err != nil {
			return err
		}
	}
	if !safefile.IsDir(c.Dir) {
		c.shown, c.intact = "", false
		if err := os.Mkdir(c.Dir, 0o755); err != nil {
			return git.Unusable("a checkout for the referee cannot be made", err)
		}
	}
	if !linked && safefile.IsDir(modules) {
		return os.Symlink(modules, filepath.Join(outer, "node_modules")) //nolint:wrapcheck // both paths are in it
	}
	return nil
}

// Close removes the directory and all that belongs to it.
func (c *Checkout) Close() error {
	c.dropModules()
	for _, f := range []string{c.index(), c.index() + ".copied"} {
		_ = os.Remove(f) // one that stays is found by no later name
	}
	return safefile.RemoveAll(filepath.Dir(c.Dir))
}

func (c *Checkout) dropModules() {
	give := func() {}
	if g, err := take(context.Background(), c.line.hands); err == nil {
		give = g
	}
	defer give()
	_ = c.line.clearModules(c.Dir) // git prunes what is left of a worktree that is gone
}

func (c *Checkout) index() string { return c.line.scratch.IndexFile(c.name) }

// Intact reports whether all that setup made is still as it was when Seal was called. It is false before the first Seal.
func (c *Checkout) Intact() bool { return c.intact }

// Show brings the directory to exactly the tree: whatever else lies there is removed, but for what Seal found. Files that have
// not changed keep their times.
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
	give, err := take(ctx, c.line.hands)
	if err != nil {
		return err
	}
	defer give()
	return c.line.copyIncluded(ctx, Tree{Phase: c.name, Dir: c.Dir})
}

// Seal takes all that lies in the directory beside the tree's files for what setup made, to be kept from now on.
func (c *Checkout) Seal(ctx context.Context) error {
	tracked, err := c.tracked(ctx)
	if err != nil {
		return err
	}
	c.kept = map[string]fileStamp{}
	err = c.walk(tracked, func(rel string, e fs.DirEntry) error {
		stamp, unread := stampOf(filepath.Join(c.Dir, filepath.FromSlash(rel)), e)
		c.kept[rel] = stamp
		return unread
	})
	c.intact = err == nil
	return err
}

// clean removes what is neither the shown tree's nor setup's, and finds out whether the latter is intact.
func (c *Checkout) clean(ctx context.Context) error {
	if c.shown == "" {
		return nil
	}
	tracked, err := c.tracked(ctx)
	if err != nil {
		return err
	}
	var extra []string
	seen := 0
	err = c.walk(tracked, func(rel string, e fs.DirEntry) error {
		was, kept := c.kept[rel]
		if !kept {
			extra = append(extra, rel)
			return nil
		}
		seen++
		now, unread := stampOf(filepath.Join(c.Dir, filepath.FromSlash(rel)), e)
		if unread != nil || now != was {
			c.intact = false
		}
		return nil
	})
	if err != nil {
		return err
	}
	if seen != len(c.kept) {
		c.intact = false
	}
	slices.Reverse(extra) // what lies in a directory before the directory
	return removeIn(c.Dir, extra)
}

// walk visits all that is in the directory and not tracked, directories before what is in them. A directory that holds tracked
// files is entered and not visited; one of a submodule is passed over.
func (c *Checkout) walk(tracked trackedSet, visit func(rel string, e fs.DirEntry) error) error {
	err := filepath.WalkDir(c.Dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || path == c.Dir && err == nil {
			return nil
		}
		if err != nil && e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a directory cannot be read without x
			if _, again := os.ReadDir(path); again != nil {
				return again
			}
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(c.Dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case rel == ".git" && e.IsDir():
			return filepath.SkipDir
		case tracked.modules[rel]:
			return filepath.SkipDir
		case tracked.files[rel] && !e.IsDir(), tracked.dirs[rel] && e.IsDir():
			return nil
		}
		return visit(rel, e)
	})
	if err != nil {
		return fmt.Errorf("looking at the files in %s: %w", text.Quote(c.Dir), err)
	}
	return nil
}

// trackedSet are the paths of an index, the directories that lead to them, and the gitlinks among them.
type trackedSet struct{ files, dirs, modules map[string]bool }

func (c *Checkout) tracked(ctx context.Context) (trackedSet, error) {
	set := trackedSet{files: map[string]bool{}, dirs: map[string]bool{}, modules: map[string]bool{}}
	entries, err := c.line.scratch.Index(ctx, git.Files{Index: c.index()})
	if err != nil {
		return set, err
	}
	for _, e := range entries {
		if e.NewMode == git.Gitlink {
			set.modules[e.Path] = true
		} else {
			set.files[e.Path] = true
		}
		for dir := e.Path; ; {
			i := strings.LastIndexByte(dir, '/')
			if i < 0 {
				break
			}
			if dir = dir[:i]; set.dirs[dir] {
				break
			}
			set.dirs[dir] = true
		}
	}
	return set, nil
}

// populate sets up the submodules that the user's checkout has.
func (c *Checkout) populate(ctx context.Context) error {
	give, err := take(ctx, c.line.hands)
	if err != nil {
		return err
	}
	defer give()
	return c.line.populate(ctx, c.Dir, c.index())
}

// removeIn deletes files below dir without following a link out of it.
func removeIn(dir string, paths []string) (err error) {
	if len(paths) == 0 {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening a worktree: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, p := range paths {
		if err := root.RemoveAll(filepath.Clean(filepath.FromSlash(p))); err != nil {
			return fmt.Errorf("removing what a check left in the worktree: %w", err)
		}
	}
	return nil
}
