package workspace

import (
	"context"
	"errors"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/worktree"
	"autobuild/orchestrator/worktree/delivery"
	"autobuild/state"
)

// Worktrees is a worktree for each phase and one integration line.
type Worktrees struct {
	space
	Line *worktree.Line
}

// Open opens the worktree of a phase.
func (l *Worktrees) Open(ctx context.Context, phase string, clean bool) (attempt.Tree, error) {
	if err := l.room(); err != nil {
		return attempt.Tree{}, err // no agent works where nothing of it could be kept
	}
	if err := l.Enter(ctx, phase); err != nil {
		return attempt.Tree{}, err
	}
	t, err := l.Line.Open(ctx, phase, clean)
	if err != nil {
		return attempt.Tree{}, l.own(err)
	}
	out := l.fromTree(t)
	earlier, err := l.earlier(ctx, phase)
	out.Landed = earlier.ID != ""
	if err == nil {
		err = l.ready(ctx, t, &out)
	}
	return out, err
}

// earlier is the phase's newest commit on the line, zero where it has none: a phase that a person
// has reset may find that there is nothing left to do.
func (l *Worktrees) earlier(ctx context.Context, phase string) (found worktree.Commit, err error) {
	commits, err := l.Line.Commits(ctx)
	for _, c := range commits {
		if c.Phase == phase {
			found = c
		}
	}
	return found, err
}

// Untidy lists unfinished merges and the like in the clone.
func (l *Worktrees) Untidy(ctx context.Context, t attempt.Tree, phase string) ([]string, error) {
	found, err := l.Line.Untidy(ctx, toTree(phase, t))
	if err != nil {
		return nil, l.own(err)
	}
	return found, nil
}

// Rehearse stages the work as git commit would, for the hooks that are asked about it.
func (l *Worktrees) Rehearse(
	ctx context.Context, t attempt.Tree, phase, message string,
) (command, identity string, err error) {
	r, err := l.Line.Rehearse(ctx, toTree(phase, t), message)
	if err != nil {
		return "", "", l.own(err)
	}
	return hookCommand(r), r.Tree, nil
}

// Worded is the message after the hooks have seen it.
func (l *Worktrees) Worded(phase string) string { return l.Line.Worded(phase) }

// Changes are the paths that differ from the base of the tree, and remarks for the user.
func (l *Worktrees) Changes(
	ctx context.Context, t attempt.Tree, phase string,
) (state.Changes, []string, error) {
	note, err := l.Line.Realign(ctx, toTree(phase, t))
	if err != nil {
		return state.Changes{}, nil, l.own(err)
	}
	c, err := l.Line.Changes(ctx, toTree(phase, t))
	changes, notes := l.changes(c)
	if note != "" {
		notes = append(notes, note)
	}
	return changes, notes, l.own(err)
}

// Between is what other phases, and the user, landed between a candidate's base and the tip below
// it.
func (l *Worktrees) Between(
	ctx context.Context, c attempt.Candidate, first []string,
) ([]failure.Conflict, error) {
	found, err := l.Line.Between(ctx, c.Base, c.Tip, first)
	out := make([]failure.Conflict, len(found))
	for i, f := range found {
		out[i] = failure.Conflict{
			File: f.Path, Other: label(l.marks.Plan, f.Other),
			OtherLines: f.OtherLines, Excerpt: f.Excerpt,
		}
	}
	return out, err
}

// Removed names what the phase's difference takes away of other phases' work.
func (l *Worktrees) Removed(
	ctx context.Context, t attempt.Tree, phase string,
) ([]attempt.Removal, error) {
	found, err := l.Line.Removed(ctx, toTree(phase, t))
	if err != nil {
		return nil, l.own(err)
	}
	out := make([]attempt.Removal, len(found))
	for i, r := range found {
		out[i] = attempt.Removal{
			Phase: label(l.marks.Plan, r.Phase), File: r.Path, How: r.How,
			Names: r.Names,
		}
	}
	return out, nil
}

// Land puts the work on the line, then delivers it into the user's checkout. What stands in the way
// of a delivery is a fact about the checkout: the work has landed.
func (l *Worktrees) Land(
	ctx context.Context, t attempt.Tree, how attempt.Landing,
) (attempt.Landed, error) {
	landing, _ := l.landing(how)
	if t.Landed {
		landing.AllowEmpty = false // no second commit where nothing is new
	}
	out, err := l.Line.Land(ctx, toTree(how.Phase, t), landing)
	if errors.Is(err, worktree.ErrNoChange) && t.Landed {
		earlier, missing := l.earlier(ctx, how.Phase)
		return attempt.Landed{Commit: earlier.ID, Delivered: true, PlanMarked: true}, missing
	}
	if err != nil {
		return attempt.Landed{}, l.own(err)
	}
	delivered, err := l.Line.Deliver(git.Uninterrupted(ctx))
	if err != nil {
		delivered.Why = delivery.Obstacle{Code: delivery.Failed, Detail: err.Error()}
	}
	if err = l.Line.Settle(); err != nil {
		return attempt.Landed{}, l.own(err)
	}
	return landed(out, delivered.Why, out.Marked), nil
}

// Done removes the worktree and the branch of a phase that has landed.
func (l *Worktrees) Done(ctx context.Context, t attempt.Tree, phase string) error {
	return l.Line.Done(ctx, toTree(phase, t))
}

// Past asks git which phases of earlier sessions landed.
func (l *Worktrees) Past(ctx context.Context) (orchestrator.ResumeOptions, error) {
	commits, err := l.Line.Commits(ctx)
	return past(commits), err
}

// Finish delivers the landed work; in mode single a complete run becomes one commit.
func (l *Worktrees) Finish(
	ctx context.Context, complete bool, message string,
) (worktree.Delivery, error) {
	if !complete {
		return l.Line.Deliver(ctx)
	}
	return l.Line.Finish(ctx, message)
}

// Arrived reports whether nothing is left to deliver.
func (l *Worktrees) Arrived(ctx context.Context) (bool, error) { return l.Line.Arrived(ctx) }

// Leave ends a start at which there was nothing to do.
func (l *Worktrees) Leave(ctx context.Context) error { return l.Line.Leave(ctx) }

// Script is commits.sh and the messages that it reads.
func (l *Worktrees) Script(ctx context.Context) ([]delivery.File,
	error,
) {
	return l.Line.Script(ctx)
}

// Notes are remarks for the user about the start of the line.
func (l *Worktrees) Notes() []string { return l.Line.Notes }

// Uncommitted are the files of the user's checkout that differ from its last commit, as they were
// when the line was opened.
func (l *Worktrees) Uncommitted() []string { return l.Line.Uncommitted }

// Meanwhile lists what of the user's git settings and checkout is not as it was then.
func (l *Worktrees) Meanwhile(ctx context.Context) ([]string, error) { return l.Line.Meanwhile(ctx) }

// Committed reports whether a person has committed something since.
func (l *Worktrees) Committed(ctx context.Context, since string) (bool, error) {
	return l.Line.Committed(ctx, since)
}

// Mentions reports whether a tracked file of the line's tip holds a word.
func (l *Worktrees) Mentions(ctx context.Context, word string) (bool, error) {
	return l.Line.Mentions(ctx, word)
}

// Trees are those of the line.
func (l *Worktrees) Trees() verify.Trees { return Trees{Line: l.Line} }

// Content names the content of a commit; empty: of the base.
func (l *Worktrees) Content(ctx context.Context, commit string) (string, error) {
	return l.Line.Content(ctx, commit)
}

var _ Space = (*Worktrees)(nil)
