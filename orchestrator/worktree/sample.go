package worktree

import (
	"context"
)

// sampleName is no phase's: those begin with a letter or a digit.
const sampleName = ".sample"

// Content names what a commit holds; an empty one stands for the line's tip. Equal names are equal content.
func (l *Line) Content(ctx context.Context, commit string) (string, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return "", err
	}
	defer give()
	if commit == "" {
		commit = l.tip
	}
	return l.desk.treeOf(ctx, commit)
}

// Sample checks out the line's tip in a worktree of its own, on no branch, for somebody who only wants to look or to run commands:
// nothing of what is done there is ever taken. One at a time; remove takes it away, and so does the next Sample after a crash.
func (l *Line) Sample(ctx context.Context) (dir string, remove func() error, err error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return "", nil, err
	}
	defer give()
	t := Tree{Phase: sampleName, Dir: l.dir(sampleName), Base: l.tip}
	discard := func() error {
		l.dropIndexes(sampleName)
		return l.clear(t.Dir, adminOf(l.repo.CommonDir, t.Dir))
	}
	if err = discard(); err != nil {
		return "", nil, err
	}
	if err = l.checkOut(ctx, t); err != nil {
		return "", nil, firstError(err, discard())
	}
	return t.Dir, func() error {
		give, err := take(context.WithoutCancel(ctx), l.hands)
		if err != nil {
			return err
		}
		defer give()
		return discard()
	}, nil
}

// checkOut adds a detached worktree and fills it in the way in which those of phases are filled.
func (l *Line) checkOut(ctx context.Context, t Tree) error {
	_, _, err := l.repo.real(ctx, nil, nil, "worktree", "add", "-q", "--no-checkout", "--detach", "--lock", "--reason", l.lockReason(), t.Dir, t.Base)
	if err != nil {
		return err
	}
	return l.fill(ctx, t)
}
