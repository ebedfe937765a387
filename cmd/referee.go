package cmd

import (
	"context"

	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/orchestrator/worktree"
	"autobuild/plan"
)

// examiner lets attempts ask the referee: both sides name its parts alike and know nothing of each other.
type examiner struct{ *verify.Examiner }

// Examine translates.
func (x examiner) Examine(ctx context.Context, w attempt.Work, try attempt.Try) (attempt.Ruling, error) {
	v, err := x.Examiner.Examine(ctx, verify.Case{
		Phase: w.Phase, Tip: w.Candidate.Tip, Work: w.Candidate.Work, Gates: w.Gates, Ran: w.Ran, Claimed: w.Claimed,
	}, verify.Try(try))
	return attempt.Ruling(v), err
}

// referees are nil where nothing is compared: without worktrees there is no base to judge by.
func (s *session) referees() attempt.Referee {
	if s.examiner == nil {
		return nil
	}
	return examiner{s.examiner}
}

// makeExaminer gives the run its referee, where phases have worktrees.
func (s *session) makeExaminer() {
	l, ok := s.space.(*lineSpace)
	if !ok {
		return
	}
	s.examiner = &verify.Examiner{
		Trees: trees{l.line}, Mode: referee.Mode(s.o.referee.value),
		Proof: func(p plan.Phase) verify.ProofMode {
			if word := s.choices[p.ID].proof; word != "" {
				return verify.ProofMode(word)
			}
			return verify.ProofMode(s.o.proof.value)
		},
	}
}

// trees reads and composes the line's trees.
type trees struct{ line *worktree.Line }

// Difference is what differs between two trees.
func (t trees) Difference(ctx context.Context, from, to string) ([]referee.Edit, error) {
	edits, err := t.line.Difference(ctx, from, to)
	out := make([]referee.Edit, len(edits))
	for i, e := range edits {
		out[i] = referee.Edit{
			Path: e.Path, OldMode: e.OldMode, NewMode: e.NewMode, Old: string(e.Old), New: string(e.New), Unread: e.Unread,
		}
	}
	return out, err
}

// Source opens a tree.
func (t trees) Source(ctx context.Context, tree string) (referee.Source, error) {
	r, err := t.line.ReadTree(ctx, tree)
	return source{r}, err
}

// Compose puts files into a tree.
func (t trees) Compose(ctx context.Context, tree, base string, puts []referee.Overlay) (string, error) {
	out := make([]worktree.Put, len(puts))
	for i, p := range puts {
		out[i] = worktree.Put{Path: p.Path, Mode: p.Mode, Content: []byte(p.Content), Base: p.Base}
	}
	return t.line.Compose(ctx, tree, base, out)
}

// source reads one tree as text.
type source struct{ *worktree.TreeReader }

// Read is the content of a file up to the referee's bound.
func (s source) Read(path string) (string, bool) {
	data, ok := s.TreeReader.Read(path, referee.MaxRead)
	return string(data), ok
}
