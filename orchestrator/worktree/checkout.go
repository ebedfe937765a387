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
	"time"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// Checkout is a directory in which trees are shown to gates. No phase works in it, it is outside
// the repository, and it looks like an ordinary clone: code under judgement cannot see from its
// place that it is judged. One goroutine uses it at a time.
type Checkout struct {
	Dir string

	line   *Line
	name   string               // of its index
	git    map[string]string    // content of its git directory, made anew for every tree
	kept   map[string]fileStamp // files made by setup: paths beside those of the tree, with slashes
	intact bool                 // the files made by setup are as Seal found them
	shown  string               // the tree in the index; empty: none
}

// checkoutFolder holds the checkouts of this repository's runs and nothing else. It does not lie in
// the repository, where tools would look upwards for configuration, nor in the state directory,
// whose name code could look for.
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

func (c *Checkout) index() string { return c.line.scratch.IndexFile(c.name) }

// Intact reports whether all that setup made is still as it was when Seal was called. It is false
// before the first Seal.
func (c *Checkout) Intact() bool { return c.intact }

// Kept is the number of untracked files and directories at the last Seal.
func (c *Checkout) Kept() int { return len(c.kept) }

// Shown is the tree of the last Show.
func (c *Checkout) Shown() string { return c.shown }

// Untracked are the slash paths of untracked files and directories, parents first.
func (c *Checkout) Untracked(ctx context.Context) (paths []string, err error) {
	tracked, err := c.tracked(ctx)
	if err != nil {
		return nil, err
	}
	err = c.walk(tracked, func(rel string, _ fs.DirEntry) error {
		paths = append(paths, rel)
		return nil
	})
	slices.Sort(paths)
	return paths, err
}

// Seal takes all that lies in the directory beside the tree's files for what setup made, to be kept
// from now on.
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

// Build is the ignored files that setup and gates created in a checkout.
type Build struct {
	Files []string             // slash paths, parents first
	Size  int64                // in bytes
	Times map[string]time.Time // modification times of the tree's regular files, by slash path
}

// TakeIgnored moves the files that git ignores, except those of the last Seal, to the empty
// directory to, which is beside the checkout's parent.
func (c *Checkout) TakeIgnored(ctx context.Context, to string) (b Build, err error) {
	tracked, err := c.tracked(ctx)
	if err != nil {
		return b, err
	}
	b.Times = make(map[string]time.Time, len(tracked.files))
	for rel := range tracked.files {
		info, gone := os.Lstat(filepath.Join(c.Dir, filepath.FromSlash(rel)))
		if gone == nil && info.Mode().IsRegular() {
			b.Times[rel] = info.ModTime()
		}
	}
	var tops []string // new paths in directories that are not new
	below := map[string][]string{}
	err = c.walk(tracked, func(rel string, e fs.DirEntry) error {
		if _, kept := c.kept[rel]; kept {
			return nil
		}
		if n := len(tops); n == 0 || !strings.HasPrefix(rel, tops[n-1]+"/") {
			tops = append(tops, rel)
		}
		top := tops[len(tops)-1]
		below[top] = append(below[top], rel)
		if info, gone := e.Info(); gone == nil && info.Mode().IsRegular() {
			b.Size += info.Size()
		}
		return nil
	})
	if err != nil {
		return b, err
	}
	ignored, err := c.line.scratch.Ignored(ctx,
		git.Files{WorkTree: c.Dir, Index: c.index()}, tops)
	if err != nil {
		return b, err
	}
	outer := filepath.Dir(c.Dir)
	root, err := os.OpenRoot(filepath.Dir(outer))
	if err != nil {
		return b, fmt.Errorf("keeping build folders: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	from, kept := filepath.Join(filepath.Base(outer), filepath.Base(c.Dir)), filepath.Base(to)
	for _, top := range tops {
		if !ignored[top] {
			continue
		}
		name := filepath.FromSlash(top)
		if err = root.MkdirAll(filepath.Join(kept, filepath.Dir(name)), 0o755); err == nil {
			err = root.Rename(filepath.Join(from, name), filepath.Join(kept, name))
		}
		if err != nil {
			return b, fmt.Errorf("keeping build folders: %w", err)
		}
		for i, char := range top {
			if char == '/' {
				b.Files = append(b.Files, top[:i])
			}
		}
		b.Files = append(b.Files, below[top]...)
	}
	return b, nil
}

// clean removes what is neither the shown tree's nor setup's, and finds out whether the latter is
// intact.
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
	slices.Reverse(extra) // the content of a directory before the directory
	return removeIn(c.Dir, extra)
}

// walk visits all that is in the directory and not tracked, directories before what is in them. A
// directory that holds tracked files is entered and not visited; one of a submodule is passed over.
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

// trackedSet are the paths of an index, the directories that lead to them, and the gitlinks among
// them.
type trackedSet struct{ files, dirs, modules map[string]bool }

func (c *Checkout) tracked(ctx context.Context) (trackedSet, error) {
	set := trackedSet{files: map[string]bool{}, dirs: map[string]bool{}, modules: map[string]bool{}}
	entries, err := c.line.scratch.LsTree(ctx, c.shown)
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
