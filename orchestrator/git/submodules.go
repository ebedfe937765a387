package git

import (
	"context"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
)

// Submodules are the submodules in a run's clones. Each that the user's checkout has is a clone
// with a git directory of its own that borrows the submodule's objects: nothing is fetched.
// Uncommitted changes in one are not this repository's content; Changed names it.
type Submodules struct {
	repo    *Repository
	scratch *ScratchDir
}

// NewSubmodules looks after the submodules of a run.
func NewSubmodules(r *Repository, d *ScratchDir) *Submodules {
	return &Submodules{repo: r, scratch: d}
}

// submodule is a gitlink of a tree.
type submodule struct {
	path   string // below the worktree's root
	commit string
}

// submodules lists the gitlinks of an index.
func submodules(ctx context.Context, d *ScratchDir, index string) ([]submodule, error) {
	entries, err := d.Index(ctx, Files{Index: index})
	if err != nil {
		return nil, err
	}
	var found []submodule
	for _, e := range entries {
		if e.NewMode == Gitlink && filepath.IsLocal(filepath.FromSlash(e.Path)) {
			found = append(found, submodule{path: e.Path, commit: e.NewID})
		}
	}
	return found, nil
}

// mayHaveSubmodules reports whether there is a .gitmodules, without which no submodule is set up.
// It saves a look at every file.
func (s *Submodules) mayHaveSubmodules(dir string) bool {
	return safefile.Exists(filepath.Join(s.repo.Top, ".gitmodules")) ||
		safefile.Exists(filepath.Join(dir, ".gitmodules"))
}

// Populate brings the submodules in dir to the commits that its index names, those of submodules
// included.
func (s *Submodules) Populate(ctx context.Context, dir, index string) error {
	if !s.mayHaveSubmodules(dir) {
		return nil
	}
	return s.populateFrom(ctx, s.scratch, s.repo.Top, dir, index)
}

// populateFrom is Populate below the checkout top, with the objects of d.
func (s *Submodules) populateFrom(
	ctx context.Context, d *ScratchDir, top, dir, index string,
) error {
	subs, err := submodules(ctx, d, index)
	if err != nil {
		return err
	}
	for _, sub := range subs {
		from, to := filepath.Join(top, filepath.FromSlash(sub.path)),
			filepath.Join(dir, filepath.FromSlash(sub.path))
		module := ModuleDir(from)
		if module == "" || !safefile.IsDir(to) {
			continue // not set up in the checkout either
		}
		own := d.OfModule(module)
		if !own.HasCommit(ctx, sub.commit) {
			continue // its commit was never fetched, and nothing is fetched here
		}
		dir := CloneDir(to)
		if dir != "" && HeadCommit(dir) == sub.commit {
			continue
		}
		if entries, unread := os.ReadDir(to); dir == "" && (unread != nil || len(entries) > 0) {
			continue // Changed names it
		}
		if err = s.module(ctx, own, to, sub.commit); err != nil {
			return err
		}
		if err = s.populateFrom(ctx, own, from, to, filepath.Join(to, ".git", "index")); err != nil {
			return err
		}
	}
	return nil
}

// module makes to a clone of a submodule's repository at a commit.
func (s *Submodules) module(ctx context.Context, own *ScratchDir, to, commit string) error {
	dir := filepath.Join(to, ".git")
	files := map[string]string{
		"config": s.scratch.identityConfig(), "HEAD": commit + "\n",
		"objects/info/alternates": filepath.ToSlash(own.Objects) + "\n",
	}
	if err := WriteCloneDir(dir, files, "config.worktree", "commondir"); err != nil {
		return err
	}
	index := s.scratch.IndexFile("submodule")
	if err := safefile.IgnoreMissing(os.Remove(index)); err != nil {
		return Unusable("git's directory cannot be written", err)
	}
	if err := own.ResetTree(ctx, Files{WorkTree: to, Index: index}, commit); err != nil {
		return err
	}
	return CopyIndex(index, filepath.Join(dir, "index"))
}

// Changed names the submodules of dir that hold what is not committed in them. Where a submodule
// has a new commit, the ref in its repository keeps that from git's garbage collection.
func (s *Submodules) Changed(ctx context.Context, dir, index, ref string) ([]string, error) {
	if !s.mayHaveSubmodules(dir) {
		return nil, nil
	}
	subs, err := submodules(ctx, s.scratch, index)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, sub := range subs {
		to := filepath.Join(dir, filepath.FromSlash(sub.path))
		if !safefile.IsDir(to) {
			continue
		}
		module := ModuleDir(filepath.Join(s.repo.Top, filepath.FromSlash(sub.path)))
		clone := CloneDir(to)
		if clone == "" || module == "" {
			if entries, err := os.ReadDir(to); err == nil && len(entries) > 0 {
				changed = append(changed, sub.path)
			}
			continue
		}
		head := HeadCommit(clone)
		dirty, err := s.dirtyModule(ctx, module, clone, to, head, sub.commit)
		if err != nil {
			return nil, err
		}
		if dirty {
			changed = append(changed, sub.path)
			continue
		}
		if head != sub.commit {
			if err := s.repo.Bare(module).UpdateRefs(ctx, "land", RefUpdate{Ref: ref, New: head}); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}

// dirtyModule reports whether a submodule's files differ from its HEAD, whose commits it takes
// into the submodule's repository. It relies on the index: an agent that edits it hides its own
// work.
func (s *Submodules) dirtyModule(
	ctx context.Context, module, clone, to, head, was string,
) (bool, error) {
	if head == "" {
		return true, nil
	}
	own := s.scratch.OfModule(module)
	if !own.HasCommit(ctx, head) && own.Import(ctx, clone, head, true, was) != nil {
		return true, nil // a commit that is not there whole
	}
	o := Files{WorkTree: to, Index: s.scratch.IndexFile("submodule")}
	if err := CopyIndex(filepath.Join(clone, "index"), o.Index); err != nil {
		return true, nil //nolint:nilerr // without an index, nothing in it is committed
	}
	staged, err := own.IndexDiffers(ctx, o, head)
	if err != nil || staged {
		return staged, err
	}
	if err = own.RefreshIndex(ctx, o, "--ignore-submodules"); err != nil {
		return false, err
	}
	paths, _, err := own.Differing(ctx, o)
	return len(paths) > 0, err
}
