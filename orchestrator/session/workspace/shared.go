package workspace

import (
	"context"
	"errors"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/worktree"
	"autobuild/orchestrator/worktree/delivery"
	"autobuild/state"
)

// Shared is one directory for all phases.
type Shared struct {
	space
	files *shared.Dir
	root  string // the directory
	run   string // its id
}

// Open goes on in the same directory, also for a clean start: the work of one phase cannot be set
// aside where all phases share it.
func (d *Shared) Open(ctx context.Context, phase string, clean bool) (attempt.Tree, error) {
	if err := d.room(); err != nil {
		return attempt.Tree{}, err
	}
	if err := d.Enter(ctx, phase); err != nil {
		return attempt.Tree{}, err
	}
	t, err := d.files.Open(ctx, phase, false)
	out := d.fromTree(t)
	if clean && t.Reused {
		out.Notes = append(out.Notes,
			"phases share one directory, so what the earlier attempt did is still in it")
	}
	return out, err
}

// Changes are the paths that differ from the base of the tree, and remarks for the user.
func (d *Shared) Changes(
	ctx context.Context, t attempt.Tree, phase string,
) (state.Changes, []string, error) {
	c, err := d.files.Changes(ctx, toTree(phase, t))
	changes, notes := d.changes(c)
	if changes.Len() == 0 && len(c.Beside) > 0 {
		// The author of these is unknown, so the phase is not blamed for having changed nothing.
		changes.Modified = c.Beside
		notes = append(notes,
			"what changed was also credited to a phase that ran at the same time in the same "+
				"directory")
	}
	return changes, notes, d.own(err)
}

// Between is empty: work in a shared directory is not merged.
func (*Shared) Between(context.Context, attempt.Candidate, []string) ([]failure.Conflict, error) {
	return nil, nil
}

// Land commits or notes the work where it lies.
func (d *Shared) Land(
	ctx context.Context, t attempt.Tree, how attempt.Landing,
) (attempt.Landed, error) {
	landing, marked := d.landing(how)
	out, err := d.files.Land(ctx, toTree(how.Phase, t), landing)
	if errors.Is(err, worktree.ErrNoChange) {
		c, failed := d.files.Changes(ctx, toTree(how.Phase, t))
		if landing.AllowEmpty = failed == nil && len(c.Beside) > 0; landing.AllowEmpty {
			out, err = d.files.Land(ctx, toTree(how.Phase, t), landing)
		}
	}
	return landed(out, delivery.Obstacle{}, *marked), d.own(err)
}

// Done ends the work of a phase that has landed.
func (d *Shared) Done(ctx context.Context, t attempt.Tree, phase string) error {
	return d.files.Done(ctx, toTree(phase, t))
}

// Past asks git where phases land as commits; other modes leave no trace in git.
func (d *Shared) Past(ctx context.Context) (orchestrator.ResumeOptions, error) {
	commits, err := d.files.Commits(ctx)
	past := past(commits)
	past.Present = nil // the user's own branch: its history is the user's to change
	return past, err
}

// Finish has nothing to deliver: the work was done in place. At the end of mode single it is
// committed.
func (d *Shared) Finish(
	ctx context.Context, complete bool, message string,
) (worktree.Delivery, error) {
	if !complete {
		return worktree.Delivery{Delivered: true}, nil
	}
	return d.files.Finish(ctx, message)
}

// Arrived does not look: the end of a run is quick where the work is in place.
func (*Shared) Arrived(context.Context) (bool, error) { return false, nil }

// Leave has nothing to clear away.
func (*Shared) Leave(context.Context) error { return nil }

// Script has nothing to commit to.
func (*Shared) Script(context.Context) ([]delivery.File, error) { return nil, nil }

// Notes are remarks for the user about the start of the run.
func (d *Shared) Notes() []string { return d.files.Notes() }

// Content of a directory that all share, and a person perhaps as well, has no name but the run's:
// its known content is that at the run's start, and all that has landed since.
func (d *Shared) Content(context.Context, string) (string, error) {
	return "shared by run " + d.run, nil
}

// Untidy is empty: a directory that the user shares may be in any condition.
func (*Shared) Untidy(context.Context, attempt.Tree, string) ([]string, error) { return nil, nil }

// Removed is empty: the directory has no commits of single phases to compare with.
func (*Shared) Removed(context.Context, attempt.Tree, string) ([]attempt.Removal, error) {
	return nil, nil
}

// Rehearse is empty: hooks look at the index, which is the user's here.
func (*Shared) Rehearse(
	context.Context, attempt.Tree, string, string,
) (command, identity string, err error) {
	return "", "", nil
}

// Worded is empty: no hook has seen a message.
func (*Shared) Worded(string) string { return "" }

// Uncommitted is empty: phases see the user's changes.
func (*Shared) Uncommitted() []string { return nil }

// Meanwhile is empty: all that changes in the directory is the phases' work.
func (*Shared) Meanwhile(context.Context) ([]string, error) { return nil, nil }

// Committed is false: the user's commits are on the branch on which phases land.
func (*Shared) Committed(context.Context, string) (bool, error) { return false, nil }

// Mentions is true without a look: gates run in the user's own directory.
func (*Shared) Mentions(context.Context, string) (bool, error) { return true, nil }

// Trees is nil: without a line there is no base to compare with.
func (*Shared) Trees() verify.Trees { return nil }

var _ Space = (*Shared)(nil)
