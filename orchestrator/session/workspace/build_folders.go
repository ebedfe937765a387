package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/prepare"
)

const (
	// leastBuild is the time that setup and gates have to take without build folders for theirs to be
	// kept.
	leastBuild = 2 * time.Second
	// maxBuild is the size, in bytes, up to which build folders are kept.
	maxBuild = 8 << 30
)

// builds keeps the build folders of the last accepted tree: what setup and gates left in files that
// git ignores. Further clones start with a copy of them.
type builds struct {
	off bool // build-folders: cold
	now func() time.Time

	mu       sync.Mutex
	kept     made
	distrust bool // gates failed with build folders, and passed without them
}

// made is what setup and gates left on one tree.
type made struct {
	tree  string
	warm  bool      // with build folders of an earlier one
	began time.Time // when setup and gates began

	place string // directory in which it was made
	dir   string // directory that holds it now; empty: not set aside, or too large
	files []string
	times map[string]time.Time // of the tree's files
}

func (m made) drop() error {
	if m.dir == "" {
		return nil
	}
	return safefile.RemoveAll(m.dir)
}

// close removes what is kept.
func (b *builds) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	gone := b.kept
	b.kept = made{}
	return gone.drop()
}

// Cold shows trees without build folders of earlier ones until the bench is left.
func (b *bench) Cold() {
	b.drop()
	b.cold = true
}

// setAside moves what setup and gates left on the shown tree out of the checkout.
func (b *bench) setAside(ctx context.Context) (err error) {
	m := b.last
	b.last = made{}
	again := slices.ContainsFunc(b.made, func(k made) bool { return k.tree == m.tree })
	if b.builds.off || again || m.tree == "" || m.tree != b.checkout.Shown() ||
		!m.warm && b.builds.now().Sub(m.began) < leastBuild {
		return nil
	}
	m.place = b.checkout.Dir
	if m.times, err = b.checkout.Times(ctx); err != nil {
		return err
	}
	if m.dir, err = os.MkdirTemp(filepath.Dir(filepath.Dir(m.place)), ""); err != nil {
		return fmt.Errorf("keeping what the gates built: %w", err)
	}
	var size int64
	m.files, size, err = b.checkout.TakeIgnored(ctx, m.dir)
	if err != nil || len(m.files) == 0 || size > maxBuild {
		return errors.Join(err, m.drop())
	}
	b.made = append(b.made, m)
	return nil
}

// bringBack copies the kept build folders into the checkout that shows tree. It returns the tree
// that they were made on; empty: none was copied. If files of that tree are gone nothing is copied,
// because incremental builds keep the results of removed files.
func (b *bench) bringBack(ctx context.Context, tree string) (over string, err error) {
	b.builds.mu.Lock()
	defer b.builds.mu.Unlock()
	kept := b.builds.kept
	if b.cold || b.builds.distrust || kept.dir == "" {
		return "", nil
	}
	edits, err := b.line.Difference(ctx, kept.tree, tree)
	if err != nil {
		return "", err
	}
	for _, e := range edits {
		if e.NewMode == "" {
			return "", nil
		}
	}
	if err = prepare.Copy(ctx, kept.dir, kept.place, b.checkout.Dir, kept.files); err != nil {
		b.builds.distrust = true // the disk may be full
		return "", b.checkout.Show(ctx, tree)
	}
	return kept.tree, kept.date(b.checkout.Dir, edits, b.builds.now())
}

// date gives the files of a clone the times of those that m was made from. What differs from them,
// as edits say, gets the time now: what was built from another content is older.
func (m made) date(dir string, edits []git.Edit, now time.Time) (err error) {
	// Python and others compare times in seconds, and take a changed file of the same second and size
	// for the one that they know
	if next := m.began.Truncate(time.Second).Add(time.Second); now.Before(next) {
		now = next
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("copying what the gates built: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	times := maps.Clone(m.times)
	for _, e := range edits {
		times[e.Path] = now
	}
	for f, to := range times {
		name := filepath.FromSlash(f)
		info, err := root.Lstat(name) // no link is followed
		if err != nil || !info.Mode().IsRegular() || info.ModTime().Equal(to) {
			continue
		}
		if err := root.Chtimes(name, to, to); err != nil {
			return fmt.Errorf("copying what the gates built: %w", err)
		}
	}
	return nil
}

// Accept keeps the build folders of a tree that was shown, instead of those before.
func (b *bench) Accept(ctx context.Context, tree string) error {
	if b.last.tree == tree {
		if err := b.setAside(ctx); err != nil {
			return err
		}
	}
	b.builds.mu.Lock()
	defer b.builds.mu.Unlock()
	b.builds.distrust = b.builds.distrust || b.cold
	gone := b.builds.kept
	b.builds.kept = made{}
	if i := slices.IndexFunc(b.made, func(m made) bool { return m.tree == tree }); i >= 0 {
		b.builds.kept = b.made[i]
		b.made = slices.Delete(b.made, i, i+1)
	}
	return gone.drop()
}

// drop removes what was made on trees that were not accepted.
func (b *bench) drop() {
	for _, m := range b.made {
		_ = m.drop() // the next run removes what is left
	}
	b.made, b.last, b.cold = nil, made{}, false
}

// seed copies the kept build folders into the new worktree of a phase, and gives its files the
// times of those that they were made from.
func (b *benches) seed(ctx context.Context, tree, dir string) error {
	b.builds.mu.Lock()
	defer b.builds.mu.Unlock()
	kept := b.builds.kept
	if kept.dir == "" || b.builds.distrust {
		return nil
	}
	edits, err := b.line.Difference(ctx, kept.tree, tree)
	if err != nil {
		return err
	}
	if err = prepare.Copy(ctx, kept.dir, kept.place, dir, kept.files); err != nil {
		b.builds.distrust = true // the disk may be full
		return context.Cause(ctx)
	}
	return kept.date(dir, edits, b.builds.now())
}
