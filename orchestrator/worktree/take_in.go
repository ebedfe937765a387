package worktree

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// takeIn merges into the line what the user committed since the run last looked. It gives a
// sentence where the user's checkout has left the run's branch, so that nothing can be taken in or
// delivered for now, and an *UnusableError on a conflict.
//
// What the user did is the step from the content that the checkout had to the content of their
// commits. In mode message-only the checkout has work that no commit of theirs holds yet: a path
// that they did not commit is as it was delivered, not removed.
func (l *Line) takeIn(ctx context.Context) (why string, err error) {
	branch, head, err := l.repo.ReadHead(ctx)
	if err != nil {
		return "", err
	}
	if branch != l.checkout.Branch {
		return fmt.Sprintf("the checkout is on %s, the run began on %s; its work stays on %s",
			git.ShortRef(branch), git.ShortRef(l.checkout.Branch), l.Branch), nil
	}
	if head == l.checkout.Head {
		return "", nil
	}
	back, err := l.scratch.IsAncestor(ctx, head, l.checkout.Head)
	if err != nil {
		return "", err
	}
	if back {
		return fmt.Sprintf("%s was moved back to %.12s; the work stays on %s",
			git.ShortRef(l.checkout.Branch), head, l.Branch), nil
	}
	had, theirs, err := l.sides(ctx, head)
	if err != nil {
		return "", err
	}
	tip, err := l.joined(ctx, head, had, theirs)
	if err != nil {
		return "", err
	}
	delivered := head
	headTree, err := l.scratch.TreeOf(ctx, head)
	if err != nil {
		return "", err
	}
	if headTree != theirs {
		if delivered, err = l.scratch.CommitUnsigned(ctx, theirs, head); err != nil {
			return "", err
		}
	}
	// a rebase and a collection of garbage would take away what the line stands on
	if err = l.scratch.Import(ctx, l.repo.CommonDir, head, true, l.checkout.Head); err != nil {
		return "", err
	}
	l.own.MarkUnsynced()
	err = l.own.UpdateRefs(ctx,
		git.RefUpdate{Ref: l.ref("integration"), New: tip, Old: l.tip},
		git.RefUpdate{Ref: l.hidden("head"), New: head},
		git.RefUpdate{Ref: l.hidden("delivered"), New: delivered},
		git.RefUpdate{Ref: l.hidden("delivering")}) // to a commit without the user's
	if err != nil {
		return "", err
	}
	l.tip, l.checkout.Head, l.checkout.Delivered = tip, head, delivered
	return "", nil
}

// sides returns two trees: the checkout's own, and the one with the user's commits.
func (l *Line) sides(ctx context.Context, head string) (had, theirs string, err error) {
	if had, err = l.scratch.TreeOf(ctx, l.checkout.Delivered); err != nil {
		return "", "", err
	}
	if l.checkout.Delivered == l.checkout.Head {
		theirs, err = l.scratch.TreeOf(ctx, head)
		return had, theirs, err
	}
	changes, err := l.scratch.DiffTree(ctx, l.checkout.Head, head)
	if err != nil {
		return "", "", err
	}
	theirs, err = l.scratch.Graft(ctx, had, changes)
	return had, theirs, err
}

// joined gives the line's tip with the user's commits in it. Where the line holds nothing of its
// own that is simply their commit, unless one of them carries a trailer of this run: such a commit
// would pass for a landing.
func (l *Line) joined(ctx context.Context, head, had, theirs string) (string, error) {
	if head == l.tip {
		return head, nil // they moved their branch to it
	}
	message := compose(fmt.Sprintf("merge %s into the run's line", git.ShortRef(l.checkout.Branch)),
		trail{}, l.opt.RunID)
	follows, err := l.scratch.IsAncestor(ctx, l.tip, head)
	if err != nil {
		return "", err
	}
	if follows {
		var forged bool
		if forged, err = l.forged(ctx, head); err != nil {
			return "", err
		}
		if l.tip == l.checkout.Head && !forged {
			return head, nil
		}
		// they merged the line themselves
		return l.scratch.CommitTree(ctx, theirs, message, l.tip, head)
	}
	tree, clashes, err := l.merge3(ctx, had, l.tip, theirs)
	if err != nil {
		return "", err
	}
	if len(clashes) > 0 {
		var paths []string
		for _, c := range clashes {
			paths = append(paths, c.Path)
		}
		return "", &git.UnusableError{
			What: fmt.Sprintf("your commits on %s and the run's work conflict in %s",
				git.ShortRef(l.checkout.Branch), text.QuoteSome(paths)),
			Next: "merge them yourself, then resume: git merge " + l.Branch,
		}
	}
	return l.scratch.CommitTree(ctx, tree, message, l.tip, head)
}

// forged reports whether a commit since the tip says that it is a landing of this run.
func (l *Line) forged(ctx context.Context, head string) (bool, error) {
	commits, err := l.log(ctx, l.tip, head)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(commits, func(e entry) bool { return e.phase != "" }), nil
}

// noteUncommitted names the user's uncommitted files: phases start from commits, so a fix that lies
// in the checkout alone does not reach them.
func (l *Line) noteUncommitted(ctx context.Context) (err error) {
	l.Uncommitted, err = l.uncommitted(ctx)
	if len(l.Uncommitted) > 0 {
		l.Notes = append(l.Notes,
			fmt.Sprintf(
				"not committed in your checkout, so phases do not see it: %s; commit what they need",
				text.QuoteSome(l.Uncommitted)))
	}
	return err
}

// uncommitted lists the files of the user's checkout that are neither in its last commit nor the
// run's own work, sorted.
func (l *Line) uncommitted(ctx context.Context) ([]string, error) {
	o := git.Files{WorkTree: l.repo.Top, Index: filepath.Join(l.repo.GitDir, "index")}
	if err := l.scratch.ShareIndex(l.repo); err != nil {
		return nil, err
	}
	if l.checkout.Delivered != l.checkout.Head { // the run's own work lies there uncommitted
		o.Index = l.checkout.FilesIndex(l.checkout.Delivered)
		if !safefile.Exists(o.Index) {
			if err := l.scratch.ReadTree(ctx, o, l.checkout.Delivered); err != nil {
				return nil, err
			}
		}
	}
	changed, err := l.scratch.DiffFiles(ctx, o, l.checkout.Delivered)
	if err != nil {
		return nil, err
	}
	untracked, err := l.scratch.LsFiles(ctx, o, "-o", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	paths := slices.DeleteFunc(append(changed, untracked...),
		func(p string) bool { return p == l.plan || p == l.aside || l.output(p) })
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// Meanwhile lists git settings, hooks and uncommitted files that differ from the start of the
// session.
func (l *Line) Meanwhile(ctx context.Context) ([]string, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return nil, err
	}
	defer release()
	now := l.repo.Settings()
	var all []string
	for name, was := range l.settings {
		if now[name] != was {
			all = append(all, name)
		}
		delete(now, name)
	}
	all = slices.AppendSeq(all, maps.Keys(now))
	slices.Sort(all)
	paths, err := l.uncommitted(ctx)
	return append(all, slices.DeleteFunc(paths, func(path string) bool {
		return slices.Contains(l.Uncommitted, path)
	})...), err
}
