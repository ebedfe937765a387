package workspace

import (
	"context"
	"errors"

	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/orchestrator/worktree"
)

// Referee is a verify.Examiner as attempts see it.
type Referee struct{ *verify.Examiner }

// Examine translates.
func (x Referee) Examine(
	ctx context.Context, w attempt.Work, try attempt.Try,
) (attempt.Ruling, error) {
	v, err := x.Examiner.Examine(ctx, verify.Case{
		Phase: w.Phase, Tip: w.Candidate.Tip, Work: w.Candidate.Work, Gates: w.Gates, Ran: w.Ran,
		Claimed: w.Claimed,
	}, verify.Try(try))
	return attempt.Ruling(v), err
}

// Trees reads and composes the line's trees.
type Trees struct{ Line *worktree.Line }

// Difference lists the files that differ between two trees.
func (t Trees) Difference(ctx context.Context, from, to string) ([]referee.Edit, error) {
	edits, err := t.Line.Difference(ctx, from, to)
	out := make([]referee.Edit, len(edits))
	for i, e := range edits {
		out[i] = referee.Edit{
			Path: e.Path, OldMode: e.OldMode, NewMode: e.NewMode, Old: string(e.Old),
			New: string(e.New), Unread: e.Unread,
		}
	}
	return out, err
}

// Source opens a tree.
func (t Trees) Source(ctx context.Context, tree string) (referee.Source, error) {
	r, err := t.Line.ReadTree(ctx, tree)
	return source{r}, err
}

// Compose puts files into a tree.
func (t Trees) Compose(
	ctx context.Context, tree, base string, puts []referee.Overlay,
) (string, error) {
	out := make([]worktree.Put, len(puts))
	for i, p := range puts {
		out[i] = worktree.Put{Path: p.Path, Mode: p.Mode, Content: []byte(p.Content), Base: p.Base}
	}
	return t.Line.Compose(ctx, tree, base, out)
}

// Hold takes the content of a phase's worktree for what lands, until the attempt rests.
func (t Trees) Hold(ctx context.Context, phase string, tree attempt.Tree) error {
	return t.Line.Hold(ctx, toTree(phase, tree))
}

// Copy shows a tree in a directory of its own, which remove deletes with all that was written
// there.
func (t Trees) Copy(ctx context.Context, tree string) (dir string, remove func() error, err error) {
	c, err := t.Line.Checkout(ctx)
	if err != nil {
		return "", nil, err
	}
	if err := c.Show(ctx, tree); err != nil {
		return "", nil, errors.Join(err, c.Close())
	}
	return c.Dir, c.Close, nil
}

// source reads one tree as text.
type source struct{ *git.TreeReader }

// Read is the content of a file up to the referee's bound.
func (s source) Read(path string) (string, bool) {
	data, ok := s.TreeReader.Read(path, referee.MaxRead)
	return string(data), ok
}
