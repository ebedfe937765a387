package worktree

import (
	"context"
	"path/filepath"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree/delivery"
)

// Deliver brings the line's work into the user's checkout: the step after each landing, and once
// more when a run halts. In mode single only Finish delivers. Its error is that of a checkout that
// cannot be read or written; landed commits stay on the line.
func (l *Line) Deliver(ctx context.Context) (Delivery, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return Delivery{}, err
	}
	defer release()
	return l.deliver(git.Uninterrupted(ctx))
}

// Arrived reports whether the user's branch, or for message-only their checkout, has all of the
// line's work, so that nothing is left to deliver: they may have merged it by hand.
func (l *Line) Arrived(ctx context.Context) (bool, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return false, err
	}
	defer release()
	if l.opt.Remote {
		return false, nil
	}
	branch, head, err := l.repo.ReadHead(ctx)
	if err != nil || branch != l.checkout.Branch || head != l.checkout.Head {
		return false, err
	}
	if l.opt.Mode == Auto {
		return l.checkout.Has(ctx, l.tip)
	}
	return l.scratch.SameTree(ctx, l.checkout.Delivered, l.tip)
}

// deliver is Deliver for a caller that holds hands.
func (l *Line) deliver(ctx context.Context) (Delivery, error) {
	d := Delivery{Commit: l.tip}
	if l.opt.Remote {
		d = l.delivery(d, delivery.Obstacle{Code: delivery.Elsewhere})
		d.Merge = "" // the work comes back from where it was sent to
		return d, l.show(ctx, l.ref("integration"))
	}
	if l.checkout.Head == l.tip && l.checkout.Delivered == l.tip {
		d.Delivered = true
		return d, l.checkout.Settle(ctx)
	}
	why := delivery.Obstacle{Code: delivery.Incomplete}
	if l.opt.Mode != Single {
		var err error
		if why, err = l.checkout.Deliver(ctx, l.tip); err != nil {
			return d, err
		}
	}
	return l.undelivered(ctx, d, why)
}

// undelivered is delivery where the line is in the user's repository, if an obstacle stopped it.
func (l *Line) undelivered(ctx context.Context, d Delivery, why delivery.Obstacle) (Delivery, error) {
	if why.None() {
		return l.delivery(d, why), nil
	}
	return l.delivery(d, why), l.show(ctx, l.ref("integration"))
}

// delivery completes a Delivery: where an obstacle stopped it, with the command that brings the
// work in.
func (l *Line) delivery(d Delivery, why delivery.Obstacle) Delivery {
	if d.Delivered = why.None(); d.Delivered {
		return d
	}
	d.Why, d.Branch, d.Merge = why, l.Branch, "git merge "+l.Branch
	switch l.opt.Mode {
	case Single:
		d.Merge = "git merge --squash " + l.Branch
	case MessageOnly: // a part may be there, uncommitted, and a merge would trip over it
		d.Merge = "git diff-tree -p --binary " + l.hidden("delivered") + " " + l.Branch +
			" | git apply"
	}
	return d
}

// Finish ends a complete run: in mode single it makes the one commit, in the others it delivers
// what is still left. When everything has arrived, the run's branches of landed work are removed;
// its commits stay reachable on a private ref. It can be repeated.
func (l *Line) Finish(ctx context.Context, message string) (Delivery, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return Delivery{}, err
	}
	defer release()
	ctx = git.Uninterrupted(ctx)
	var d Delivery
	if l.opt.Mode == Single {
		d, err = l.squash(ctx, message)
	} else {
		d, err = l.deliver(ctx)
	}
	if err != nil || !d.Delivered {
		return d, err
	}
	return d, l.removeLandedBranches(ctx)
}

// Leave ends a start at which there was nothing to do: a branch that Begin made for it goes again.
func (l *Line) Leave(ctx context.Context) error {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return err
	}
	defer release()
	if !l.revived {
		return nil
	}
	return l.own.UpdateRefs(git.Uninterrupted(ctx),
		git.RefUpdate{Ref: l.hidden("line"), New: l.tip}, git.RefUpdate{
			Ref: l.ref("integration"),
			Old: l.tip,
		})
}

// squash makes all that the run did one commit on the user's branch.
func (l *Line) squash(ctx context.Context, message string) (Delivery, error) {
	d := Delivery{Commit: l.tip}
	if why, err := l.checkout.Complete(ctx); err != nil || !why.None() {
		if err != nil {
			return d, err
		}
		return l.undelivered(ctx, d, why)
	}
	tree, err := l.scratch.TreeOf(ctx, l.tip)
	if err != nil {
		return d, err
	}
	has, err := l.scratch.TreeOf(ctx, l.checkout.Head)
	if err != nil {
		return d, err
	}
	if tree == has {
		d.Commit, d.Delivered = l.checkout.Head, true
		return d, nil
	}
	commit, err := l.scratch.CommitTree(ctx, tree, compose(message, trail{}, l.opt.RunID),
		l.checkout.Head)
	if err != nil {
		return d, err
	}
	why, err := l.checkout.Deliver(ctx, commit)
	if err != nil {
		return d, err
	}
	if why.None() {
		d.Commit = commit
	}
	return l.undelivered(ctx, d, why)
}

// removeLandedBranches removes branches and worktrees of landed phases, and the line's branch,
// whose commits a private ref keeps: a resume asks for them, and commits.sh is made of them. Work
// that was set aside keeps its branch.
func (l *Line) removeLandedBranches(ctx context.Context) error {
	refs, err := l.own.Refs(ctx, l.ref(""), l.hidden(""))
	if err != nil {
		return err
	}
	// The ref that takes over is on the disk before the one that it replaces goes.
	err = l.own.UpdateRefs(ctx,
		git.RefUpdate{Ref: l.hidden("line"), New: l.tip})
	if err == nil {
		err = l.own.SyncRefs(l.hidden("line"))
	}
	if err != nil {
		return err
	}
	var moves []git.RefUpdate
	for phase := range l.landed {
		dir := l.Worktree(phase)
		if failed := l.clear(dir); failed != nil {
			// its work is delivered, and Done has reported the obstacle; the next session tries
			// again
			continue
		}
		l.dropIndexes(phase)
		ours := []string{l.phaseRef(phase)}
		for _, name := range phaseRefs {
			ours = append(ours, l.hidden(name+phase))
		}
		for _, ref := range ours {
			if refs[ref] != "" {
				moves = append(moves, git.RefUpdate{Ref: ref, Old: refs[ref]})
			}
		}
	}
	if id := refs[l.ref("integration")]; id == l.tip {
		moves = append(moves, git.RefUpdate{Ref: l.ref("integration"), Old: id})
	}
	if err = l.own.UpdateRefs(ctx, moves...); err != nil {
		return err
	}
	shown, err := l.repo.Refs(ctx, l.ref("integration"))
	if id := shown[l.ref("integration")]; err == nil && id != "" {
		merged, failed := l.scratch.IsAncestor(ctx, id, l.tip)
		if err = failed; merged {
			err = l.repo.UpdateRefs(ctx, "run is complete", git.RefUpdate{Ref: l.ref("integration"), Old: id})
		}
	}
	return err
}

// Script gives commits.sh, which makes the commits of a message-only run with the user's own git,
// hooks and identity, and the messages that it uses. Names are relative to the state directory,
// which must be .autobuild in the repository's root.
func (l *Line) Script(ctx context.Context) ([]delivery.File, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return nil, err
	}
	defer release()
	if err = l.show(ctx, l.hidden("line")); err != nil {
		return nil, err
	}
	log, err := l.log(ctx, l.base, l.tip)
	if err != nil {
		return nil, err
	}
	arrived, err := l.arrived(ctx)
	if err != nil {
		return nil, err
	}
	var commits []delivery.ScriptCommit
	for _, e := range log {
		if e.phase != "" {
			commits = append(commits, delivery.ScriptCommit{
				Commit: e.Commit, Phase: e.phase, Key: e.key, Arrived: arrived == nil ||
					arrived[e.ID],
			})
		}
	}
	script := delivery.Script{
		Base: l.base, Tip: l.tip, Delivered: l.checkout.Delivered, Run: l.opt.RunID,
		Commits: commits,
	}
	if rel, err := filepath.Rel(l.opt.StateDir, safefile.Resolved(l.repo.Top)); err == nil {
		script.Root = filepath.ToSlash(rel)
	}
	return script.Files(), nil
}

// arrived are the line's commits whose work has been brought into the checkout; nil when all have.
func (l *Line) arrived(ctx context.Context) (map[string]bool, error) {
	whole, err := l.scratch.SameTree(ctx, l.checkout.Delivered, l.tip)
	if err != nil || whole {
		return nil, err
	}
	refs, err := l.own.RefsNamed(ctx, l.hidden("arrived"))
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	if last := refs[l.hidden("arrived")]; last != "" {
		commits, err := l.log(ctx, l.base, last)
		if err != nil {
			return nil, err
		}
		for _, c := range commits {
			there[c.ID] = true
		}
	}
	return there, nil
}
