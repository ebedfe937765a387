package cmd

import (
	"context"
	"errors"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/worktree"
	"autobuild/state"
)

// sharedSpace is one directory for all phases.
type sharedSpace struct {
	space
	lookout
	files *worktree.Shared
	root  string // the directory
	run   string // its id
}

// Open goes on where the phase was, also where it is to be clean: in a directory that all share, what it did cannot be set aside.
func (d *sharedSpace) Open(ctx context.Context, phase string, clean bool) (attempt.Tree, error) {
	if err := d.room(); err != nil {
		return attempt.Tree{}, err
	}
	if err := d.enter(ctx, phase); err != nil {
		return attempt.Tree{}, err
	}
	t, err := d.files.Open(ctx, phase, false)
	out := d.fromTree(t)
	if clean && t.Reused {
		out.Notes = append(out.Notes, "phases share one directory, so what the earlier attempt did is still in it")
	}
	return out, err
}

func (d *sharedSpace) Changes(ctx context.Context, t attempt.Tree, phase string) (state.Changes, []string, error) {
	c, err := d.files.Changes(ctx, toTree(phase, t))
	changes, notes := d.changes(c)
	if changes.Len() == 0 && len(c.Beside) > 0 {
		// Nobody can tell whose these are: the phase cannot be blamed for having changed nothing.
		changes.Modified = c.Beside
		notes = append(notes, "what changed was also credited to a phase that ran at the same time in the same directory")
	}
	return changes, append(notes, d.touched(ctx, phase)...), d.own(err)
}

// Between knows nothing: in a directory that all share nothing is merged.
func (*sharedSpace) Between(context.Context, attempt.Candidate, []string) ([]failure.Conflict, error) {
	return nil, nil
}

func (d *sharedSpace) Land(ctx context.Context, t attempt.Tree, how attempt.Landing) (attempt.Landed, error) {
	landing, marked := d.landing(how)
	out, err := d.files.Land(ctx, toTree(how.Phase, t), landing)
	if errors.Is(err, worktree.ErrNoChange) {
		c, failed := d.files.Changes(ctx, toTree(how.Phase, t))
		if landing.AllowEmpty = failed == nil && len(c.Beside) > 0; landing.AllowEmpty {
			out, err = d.files.Land(ctx, toTree(how.Phase, t), landing)
		}
	}
	return landed(out, *marked), d.own(err)
}

func (d *sharedSpace) Done(ctx context.Context, t attempt.Tree, phase string) error {
	return d.files.Done(ctx, toTree(phase, t))
}

// Past asks git where commits are made as phases land. Otherwise what is recorded is all there is.
func (d *sharedSpace) Past(ctx context.Context) (orchestrator.Past, error) {
	commits, err := d.files.Commits(ctx)
	past := past(commits)
	past.Present = nil // the user's own branch: its history is the user's to change
	return past, err
}

// Finish has nothing to deliver: the work was done in place. At the end of mode single it is committed.
func (d *sharedSpace) Finish(ctx context.Context, complete bool, message string) (worktree.Delivery, error) {
	if !complete {
		return worktree.Delivery{Delivered: true}, nil
	}
	return d.files.Finish(ctx, message)
}

// Arrived does not look: the end of a run is quick where the work is in place.
func (*sharedSpace) Arrived(context.Context) (bool, error) { return false, nil }

// Leave has nothing to clear away.
func (*sharedSpace) Leave(context.Context) error { return nil }

// Script has nothing to commit to.
func (*sharedSpace) Script(context.Context) ([]worktree.File, error) { return nil, nil }

func (d *sharedSpace) Notes() []string { return d.files.Notes() }

// Content of a directory that all share, and a person perhaps as well, has no name but the run's: what is known of it is what this run
// found at its start, and what has landed since.
func (d *sharedSpace) Content(context.Context, string) (string, error) {
	return "shared by run " + d.run, nil
}
