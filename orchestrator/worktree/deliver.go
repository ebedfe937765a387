package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// deliver brings what is on the line into the user's checkout, if that can be done without touching
// anything of theirs. It says why not, when not; that is not an error. In mode single only the end
// delivers.
func (l *Line) deliver(ctx context.Context) (delivered bool, why Obstacle, err error) {
	if l.opt.Mode == Single {
		return false, Obstacle{}, nil
	}
	if l.cut != "" {
		if delivered, why, err = l.deliverTo(ctx, l.cut, true); err != nil || !delivered {
			return false, why, err
		}
	}
	return l.deliverTo(ctx, l.tip, false)
}

// deliverTo moves the checkout to a commit. For message-only that is a matter of files alone; else
// the branch follows. It is finishing where an earlier call with this target was cut off.
func (l *Line) deliverTo(ctx context.Context, target string, finishing bool) (delivered bool, why Obstacle, err error) {
	branch, head, err := l.repo.ReadHead(ctx)
	if err != nil {
		return false, Obstacle{}, err
	}
	switch {
	case branch != l.home:
		return false, Obstacle{Code: OtherBranch, Branch: git.ShortRef(branch), Home: git.ShortRef(l.home)}, nil
	case head != l.head:
		return false, Obstacle{Code: OtherCommit, Home: git.ShortRef(l.home), Commit: fmt.Sprintf("%.12s", head)}, nil
	case l.home == "" && l.opt.Mode != MessageOnly:
		return false, Obstacle{Code: Detached}, nil
	}
	if l.opt.Mode == MessageOnly {
		return l.deliverFiles(ctx, target, finishing)
	}
	if l.delivered != l.head { // a former start of the run delivered files without commits
		if delivered, why, err = l.deliverFiles(ctx, target, finishing); err != nil || !delivered {
			return false, why, err
		}
	}
	if delivered, err = l.holds(ctx, l.head, target); err != nil || delivered {
		return delivered, Obstacle{}, err
	}
	u := update{line: l, index: filepath.Join(l.repo.GitDir, "index"), from: l.head, to: target, noted: true, finishing: finishing}
	if why, err = u.run(ctx); err != nil || !why.none() {
		return false, why, err
	}
	err = l.repo.UpdateRefs(ctx, "deliver", git.RefUpdate{Ref: l.home, New: target, Old: l.head},
		git.RefUpdate{Ref: l.hidden("head"), New: target, Old: l.head}, git.RefUpdate{Ref: l.hidden("delivered"), New: target}, git.RefUpdate{Ref: l.hidden("delivering")})
	if err != nil {
		// Someone moved the branch in the last instant, or holds it: the files go back to where it
		// expects them.
		why = Obstacle{Code: Moved, Home: git.ShortRef(l.home)}
		if failed, ok := errors.AsType[*git.ExitError](err); ok && failed.Lock() != "" {
			why = locked(failed.Lock())
		}
		back := update{line: l, index: u.index, from: target, to: l.head}
		undo, backErr := back.run(ctx)
		if !undo.none() {
			why = undo
		}
		return false, why, backErr
	}
	l.own = append(l.own, Deed{Paths: u.paths(), Ref: l.home, To: target})
	l.head, l.delivered, l.cut = target, target, ""
	return true, Obstacle{}, l.repo.SyncRefs(l.home, l.hidden("delivered"))
}

// deliverFiles updates files alone, through an index of ours, so that the work arrives uncommitted
// and the user's index stays.
func (l *Line) deliverFiles(ctx context.Context, target string, finishing bool) (delivered bool, why Obstacle, err error) {
	if l.delivered == target {
		return true, Obstacle{}, nil
	}
	u := update{line: l, index: l.scratch.IndexFile("checkout@" + l.delivered), from: l.delivered, to: target, noted: true, finishing: finishing}
	if !safefile.Exists(u.index) {
		if err = l.scratch.ReadTree(ctx, u.files(), l.delivered); err != nil {
			return false, Obstacle{}, err
		}
		if err = u.refresh(ctx); err != nil {
			return false, Obstacle{}, err
		}
	}
	if why, err = u.run(ctx); err != nil || !why.none() {
		return false, why, err
	}
	err = l.repo.UpdateRefs(ctx, "deliver", git.RefUpdate{Ref: l.hidden("delivered"), New: target, Old: l.delivered},
		// what is delivered may later be a commit of the user's
		git.RefUpdate{Ref: l.hidden("arrived"), New: target}, git.RefUpdate{Ref: l.hidden("delivering")})
	if err != nil {
		return false, Obstacle{}, err
	}
	if err := os.Rename(u.index, l.scratch.IndexFile("checkout@"+target)); err != nil {
		return false, Obstacle{}, git.Unusable("git's directory cannot be written", err)
	}
	l.own = append(l.own, Deed{Paths: u.paths()})
	l.delivered, l.cut = target, ""
	return true, Obstacle{}, nil
}

// catchUp finishes the delivery in which an earlier process died: the checkout may have all, some
// or none of its files, and what it has must not pass for the user's edits. What stands in the way
// is said by the next delivery, which meets it again. A target without the commits that the user
// has made since would take them back, so it is no target any more.
func (l *Line) catchUp(ctx context.Context) error {
	refs, err := l.repo.Refs(ctx, l.hidden("delivering"))
	target := refs[l.hidden("delivering")]
	if err != nil || target == "" {
		return err
	}
	follows, err := l.scratch.IsAncestor(ctx, l.head, target)
	if err != nil || !follows {
		return firstError(err, l.repo.UpdateRefs(ctx, "deliver", git.RefUpdate{Ref: l.hidden("delivering")}))
	}
	l.cut = target
	l.repo.RemoveIndexLock(l.hidden("delivering"))
	_, _, err = l.deliverTo(ctx, target, true)
	return err
}
