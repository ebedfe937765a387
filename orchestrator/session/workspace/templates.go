package workspace

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/prepare"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/worktree"
)

// maxTemplates is the number of templates beside that of the base.
const maxTemplates = 3

// templates are prepared checkouts, one for each content of manifests and lockfiles. Clones get
// copies of their untracked files.
type templates struct {
	line    *worktree.Line
	install prepare.Installer

	mu   sync.Mutex
	made []*template // the base's first, then in order of last use
}

// template is a prepared checkout.
type template struct {
	prepare.Made
	key      string
	checkout *worktree.Checkout
	files    []string
}

// of returns the template for a tree.
func (t *templates) of(ctx context.Context, tree string) (*template, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.find(ctx, tree)
}

// copyTo copies the template for a tree into a directory.
func (t *templates) copyTo(ctx context.Context, tree, dir string) (*template, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, err := t.find(ctx, tree)
	if err != nil || len(found.files) == 0 {
		return found, err
	}
	return found, prepare.Copy(ctx, found.checkout.Dir, found.checkout.Dir, dir, found.files)
}

// find returns the template for a tree. It creates that of the base, the line's tip, first.
func (t *templates) find(ctx context.Context, tree string) (*template, error) {
	if len(t.made) == 0 {
		base, err := t.line.Content(ctx, "")
		if err != nil {
			return nil, err
		}
		first, err := t.make(ctx, base, nil)
		if err != nil {
			return nil, err
		}
		t.made = []*template{first}
	}
	key, err := t.line.Inputs(ctx, tree, prepare.Reads)
	if err != nil {
		return nil, err
	}
	for n, known := range t.made {
		if known.key != key {
			continue
		}
		if n > 0 {
			t.made = append(slices.Delete(t.made, n, n+1), known)
		}
		return known, nil
	}
	fresh, err := t.make(ctx, tree, t.made[0])
	if err != nil {
		return nil, err
	}
	if len(t.made) > maxTemplates {
		err = t.made[1].close()
		t.made = slices.Delete(t.made, 1, 2)
	}
	t.made = append(t.made, fresh)
	return fresh, err
}

// make creates the template for a tree. base is nil for the base itself.
func (t *templates) make(ctx context.Context, tree string, base *template) (made *template, err error) {
	made = &template{}
	if made.key, err = t.line.Inputs(ctx, tree, prepare.Reads); err != nil {
		return nil, err
	}
	var changed []string
	if base != nil {
		edits, failed := t.line.Difference(ctx, base.checkout.Shown(), tree)
		if failed != nil {
			return nil, failed
		}
		changed = []string{}
		for _, e := range edits {
			if prepare.Reads(e.Path) && e.NewMode != "" {
				changed = append(changed, e.Path)
			}
		}
	}
	if made.checkout, err = t.line.Checkout(ctx); err != nil {
		return nil, err
	}
	if err = t.fill(ctx, made, tree, changed); err != nil {
		return nil, errors.Join(err, made.close())
	}
	return made, nil
}

func (t *templates) fill(ctx context.Context, made *template, tree string, changed []string) (err error) {
	c := made.checkout
	if err = c.Show(ctx, tree); err != nil {
		return err
	}
	if err = c.Include(ctx); err != nil {
		return err
	}
	included, err := c.Untracked(ctx)
	if err != nil {
		return err
	}
	if made.Made, err = t.install.Make(ctx, c.Dir, verify.Detect(c.Dir).Folders(), changed); err != nil {
		return err
	}
	if made.files, err = c.Untracked(ctx); err != nil {
		return err
	}
	made.files = slices.DeleteFunc(made.files,
		func(f string) bool { _, before := slices.BinarySearch(included, f); return before })
	if err = c.Seal(ctx); err != nil {
		return err
	}
	return c.Restore(ctx) // tracked files that an install changed are the tree's
}

// blame is an *attempt.InstallError if the install failed and that of the base did not.
func (t *templates) blame(made *template) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if made == t.made[0] || len(made.Failed) == 0 || len(t.made[0].Failed) > 0 {
		return nil
	}
	return &attempt.InstallError{Gate: *made.Failed[0]}
}

func (t *template) close() error { return t.checkout.Close() }

// close removes all templates.
func (t *templates) close() (all error) {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, known := range t.made {
		all = errors.Join(all, known.close())
	}
	t.made = nil
	return all
}

// Prepare makes clones prepared by their lockfiles from now on.
func (l *Worktrees) Prepare(i prepare.Installer) {
	l.benches.templates = &templates{line: l.Line, install: i}
}

// Prepared is the install of the base.
func (l *Worktrees) Prepared(ctx context.Context) (prepare.Made, error) {
	if l.benches.templates == nil {
		return prepare.Made{}, nil
	}
	base, err := l.Line.Content(ctx, "")
	if err != nil {
		return prepare.Made{}, err
	}
	made, err := l.benches.templates.of(ctx, base)
	if err != nil {
		return prepare.Made{}, err
	}
	return made.Made, nil
}

// Prepare does nothing: phases work in the user's directory.
func (*Shared) Prepare(prepare.Installer) {}

// Prepared is empty.
func (*Shared) Prepared(context.Context) (prepare.Made, error) { return prepare.Made{}, nil }

// ready copies installed files and build folders into the new worktree of a phase, and adds the
// rebuild commands to its setup.
func (l *Worktrees) ready(ctx context.Context, t worktree.Tree, out *attempt.Tree) error {
	if t.Reused {
		return nil
	}
	tree, err := l.Line.TreeOf(ctx, t.Base)
	if err != nil {
		return err
	}
	// an error stops further copies; the agent builds without one
	_, _ = l.benches.copyTo(ctx, tree, t.Dir, false)
	if l.benches.templates == nil {
		return nil
	}
	made, err := l.benches.templates.copyTo(ctx, tree, t.Dir)
	if err != nil {
		return err
	}
	out.Setup = made.Rebuild
	return l.benches.templates.blame(made)
}

// Ignored are the paths of the user's checkout that git ignores.
func (l *Worktrees) Ignored(ctx context.Context) ([]string, error) {
	all, err := l.Line.Ignored(ctx)
	return slices.DeleteFunc(all, func(p string) bool {
		return prepare.IsFolder(path.Base(p)) || p == ".autobuild"
	}), err
}

// Has reports whether the user's checkout has one of the paths.
func (l *Worktrees) Has(paths ...string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		return safefile.Exists(filepath.Join(l.Line.Repository().Top, filepath.FromSlash(p)))
	})
}

// Ignored is empty: gates run in the checkout itself.
func (*Shared) Ignored(context.Context) ([]string, error) { return nil, nil }

// Has is false, as Ignored is empty.
func (*Shared) Has(...string) bool { return false }
