package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// Open gives the phase its worktree, started from the line's tip, which must hold all dependencies
// of the phase by now. Work that an earlier attempt left is kept in place; when the line has moved
// since, it is carried over, and where that conflicts it is set aside on a branch that Tree.Kept
// names. With clean, earlier work is always set aside, in a directory that Tree.Moved names
// where it holds repositories. A worktree that was damaged is repaired or made anew; nothing
// outside it is touched.
func (l *Line) Open(ctx context.Context, phase string, clean bool) (Tree, error) {
	if err := CheckName("phase name", phase); err != nil {
		return Tree{}, err
	}
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return Tree{}, err
	}
	defer release()
	delete(l.held, phase)
	delete(l.reads, phase) // changes here are not a child's work
	t := Tree{Phase: phase, Dir: l.Worktree(phase), Branch: l.phaseRef(phase), Base: l.tip}
	if err = l.realignLeft(ctx, &t); err != nil {
		return Tree{}, err
	}
	refs, err := l.phaseRefs(ctx, t)
	if err != nil {
		return Tree{}, err
	}
	old, err := l.leftover(ctx, &t, refs)
	_, nested := errors.AsType[*NestedError](err)
	_, shut := errors.AsType[*ShutError](err)
	if (nested || shut) && !clean && refs[l.hidden("from/"+phase)] == l.tip {
		t.Reused = true // the agent that made the uncommittable files can remove them
		return t, nil
	}
	if another := refs[l.hidden("from/"+phase)] == ""; (nested || shut) && (clean || another) &&
		safefile.IsDir(t.Dir) {
		t.Moved, err = l.moveAway(t)
	}
	if err != nil {
		return Tree{}, err
	}
	switch {
	case old.tree == "":
		err = l.fresh(ctx, t)
	case clean:
		err = l.restart(ctx, &t, old)
	case old.inPlace && old.base == l.tip:
		t.Reused, err = true, l.mend(ctx, t)
	default:
		err = l.carry(ctx, &t, old)
	}
	if err == nil && refs[l.hidden("work/"+phase)] != "" {
		err = l.forget(ctx, phase)
	}
	if err != nil {
		return Tree{}, err
	}
	return t, nil
}

// moveAway moves a worktree that no commit can hold out of the way, as it is: an attempt that
// begins afresh has not made the repositories in it, and must not be refused for them. It must come
// before fresh, which deletes the files in that place.
func (l *Line) moveAway(t Tree) (string, error) {
	kept := filepath.Join(l.opt.StateDir, "kept")
	if err := os.MkdirAll(kept, 0o700); err != nil {
		return "", fmt.Errorf("setting earlier work aside: %w", err)
	}
	for n := 1; ; n++ {
		to := filepath.Join(kept, fmt.Sprintf("%s-%d", t.Phase, n))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(t.Dir, to); err != nil {
			return "", fmt.Errorf("setting earlier work aside: %w", err)
		}
		return to, l.clear(t.Dir)
	}
}

// leftover finds earlier work, wherever a crash or an agent left it: saved on a private ref, in the
// worktree, or on the branch of a worktree that is gone.
func (l *Line) leftover(ctx context.Context, t *Tree, refs map[string]string) (leftover, error) {
	from, branch := refs[l.hidden("from/"+t.Phase)], refs[t.Branch]
	if saved := refs[l.hidden("work/"+t.Phase)]; saved != "" {
		return l.committed(ctx, saved, saved+"^")
	}
	admin := git.CloneDir(t.Dir)
	switch {
	case safefile.IsDir(t.Dir) && from != "":
		c, err := l.read(ctx, t.Phase, t.Dir, from)
		return leftover{base: from, tree: c.tree, inPlace: admin != ""}, err
	case from != "" && branch != "" && branch != from:
		return l.committed(ctx, branch, from)
	case from == "" && safefile.Exists(t.Dir):
		return leftover{}, l.rescue(ctx, t, admin, branch != "")
	}
	return leftover{}, nil
}

// committed is earlier work that exists as a commit only.
func (l *Line) committed(ctx context.Context, commit, base string) (leftover, error) {
	base, err := l.scratch.CommitOf(ctx, base)
	if err != nil {
		return leftover{}, err
	}
	tree, err := l.scratch.TreeOf(ctx, commit)
	return leftover{base: base, tree: tree}, err
}

// rescue makes room where something else lies in the worktree's place: a half-made worktree of a
// crash is deleted, another run's work is committed to that run's branch, and files of unknown
// origin to a branch of this run.
func (l *Line) rescue(ctx context.Context, t *Tree, admin string, made bool) error {
	if !safefile.IsDir(t.Dir) {
		return &git.UnusableError{
			What: "a file or link lies where a worktree belongs", Where: t.Dir,
			Next: "move it away",
		}
	}
	branch := git.HeadOf(admin)
	if entries, unread := os.ReadDir(t.Dir); admin == "" && (made || unread == nil && len(entries) == 0) {
		return nil // a power cut has left git's side of it empty, or a kill all of it
	}
	if branch == t.Branch || admin != "" && !safefile.Exists(filepath.Join(admin, "index")) {
		return nil // fresh clears it
	}
	base := l.tip
	foreign := strings.HasPrefix(branch, "refs/heads/autobuild/")
	if foreign {
		refs, err := l.own.RefsNamed(ctx, branch)
		if err != nil {
			return err
		}
		base = cmp.Or(refs[branch], base)
	}
	c, err := l.read(ctx, t.Phase, t.Dir, base)
	if err != nil {
		return err
	}
	baseTree, err := l.scratch.TreeOf(ctx, base)
	if err != nil || c.tree == baseTree {
		return err
	}
	commit, err := l.scratch.CommitUnsigned(ctx, c.tree, base)
	if err != nil {
		return err
	}
	if !foreign {
		t.Kept, err = l.keep(ctx, t.Phase, commit)
		return err
	}
	t.Kept = strings.TrimPrefix(branch, "refs/heads/")
	return l.give(ctx, "keep earlier work", branch, commit)
}

// restart sets earlier work aside, if there is any, and begins at the tip.
func (l *Line) restart(ctx context.Context, t *Tree, old leftover) error {
	tree, err := l.scratch.TreeOf(ctx, old.base)
	if err != nil {
		return err
	}
	if tree != old.tree {
		commit, err := l.scratch.CommitUnsigned(ctx, old.tree, old.base)
		if err != nil {
			return err
		}
		if t.Kept, err = l.keep(ctx, t.Phase, commit); err != nil {
			return err
		}
	}
	return l.fresh(ctx, *t)
}

// carry brings earlier work onto the tip. It is saved on a private ref first, so that a crash on
// the way loses nothing.
func (l *Line) carry(ctx context.Context, t *Tree, old leftover) error {
	work, err := l.scratch.CommitUnsigned(ctx, old.tree, old.base)
	if err != nil {
		return err
	}
	if err := l.own.UpdateRefs(ctx,
		git.RefUpdate{Ref: l.hidden("work/" + t.Phase), New: work}); err != nil {
		return err
	}
	tree := old.tree
	if old.base != l.tip {
		merged, clashes, err := l.scratch.MergeTree(ctx, l.repo.Top, l.tip, work)
		if err != nil {
			return err
		}
		if len(clashes) > 0 {
			if t.Kept, err = l.keep(ctx, t.Phase, work); err != nil {
				return err
			}
			return firstError(l.fresh(ctx, *t), l.forget(ctx, t.Phase))
		}
		tree = merged
	}
	t.Reused = true
	if err := l.place(ctx, *t, old, tree); err != nil {
		return err
	}
	return l.forget(ctx, t.Phase)
}
