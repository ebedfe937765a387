// Package delivery brings landed commits into the user's checkout. It moves files as git checkout
// would, refuses rather than overwrites what the user changed, and finishes after a crash what an
// earlier process began. It does not know how a commit came about, nor what a phase is.
package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// Deliver moves the checkout to a commit, after it has finished a delivery that was cut off. The
// zero Obstacle means that the checkout has the commit; another one says why nothing was moved.
func (c *Checkout) Deliver(ctx context.Context, commit string) (Obstacle, error) {
	if why, err := c.Complete(ctx); err != nil || !why.None() {
		return why, err
	}
	return c.deliver(ctx, commit, false)
}

// Complete finishes a delivery that was cut off, if there is one.
func (c *Checkout) Complete(ctx context.Context) (Obstacle, error) {
	if c.interrupted == "" {
		return Obstacle{}, nil
	}
	return c.deliver(ctx, c.interrupted, true)
}

// deliver moves the checkout to a commit. Without commits it moves files alone; else the branch
// follows. It is finishing where an earlier call with this target was cut off.
func (c *Checkout) deliver(
	ctx context.Context, target string, finishing bool,
) (why Obstacle, err error) {
	branch, head, err := c.Repo.ReadHead(ctx)
	if err != nil {
		return Obstacle{}, err
	}
	home := git.ShortRef(c.Branch)
	switch {
	case branch != c.Branch:
		return Obstacle{Code: OtherBranch, Branch: git.ShortRef(branch), Home: home}, nil
	case head != c.Head:
		return Obstacle{Code: OtherCommit, Home: home, Commit: fmt.Sprintf("%.12s", head)}, nil
	case c.Branch == "" && !c.FilesOnly:
		return Obstacle{Code: Detached}, nil
	case c.FilesOnly:
		return c.deliverFiles(ctx, target, finishing)
	}
	if c.Delivered != c.Head { // a former start of the run delivered files without commits
		if why, err = c.deliverFiles(ctx, target, finishing); err != nil || !why.None() {
			return why, err
		}
	}
	if has, err := c.Has(ctx, target); err != nil || has {
		return Obstacle{}, err
	}
	return c.deliverCommit(ctx, target, finishing)
}

// deliverCommit moves files, index and branch.
func (c *Checkout) deliverCommit(
	ctx context.Context, target string, finishing bool,
) (Obstacle, error) {
	u := update{
		Checkout: c, index: c.userIndex(), from: c.Head, to: target, noted: true,
		finishing: finishing,
	}
	if err := c.Scratch.Export(ctx, c.Repo, target, c.Head); err != nil {
		return Obstacle{}, err
	}
	c.since = cmp.Or(c.since, c.Head)
	if why, err := u.run(ctx); err != nil || !why.None() {
		return why, err
	}
	err := c.Repo.UpdateRefs(ctx, "deliver",
		git.RefUpdate{Ref: c.Branch, New: target, Old: c.Head})
	if err != nil {
		// Another process moved the branch in the last instant, or locks it: the files go back to
		// where it expects them.
		why := Obstacle{Code: Moved, Home: git.ShortRef(c.Branch)}
		if failed, ok := errors.AsType[*git.ExitError](err); ok && failed.Lock() != "" {
			why = locked(failed.Lock())
		}
		back := update{Checkout: c, index: u.index, from: target, to: c.Head}
		undo, backErr := back.run(ctx)
		if !undo.None() {
			why = undo
		}
		return why, backErr
	}
	c.Own.Synced() // with the checkout, in which it lies
	return Obstacle{}, c.arrived(target)
}

// arrived records that the user's branch is at a commit of the run. The record is durable after
// the next change of a ref; until then the ref delivering has the same information.
func (c *Checkout) arrived(target string) error {
	err := c.Own.WriteLater(git.RefUpdate{Ref: c.ref("head"), New: target},
		git.RefUpdate{Ref: c.ref("delivered"), New: target})
	if err == nil {
		c.Head, c.Delivered, c.interrupted = target, target, ""
	}
	return err
}

// Settle deletes the ref delivering of a completed delivery. It first exports the objects again: a
// concurrent git gc --prune=now may have deleted them while they were unreachable.
func (c *Checkout) Settle(ctx context.Context) error {
	if c.interrupted != "" {
		return nil
	}
	if c.since != "" {
		if err := c.Scratch.Export(ctx, c.Repo, c.Head, c.since); err != nil {
			return err
		}
		c.since = ""
	}
	if err := c.Own.Flush(); err != nil {
		return err
	}
	return c.Own.UpdateRefs(ctx, git.RefUpdate{Ref: c.ref("delivering")})
}

// deliverFiles updates files alone, through a private index, so that the work arrives uncommitted
// and the user's index stays.
func (c *Checkout) deliverFiles(
	ctx context.Context, target string, finishing bool,
) (why Obstacle, err error) {
	if c.Delivered == target {
		return Obstacle{}, nil
	}
	u := update{
		Checkout: c, index: c.FilesIndex(c.Delivered), from: c.Delivered, to: target,
		noted: true, finishing: finishing,
	}
	if !safefile.Exists(u.index) {
		if err = c.Scratch.ReadTree(ctx, u.files(), c.Delivered); err != nil {
			return Obstacle{}, err
		}
		if err = u.refresh(ctx); err != nil {
			return Obstacle{}, err
		}
	}
	if why, err = u.run(ctx); err != nil || !why.None() {
		return why, err
	}
	err = c.Own.UpdateRefs(ctx,
		git.RefUpdate{Ref: c.ref("delivered"), New: target, Old: c.Delivered},
		// a delivered commit may later be one of the user's
		git.RefUpdate{Ref: c.ref("arrived"), New: target}, git.RefUpdate{Ref: c.ref("delivering")})
	if err != nil {
		return Obstacle{}, err
	}
	if err := os.Rename(u.index, c.FilesIndex(target)); err != nil {
		return Obstacle{}, git.Unusable("git's directory cannot be written", err)
	}
	c.Delivered, c.interrupted = target, ""
	return Obstacle{}, nil
}

// Has reports whether the user's branch has all that the line has up to a commit: it is that
// commit, or the user merged the line by hand, and only the line's own note of that is missing.
func (c *Checkout) Has(ctx context.Context, commit string) (bool, error) {
	if c.Head == commit {
		return true, nil
	}
	ahead, err := c.Scratch.IsAhead(ctx, commit, c.Head)
	if err != nil || ahead {
		return false, err
	}
	return c.Scratch.SameTree(ctx, c.Head, commit)
}

// CatchUp finishes the delivery in which an earlier process died: the checkout may have all, some
// or none of its files, which must not pass for the user's edits. The next Deliver meets an
// obstacle again and reports it. A target without the commits that the user has made since is
// dropped, because it would take them back.
func (c *Checkout) CatchUp(ctx context.Context) error {
	refs, err := c.Own.RefsNamed(ctx, c.ref("delivering"))
	target := refs[c.ref("delivering")]
	if err != nil || target == "" {
		return err
	}
	if !c.FilesOnly && c.Head != target {
		_, head, failed := c.Repo.ReadHead(ctx)
		if failed != nil {
			return failed
		}
		has, failed := c.Scratch.IsAncestor(ctx, target, head)
		if failed != nil {
			return failed
		}
		if has {
			return c.arrived(target) // all but the note of it was done
		}
	}
	if c.Head == target {
		return nil
	}
	follows, err := c.Scratch.IsAncestor(ctx, c.Head, target)
	if err != nil {
		return err
	}
	if !follows {
		return c.retract(ctx)
	}
	c.interrupted = target
	c.Repo.RemoveIndexLock(filepath.Join(c.Own.Dir, filepath.FromSlash(c.ref("delivering"))))
	_, err = c.Complete(ctx)
	return err
}

// FollowIndex brings the user's index to a commit that was made of files of the checkout. Entries
// in which the user staged something else stay.
func (c *Checkout) FollowIndex(ctx context.Context, from, to string) error {
	u := update{Checkout: c, index: c.userIndex(), from: from, to: to}
	var err error
	if u.changes, err = c.Scratch.DiffTree(ctx, from, to); err != nil {
		return err
	}
	entries, err := u.entries(ctx)
	if err != nil {
		return err
	}
	u.changes = slices.DeleteFunc(u.changes, func(c git.Change) bool {
		return entries[c.Path] != c.OldMode+" "+c.OldID &&
			(c.Status != 'A' || entries[c.Path] != "")
	})
	if len(u.changes) == 0 {
		return nil
	}
	if err := c.Scratch.UpdateIndex(ctx, u.files(), u.changes); err != nil {
		return err
	}
	return u.refresh(ctx)
}
