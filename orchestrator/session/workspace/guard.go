package workspace

import (
	"context"

	"autobuild/failure"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/verify"
)

// Guard looks for content that must not land in the work of phases.
type Guard struct {
	Edits   func(ctx context.Context, t attempt.Tree, phase string) ([]git.Edit, error)
	Strict  bool
	Secrets []string
}

// Look runs verify.Guard on the difference that would land.
func (g *Guard) Look(
	ctx context.Context, t attempt.Tree, work attempt.Work,
) ([]attempt.Objection, error) {
	edits, err := g.Edits(ctx, t, work.Phase.ID)
	if err != nil {
		return nil, err
	}
	look := verify.Look{
		Message: work.Message, Declared: work.Phase.Files.All(), Text: work.Phase.Text,
		Secrets: g.Secrets,
	}
	for _, e := range edits {
		look.Changes = append(look.Changes, verify.Change{
			Path: e.Path, OldMode: e.OldMode, NewMode: e.NewMode, Old: string(e.Old),
			New: string(e.New), Size: e.Size, Unread: e.Unread,
		})
	}
	var found []attempt.Objection
	for _, f := range verify.Guard(look) {
		o := attempt.Objection{
			Place:   failure.Place{File: f.File, Line: f.Line, Rule: f.Rule, Message: f.Text},
			Refuses: f.Weight == verify.Grave || g.Strict && f.Weight == verify.Objection,
		}
		found = append(found, o)
	}
	return found, nil
}

// Edits is the difference of a phase, with content.
func (l *Worktrees) Edits(ctx context.Context, t attempt.Tree, phase string) ([]git.Edit, error) {
	edits, err := l.Line.Edits(ctx, toTree(phase, t))
	return edits, l.own(err)
}

// Edits is the difference of a phase, with content.
func (d *Shared) Edits(ctx context.Context, t attempt.Tree, phase string) ([]git.Edit, error) {
	edits, err := d.files.Edits(ctx, toTree(phase, t))
	return edits, d.own(err)
}

var _ attempt.Guard = (*Guard)(nil)
