package worktree

import (
	"context"
	"slices"
)

// Between lists what landed between a phase's base and a later commit of the line: a file of one
// phase, or of the user's own commits, each with its part of the difference. The files in first
// come first; at most 12 are listed.
func (l *Line) Between(
	ctx context.Context, base, tip string, first []string,
) ([]ConflictFile, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return nil, err
	}
	defer release()
	commits, err := l.log(ctx, base, tip)
	if err != nil {
		return nil, err
	}
	var found []ConflictFile
	before := base
	for _, c := range commits {
		changed, failed := l.scratch.DiffTree(ctx, before, c.ID)
		if failed != nil {
			return nil, failed
		}
		for _, ch := range changed {
			if ch.Path != l.plan {
				found = append(found, ConflictFile{
					Path: ch.Path, Kind: before, Other: c.phase,
					OtherCommit: c.ID,
				})
			}
		}
		before = c.ID
	}
	slices.SortStableFunc(found, func(a, b ConflictFile) int {
		return rank(first, a.Path) - rank(first, b.Path)
	})
	found = found[:min(len(found), maxShownFiles)]
	for i := range found {
		f := &found[i]
		from := f.Kind
		f.Kind = ""
		if f.OtherLines, err = lines(ctx, l.scratch, from, f.OtherCommit, f.Path); err != nil {
			return nil, err
		}
		if f.Excerpt, err = excerpt(ctx, l.scratch, from, f.OtherCommit, f.Path); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// rank puts the paths of a list before all others.
func rank(first []string, path string) int {
	if slices.Contains(first, path) {
		return 0
	}
	return 1
}
