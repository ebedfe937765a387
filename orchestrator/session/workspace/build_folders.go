package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/worktree"
)

const (
	// minBuildTime is the duration of setup and gates from which on a clean build is kept.
	minBuildTime = 2 * time.Second
	// maxBuildSize is the size limit, in bytes, of a kept build.
	maxBuildSize = 8 << 30
)

// builds holds the build folders of the last accepted tree. Further clones start with a copy.
type builds struct {
	off bool // build-folders: cold
	now func() time.Time

	mu      sync.Mutex
	current build
	stopped bool // a copy made gates fail, or the disk is full
}

// build is the ignored files that setup and gates created for one tree.
type build struct {
	worktree.Build
	tree    string
	warm    bool      // they started with a copy of an earlier build
	started time.Time // of setup and gates
	made    string    // directory of the clone
	dir     string    // directory that holds the files now; empty: they are still in the clone
}

func (b build) remove() error {
	if b.dir == "" {
		return nil
	}
	return safefile.RemoveAll(b.dir)
}

// close removes the kept build.
func (b *builds) close() error { return b.replace(build{}) }

// replace keeps another build and removes the one before.
func (b *builds) replace(with build) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.current
	b.current = with
	return old.remove()
}

// copyTo copies the kept build into a clone at dir that has a tree, and sets the times of tracked
// files: a file that differs from the built tree is newer than the build, any other file keeps its
// time. It returns the built tree; empty: nothing was copied. With clean, nothing is copied if a
// file of the built tree is missing, because incremental builds keep the results of removed files.
func (b *benches) copyTo(
	ctx context.Context, tree, dir string, clean bool,
) (from string, err error) {
	b.builds.mu.Lock()
	defer b.builds.mu.Unlock()
	current := b.builds.current
	if b.builds.stopped || current.dir == "" {
		return "", nil
	}
	edits, err := b.line.Difference(ctx, current.tree, tree)
	if err != nil || clean && slices.ContainsFunc(edits,
		func(e git.Edit) bool { return e.NewMode == "" }) {
		return "", err
	}
	err = prepare.Copy(ctx, current.dir, current.made, dir, current.Files)
	if err == nil {
		err = current.setTimes(dir, edits, b.builds.now())
	}
	b.builds.stopped = err != nil
	return current.tree, err
}

// setTimes sets the times of a clone's tracked files to those in the built tree, and of edited
// files to now.
func (b build) setTimes(dir string, edits []git.Edit, now time.Time) (err error) {
	// Python compares times in seconds: a file edited in the second of the build would count as
	// unchanged if its size is the same
	if next := b.started.Truncate(time.Second).Add(time.Second); now.Before(next) {
		now = next
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("copying build folders: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	set := func(file string, to time.Time) error {
		name := filepath.FromSlash(file)
		info, missing := root.Lstat(name) // links are not followed
		if missing != nil || !info.Mode().IsRegular() || info.ModTime().Equal(to) {
			return nil
		}
		return root.Chtimes(name, to, to)
	}
	for file, time := range b.Times {
		if err = set(file, time); err != nil {
			return fmt.Errorf("copying build folders: %w", err)
		}
	}
	for _, e := range edits {
		if err = set(e.Path, now); err != nil {
			return fmt.Errorf("copying build folders: %w", err)
		}
	}
	return nil
}

// Cold shows trees without build folders of earlier trees until Leave.
func (b *bench) Cold() {
	b.discard()
	b.cold = true
}

// detach moves the build of the shown tree out of the checkout, if it can be kept.
func (b *bench) detach(ctx context.Context) (err error) {
	shown := b.shownBuild
	b.shownBuild = build{}
	known := slices.ContainsFunc(b.detached, func(d build) bool { return d.tree == shown.tree })
	if b.builds.off || known || shown.tree == "" || shown.tree != b.checkout.Shown() ||
		!shown.warm && b.builds.now().Sub(shown.started) < minBuildTime {
		return nil
	}
	shown.made = b.checkout.Dir
	if shown.dir, err = os.MkdirTemp(filepath.Dir(filepath.Dir(shown.made)), ""); err != nil {
		return fmt.Errorf("keeping build folders: %w", err)
	}
	shown.Build, err = b.checkout.TakeIgnored(ctx, shown.dir)
	if err != nil || len(shown.Files) == 0 || shown.Size > maxBuildSize {
		return errors.Join(err, shown.remove())
	}
	b.detached = append(b.detached, shown)
	return nil
}

// restore copies the kept build into the checkout that shows tree. It returns the built tree;
// empty: nothing was copied.
func (b *bench) restore(ctx context.Context, tree string) (from string, err error) {
	if b.cold {
		return "", nil
	}
	from, err = b.copyTo(ctx, tree, b.checkout.Dir, true)
	if err != nil {
		return "", b.checkout.Show(ctx, tree) // removes a partial copy
	}
	return from, nil
}

// Accept keeps the build of a tree that was shown, instead of the one before.
func (b *bench) Accept(ctx context.Context, tree string) error {
	if b.shownBuild.tree == tree {
		if err := b.detach(ctx); err != nil {
			return err
		}
	}
	b.builds.mu.Lock()
	b.builds.stopped = b.builds.stopped || b.cold
	b.builds.mu.Unlock()
	var accepted build
	if i := slices.IndexFunc(b.detached, func(d build) bool { return d.tree == tree }); i >= 0 {
		accepted = b.detached[i]
		b.detached = slices.Delete(b.detached, i, i+1)
	}
	return b.builds.replace(accepted)
}

// discard removes the builds of trees that were not accepted.
func (b *bench) discard() {
	for _, d := range b.detached {
		_ = d.remove() // best effort; the next run removes the rest
	}
	b.detached, b.shownBuild, b.cold = nil, build{}, false
}
