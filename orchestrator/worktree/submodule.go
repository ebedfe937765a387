package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// A submodule that the user's checkout has is present in every worktree, as another worktree of the
// submodule's own repository: nothing is fetched, and what a phase commits in it outlives the
// phase. What a phase only writes into one cannot land, because that is not this repository's
// content; it is refused by name rather than lost.

// submodule is a gitlink of a tree.
type submodule struct {
	path   string // below the worktree's root
	commit string
}

// submodules lists the gitlinks of an index. Without .gitmodules there are none that anybody could
// have set up.
func submodules(ctx context.Context, d *git.ScratchDir, index string) ([]submodule, error) {
	entries, err := d.Index(ctx, git.Files{Index: index})
	if err != nil {
		return nil, err
	}
	var found []submodule
	for _, e := range entries {
		if e.NewMode == git.Gitlink && filepath.IsLocal(filepath.FromSlash(e.Path)) {
			found = append(found, submodule{path: e.Path, commit: e.NewID})
		}
	}
	return found, nil
}

// mayHaveSubmodules spares the many repositories without any a look at every file.
func (l *Line) mayHaveSubmodules(dir string) bool {
	return safefile.Exists(filepath.Join(l.repo.Top, ".gitmodules")) || safefile.Exists(filepath.Join(dir, ".gitmodules"))
}

// populate brings the submodules in dir to the commits that its index names, those of submodules
// included.
func (l *Line) populate(ctx context.Context, dir, index string) error {
	if !l.mayHaveSubmodules(dir) {
		return nil
	}
	return l.populateFrom(ctx, l.scratch, l.repo.Top, dir, index)
}

func (l *Line) populateFrom(ctx context.Context, d *git.ScratchDir, top, dir, index string) error {
	subs, err := submodules(ctx, d, index)
	if err != nil {
		return err
	}
	for _, s := range subs {
		from, to := filepath.Join(top, filepath.FromSlash(s.path)), filepath.Join(dir, filepath.FromSlash(s.path))
		module := git.ModuleDir(from)
		if module == "" || !safefile.IsDir(to) {
			continue // not set up in the checkout either
		}
		own := d.OfModule(module)
		if !own.HasCommit(ctx, s.commit) {
			continue // its commit was never fetched, and nothing is fetched here
		}
		admin, err := l.module(ctx, module, to, s.commit)
		if err != nil {
			return err
		}
		if admin == "" {
			continue
		}
		if err = own.ResetTree(ctx, git.Files{WorkTree: to, Index: filepath.Join(admin, "index")}, s.commit); err != nil {
			return err
		}
		if err = l.populateFrom(ctx, own, from, to, filepath.Join(admin, "index")); err != nil {
			return err
		}
	}
	return nil
}

// module makes to a worktree of a submodule's repository at a commit, and gives git's directory for
// it; empty where it is at that commit already, or where something else lies.
func (l *Line) module(ctx context.Context, module, to, commit string) (admin string, err error) {
	if admin = git.AdminDir(module, to); admin != "" && safefile.Exists(filepath.Join(to, ".git")) {
		if l.moduleHead(ctx, admin) == commit {
			return "", nil
		}
		return admin, l.repo.At(admin, to).DetachHead(ctx, commit)
	}
	if entries, unread := os.ReadDir(to); unread != nil || len(entries) > 0 {
		return "", nil // read says what lies there
	}
	if err = l.noteModule(module); err != nil {
		return "", err
	}
	if admin != "" {
		if err = safefile.RemoveAll(admin); err != nil {
			return "", err
		}
	}
	err = l.repo.At(module, module).AddWorktree(ctx, to, commit, l.lockReason())
	return git.AdminDir(module, to), err
}

func (l *Line) moduleHead(ctx context.Context, admin string) string {
	head, err := l.repo.At(admin, admin).CommitOf(ctx, "HEAD")
	if err != nil {
		return ""
	}
	return head
}

// modules are the git directories of submodules in which worktrees were made.
func (l *Line) modules() []string {
	data, err := safefile.ReadPlain(l.scratch.Path("modules"), safefile.Large)
	if err != nil {
		return nil
	}
	return git.SplitNUL(data)
}

func (l *Line) noteModule(module string) error {
	known := l.modules()
	for _, m := range known {
		if m == module {
			return nil
		}
	}
	return l.scratch.Write("modules", git.JoinNUL(append(known, module)))
}

// clearModules removes what submodules' repositories remember of their worktrees below dir.
func (l *Line) clearModules(dir string) error {
	for _, module := range l.modules() {
		links, err := filepath.Glob(filepath.Join(safefile.EscapeGlob(module), "worktrees", "*", "gitdir"))
		if err != nil {
			continue
		}
		for _, link := range links {
			if strings.HasPrefix(git.ReadLink(link), dir+string(filepath.Separator)) {
				if err := safefile.RemoveAll(filepath.Dir(link)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// inSubmodules names the submodules of dir in which something lies that is not committed there. The
// new commit of one that was moved is kept from git's cleaning by a ref in its repository.
func (l *Line) inSubmodules(ctx context.Context, phase, dir, index string) ([]string, error) {
	if !l.mayHaveSubmodules(dir) {
		return nil, nil
	}
	subs, err := submodules(ctx, l.scratch, index)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, s := range subs {
		to := filepath.Join(dir, filepath.FromSlash(s.path))
		if !safefile.IsDir(to) {
			continue
		}
		module := git.ModuleDir(filepath.Join(l.repo.Top, filepath.FromSlash(s.path)))
		admin := ""
		if module != "" {
			admin = git.AdminDir(module, to)
		}
		if admin == "" {
			if entries, err := os.ReadDir(to); err == nil && len(entries) > 0 && !safefile.Exists(filepath.Join(to, ".git")) {
				changed = append(changed, s.path)
			}
			continue
		}
		dirty, err := l.dirtyModule(ctx, module, admin, to)
		if err != nil {
			return nil, err
		}
		if dirty {
			changed = append(changed, s.path)
			continue
		}
		if head := l.moduleHead(ctx, admin); head != "" && head != s.commit {
			ref := l.hidden("moved/" + phase)
			if err := l.repo.At(module, module).UpdateRef(ctx, ref, head); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}

// dirtyModule reports whether a submodule's worktree holds what its HEAD does not. Only its index
// is taken on trust: whoever edits that hides their own work.
func (l *Line) dirtyModule(ctx context.Context, module, admin, to string) (bool, error) {
	own := l.scratch.OfModule(module)
	o := git.Files{WorkTree: to, Index: l.scratch.IndexFile("submodule")}
	if err := git.CopyIndex(filepath.Join(admin, "index"), o.Index); err != nil {
		return true, nil //nolint:nilerr // without an index, nothing in it is committed
	}
	head := l.moduleHead(ctx, admin)
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
