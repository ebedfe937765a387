package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
)

// Submodules are the submodules in a run's worktrees. Each that the user's checkout has is another
// worktree of the submodule's own repository: nothing is fetched, and a commit in it outlives the
// worktree. Uncommitted changes in one are not this repository's content; Changed names it.
type Submodules struct {
	repo    *Repository
	scratch *ScratchDir
	reason  string // why their worktrees are locked
}

// NewSubmodules looks after the submodules of a run; reason is why git keeps their worktrees
// locked.
func NewSubmodules(r *Repository, d *ScratchDir, reason string) *Submodules {
	return &Submodules{repo: r, scratch: d, reason: reason}
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
		admin, err := s.module(ctx, module, to, sub.commit)
		if err != nil {
			return err
		}
		if admin == "" {
			continue
		}
		if err = own.ResetTree(ctx, Files{WorkTree: to, Index: filepath.Join(admin, "index")},
			sub.commit); err != nil {
			return err
		}
		if err = s.populateFrom(ctx, own, from, to, filepath.Join(admin, "index")); err != nil {
			return err
		}
	}
	return nil
}

// module makes to a worktree of a submodule's repository at a commit. It gives git's directory for
// it, empty where it is at that commit already, or where something else lies.
func (s *Submodules) module(
	ctx context.Context, module, to, commit string,
) (admin string, err error) {
	if admin = AdminDir(module, to); admin != "" && safefile.Exists(filepath.Join(to, ".git")) {
		if s.moduleHead(ctx, admin) == commit {
			return "", nil
		}
		return admin, s.repo.At(admin, to).DetachHead(ctx, commit)
	}
	if entries, unread := os.ReadDir(to); unread != nil || len(entries) > 0 {
		return "", nil // Changed names it
	}
	if err = s.noteModule(module); err != nil {
		return "", err
	}
	if admin != "" {
		if err = safefile.RemoveAll(admin); err != nil {
			return "", err
		}
	}
	err = s.repo.At(module, module).AddWorktree(ctx, to, commit, s.reason)
	return AdminDir(module, to), err
}

// moduleHead is the commit of a worktree's HEAD; empty where it has none.
func (s *Submodules) moduleHead(ctx context.Context, admin string) string {
	head, err := s.repo.At(admin, admin).CommitOf(ctx, "HEAD")
	if err != nil {
		return ""
	}
	return head
}

// modules are the git directories of submodules in which worktrees were made.
func (s *Submodules) modules() []string {
	data, err := safefile.ReadPlain(s.scratch.Path("modules"), safefile.Large)
	if err != nil {
		return nil
	}
	return SplitNUL(data)
}

// noteModule adds a git directory to modules.
func (s *Submodules) noteModule(module string) error {
	known := s.modules()
	for _, m := range known {
		if m == module {
			return nil
		}
	}
	return s.scratch.Write("modules", JoinNUL(append(known, module)))
}

// Clear removes git's directories for the worktrees of submodules below dir.
func (s *Submodules) Clear(dir string) error {
	for _, module := range s.modules() {
		links, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(module), "worktrees", "*",
			"gitdir"))
		if err != nil {
			continue
		}
		for _, link := range links {
			if strings.HasPrefix(ReadLink(link), dir+string(filepath.Separator)) {
				if err := safefile.RemoveAll(filepath.Dir(link)); err != nil {
					return err
				}
			}
		}
	}
	return nil
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
		admin := ""
		if module != "" {
			admin = AdminDir(module, to)
		}
		if admin == "" {
			if entries, err := os.ReadDir(to); err == nil && len(entries) > 0 &&
				!safefile.Exists(filepath.Join(to, ".git")) {
				changed = append(changed, sub.path)
			}
			continue
		}
		dirty, err := s.dirtyModule(ctx, module, admin, to)
		if err != nil {
			return nil, err
		}
		if dirty {
			changed = append(changed, sub.path)
			continue
		}
		if head := s.moduleHead(ctx, admin); head != "" && head != sub.commit {
			if err := s.repo.At(module, module).UpdateRef(ctx, ref, head); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}

// dirtyModule reports whether a submodule's worktree differs from its HEAD. It relies on the index:
// an agent that edits it hides its own work.
func (s *Submodules) dirtyModule(ctx context.Context, module, admin, to string) (bool, error) {
	own := s.scratch.OfModule(module)
	o := Files{WorkTree: to, Index: s.scratch.IndexFile("submodule")}
	if err := CopyIndex(filepath.Join(admin, "index"), o.Index); err != nil {
		return true, nil //nolint:nilerr // without an index, nothing in it is committed
	}
	head := s.moduleHead(ctx, admin)
	if head == "" {
		return true, nil
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
