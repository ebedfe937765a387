package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"autobuild/failure"
	"autobuild/failure/knowledge"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/worktree"
	"autobuild/orchestrator/worktree/delivery"
	"autobuild/plan"
	"autobuild/render"
	"autobuild/state"
)

// fromTree words a tree for an attempt.
func (p space) fromTree(t worktree.Tree) attempt.Tree {
	out := attempt.Tree{Dir: t.Dir, Branch: t.Branch, Base: t.Base, Reused: t.Reused, Kept: t.Kept}
	if t.Kept != "" {
		out.Notes = append(out.Notes, "its earlier work was set aside and is kept on branch "+t.Kept)
	}
	if t.Realigned != "" {
		out.Notes = append(out.Notes, t.Realigned)
	}
	if t.Moved != "" {
		out.Notes = append(out.Notes,
			"git cannot hold its earlier work; it was moved, and is kept in "+p.shown(t.Moved))
	}
	return out
}

// toTree is the inverse of fromTree for phase.
func toTree(phase string, t attempt.Tree) worktree.Tree {
	return worktree.Tree{Phase: phase, Dir: t.Dir, Branch: t.Branch, Base: t.Base, Reused: t.Reused}
}

func (space) changes(c worktree.Changes) (state.Changes, []string) {
	out := state.Changes{Created: c.Created, Modified: c.Modified, Deleted: c.Deleted}
	for _, r := range c.Renamed {
		out.Created = append(out.Created, r.To)
		out.Deleted = append(out.Deleted, r.From)
	}
	slices.Sort(out.Created)
	slices.Sort(out.Deleted)
	var notes []string
	if c.PlanTouched {
		notes = append(notes, "it edited the plan; that edit is not taken")
	}
	if c.Stray != "" {
		notes = append(notes, c.Stray+" is left out of the work: it is a package store that a tool "+
			"created in the project because its own store was not writable")
	}
	if c.AsideTouched {
		notes = append(notes, "it edited "+knowledge.FileName+"; that edit is not taken")
	}
	return out, notes
}

// landing translates; the returned flag is set when the plan is marked with the work.
func (p space) landing(l attempt.Landing) (worktree.Landing, *bool) {
	marked := new(bool)
	mark := p.marks.Phase(l.Phase)
	out := worktree.Landing{
		Phase: l.Phase, Key: l.Key, Verdict: string(l.Verdict), Message: l.Message,
		AllowEmpty: l.AllowEmpty, Judged: l.Judged, Contested: l.Contested,
		Mark: func(src []byte) ([]byte, error) {
			*marked = true
			return mark(src)
		},
	}
	if l.Verify != nil {
		out.Verify = func(ctx context.Context, c worktree.Candidate) error {
			return l.Verify(ctx, attempt.Candidate(c))
		}
	}
	return out, marked
}

// Obstacle translates why work was not delivered.
func Obstacle(o delivery.Obstacle) state.Obstacle {
	return state.Obstacle{
		Code: state.ObstacleCode(o.Code), Path: o.Path, Branch: o.Branch, Home: o.Home,
		Commit: o.Commit, Detail: o.Detail,
	}
}

// landed translates a landing; undelivered is why the user's checkout does not have it.
func landed(l worktree.Landed, undelivered delivery.Obstacle, marked bool) attempt.Landed {
	out := attempt.Landed{
		Commit: l.Commit, Delivered: undelivered.None(), Obstacle: Obstacle(undelivered),
		PlanMarked: marked,
	}
	if undelivered.Code == delivery.Incomplete || undelivered.Code == delivery.Elsewhere {
		out.Obstacle = state.Obstacle{} // as intended: the end of the run delivers
	}
	out.Undelivered = render.ObstacleText(out.Obstacle)
	for _, o := range l.Overlap {
		if o.CaseOnly != "" {
			out.Notes = append(out.Notes,
				fmt.Sprintf(
					"%s and %s, which landed before, differ in case alone: where case is folded "+
						"they are one file",
					text.Clean(o.Path, 200), text.Clean(o.CaseOnly, 200)))
			continue
		}
		out.Overlap = append(out.Overlap, o.Path)
	}
	return out
}

// own translates the errors of a worktree that a phase has caused.
func (p space) own(err error) error {
	if c, ok := errors.AsType[*worktree.ConflictError](err); ok {
		out := &attempt.ConflictError{}
		if c.Branch != "" {
			out.Merge = render.Command([]string{"git", "-C", p.shown(c.Dir), "merge", c.Branch})
		}
		for _, f := range c.Files {
			out.Files = append(out.Files, failure.Conflict{
				File: f.Path, Lines: f.Lines,
				Other: label(p.marks.Plan, f.Other), OtherLines: f.OtherLines, Excerpt: f.Excerpt,
			})
		}
		return out
	}
	for _, mine := range []bool{
		isType[*worktree.GoneError](err), isType[*worktree.NestedError](err),
		isType[*worktree.ShutError](err), errors.Is(err, worktree.ErrNoChange),
	} {
		if mine {
			return workError(err)
		}
	}
	return err
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func label(p *plan.Plan, id string) string {
	if i, ok := p.Index(id); ok {
		return p.At(i).Label
	}
	return id
}

// past is the progress of a run as its commits record it.
func past(commits []worktree.Commit) orchestrator.ResumeOptions {
	byID := make(map[string]bool, len(commits))
	for _, c := range commits {
		byID[c.ID] = true
	}
	return orchestrator.ResumeOptions{
		Landed: func(phase, key string) (orchestrator.Found, bool) {
			for _, c := range commits {
				if c.Phase == phase && c.Key == key && key != "" {
					return orchestrator.Found{
						Commit: state.Commit{
							SHA: c.ID, Message: c.Message,
							PlanMarked: c.PlanMarked,
						}, Verdict: state.Verdict(c.Verdict),
						Contested: state.ContestedAt(c.Contested),
					}, true
				}
			}
			return orchestrator.Found{}, false
		},
		Present: func(c state.Commit) bool { return byID[c.SHA] },
	}
}

// workError is a reason why a phase's work cannot be taken, for its attempt.
func workError(err error) *attempt.WorkError {
	out := &attempt.WorkError{Reason: err.Error()}
	if nested, ok := errors.AsType[*worktree.NestedError](err); ok && !nested.Submodules {
		out.Nested = nested.Paths
	}
	return out
}
