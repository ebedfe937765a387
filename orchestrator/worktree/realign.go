package worktree

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// Realign brings a worktree whose HEAD no longer descends from the phase's base back to that base,
// with its work kept: after a reset, an amended commit, a rebase or the checkout of another branch,
// the missing part of the base would pass for a deletion. The work is the three-way difference from
// the merge base of both, so that what the base has beyond it stays. The note says what was done;
// it is empty where HEAD descends from the base. A *ConflictError means that both sides changed the
// same lines; the worktree is then as it was.
func (l *Line) Realign(ctx context.Context, t Tree) (note string, err error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return "", err
	}
	defer release()
	return l.realign(ctx, t)
}

func (l *Line) realign(ctx context.Context, t Tree) (note string, err error) {
	admin := git.CloneDir(t.Dir)
	if admin == "" || t.Base == "" || !safefile.IsDir(t.Dir) {
		return "", nil
	}
	head := l.head(ctx, admin, t.Base)
	if head != "" {
		follows, failed := l.scratch.IsAncestor(ctx, t.Base, head)
		if failed != nil || follows {
			return "", failed
		}
	}
	met := ""
	if head != "" {
		if met, err = l.scratch.MergeBase(ctx, t.Base, head); err != nil {
			return "", err
		}
	}
	d := departure{base: t.Base, head: head, met: met}
	tree, clashes, err := l.joinBase(ctx, t, &d)
	if err != nil {
		return "", err
	}
	if len(clashes) > 0 {
		return "", l.departed(ctx, t, met, d.work, clashes)
	}
	saved, err := l.scratch.CommitUnsigned(ctx, tree, t.Base)
	if err != nil {
		return "", err
	}
	// A crash from here on finds the joined work on this ref.
	err = l.own.UpdateRefs(ctx, git.RefUpdate{
		Ref: l.hidden("work/" + t.Phase),
		New: saved,
	})
	if err != nil {
		return "", err
	}
	if err = l.place(ctx, t, leftover{base: t.Base, tree: d.work, inPlace: true},
		tree); err != nil {
		return "", err
	}
	return departureNote(head, met, t.Base), l.forget(ctx, t.Phase)
}

// head is the commit of a clone's HEAD, with its history brought into the repository; empty where
// it is on none.
func (l *Line) head(ctx context.Context, clone, base string) string {
	id := git.HeadCommit(clone)
	if id == "" || l.scratch.HasCommit(ctx, id) {
		return id
	}
	if err := l.scratch.Import(ctx, clone, id, false, base); err != nil {
		return ""
	}
	return id
}

// departure is a worktree whose HEAD has left its base; head and met are empty where there is no
// such commit.
type departure struct {
	base, head string // commits
	met        string // the merge base of both
	work       string // the tree that the worktree holds
}

// joinBase reads the worktree and merges it with its base. Where the worktree lost the base's
// ignore rules, they are put back first: files made by setup would pass for work.
func (l *Line) joinBase(
	ctx context.Context, t Tree, d *departure,
) (tree string, clashes []git.Conflict, err error) {
	for range 2 {
		work, err := l.read(ctx, t.Phase, t.Dir, t.Base)
		if err != nil {
			return "", nil, err
		}
		d.work = work.tree
		if tree, clashes, err = l.rejoin(ctx, *d); err != nil || len(clashes) > 0 {
			return "", clashes, err
		}
		lost, err := l.scratch.DiffTree(ctx, work.tree, tree)
		if err != nil {
			return "", nil, err
		}
		lost = slices.DeleteFunc(lost,
			func(c git.Change) bool { return path.Base(c.Path) != ".gitignore" })
		if len(lost) == 0 {
			break
		}
		ruled, err := l.scratch.Graft(ctx, work.tree, lost)
		if err != nil {
			return "", nil, err
		}
		if err = l.switchTo(ctx, t.Dir, work.index, ruled); err != nil {
			return "", nil, err
		}
	}
	return tree, nil, nil
}

// departureNote words a departure for the user.
func departureNote(head, met, base string) string {
	switch {
	case head == "":
		return fmt.Sprintf(
			"its HEAD was on no commit: the worktree is back on its base %.12s, and what that "+
				"holds stays",
			base)
	case met == "":
		return fmt.Sprintf("its HEAD was at %.12s, which shares no history with its base %.12s: "+
			"the worktree is back on the base, and what that holds stays", head, base)
	}
	return fmt.Sprintf(
		"its HEAD was at %.12s, which does not descend from its base %.12s: the difference was "+
			"taken from "+
			"their merge base %.12s, the worktree is back on the base, and what that holds stays",
		head,
		base, met)
}

// rejoin merges the worktree's content with the base over their merge base. Where both changed the
// same lines, and the rest of the content shows that it was made from the base (an amended commit,
// a soft reset), the worktree's version is an edit of the base's and is taken.
func (l *Line) rejoin(
	ctx context.Context, d departure,
) (tree string, clashes []git.Conflict, err error) {
	var root string
	if d.met == "" {
		root, err = l.scratch.EmptyTree(ctx)
	} else {
		root, err = l.scratch.TreeOf(ctx, d.met)
	}
	if err != nil {
		return "", nil, err
	}
	tree, clashes, err = l.merge3(ctx, root, d.base, d.work)
	if err != nil || len(clashes) == 0 {
		return tree, nil, err
	}
	beyond, err := l.scratch.DiffTree(ctx, root, d.base)
	if err != nil {
		return "", nil, err
	}
	made, err := l.madeFromBase(ctx, d, beyond)
	if err != nil || !made {
		return "", clashes, err
	}
	edited := slices.DeleteFunc(beyond, func(c git.Change) bool {
		return !slices.ContainsFunc(clashes, func(k git.Conflict) bool { return k.Path == c.Path })
	})
	if root, err = l.scratch.Graft(ctx, root, edited); err != nil {
		return "", nil, err
	}
	return l.merge3(ctx, root, d.base, d.work)
}

// madeFromBase reports whether more of the paths that the base has beyond the merge base are in
// HEAD and in the worktree as the base has them than as the merge base has them.
func (l *Line) madeFromBase(ctx context.Context, d departure, beyond []git.Change) (bool, error) {
	votes := 0
	for _, side := range []string{d.work, d.head} {
		if side == "" {
			continue
		}
		changed, err := l.scratch.DiffTree(ctx, d.base, side)
		if err != nil {
			return false, err
		}
		now := map[string]git.Change{}
		for _, c := range changed {
			now[c.Path] = c
		}
		for _, c := range beyond {
			switch is, differs := now[c.Path]; {
			case c.Path == l.plan && side == d.work: // read leaves the plan as the base has it
			case !differs:
				votes++
			case is.NewID == c.OldID:
				votes--
			}
		}
	}
	return votes > 0, nil
}

// departed describes the clashes between a worktree's content and its base.
func (l *Line) departed(
	ctx context.Context, t Tree, met, tree string, clashes []git.Conflict,
) error {
	err := &ConflictError{Phase: t.Phase, Dir: t.Dir}
	since := met
	if since == "" {
		since = l.base
	}
	for _, c := range clashes {
		f := ConflictFile{Path: c.Path, Kind: c.Kind}
		commits, failed := l.log(ctx, since, t.Base, c.Path)
		if failed != nil {
			return failed
		}
		if n := len(commits); n > 0 {
			f.Other, f.OtherCommit = commits[n-1].phase, commits[n-1].ID
		}
		if f.Lines, failed = lines(ctx, l.scratch, t.Base, tree, c.Path); failed != nil {
			return failed
		}
		if met != "" {
			if f.OtherLines, failed = lines(ctx, l.scratch, met, t.Base, c.Path); failed != nil {
				return failed
			}
			if f.Excerpt, failed = excerpt(ctx, l.scratch, met, t.Base, c.Path); failed != nil {
				return failed
			}
		}
		err.Files = append(err.Files, f)
	}
	return err
}

// realignLeft realigns what an attempt that was cut off has left. Where that conflicts, the work is
// set aside on a branch that Tree.Kept names, and its worktree is removed: Open makes a new one.
func (l *Line) realignLeft(ctx context.Context, t *Tree) error {
	refs, err := l.phaseRefs(ctx, *t)
	if err != nil {
		return err
	}
	from := refs[l.hidden("from/"+t.Phase)]
	if from == "" || refs[l.hidden("work/"+t.Phase)] != "" {
		return nil
	}
	at := *t
	at.Base = from
	t.Realigned, err = l.realign(ctx, at)
	if _, clashed := errors.AsType[*ConflictError](err); clashed {
		return l.setAside(ctx, t, from)
	}
	if isWork(err) {
		return nil // leftover meets the error again and handles it
	}
	return err
}

// setAside keeps a worktree's content on a branch and makes the worktree anew at the tip.
func (l *Line) setAside(ctx context.Context, t *Tree, base string) error {
	work, err := l.read(ctx, t.Phase, t.Dir, base)
	if err != nil {
		return err
	}
	commit, err := l.scratch.CommitUnsigned(ctx, work.tree, base)
	if err != nil {
		return err
	}
	if t.Kept, err = l.keep(ctx, t.Phase, commit); err != nil {
		return err
	}
	return l.fresh(ctx, *t)
}
