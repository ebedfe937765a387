package worktree

import (
	"context"
	"slices"
)

// Committed reports whether the line holds commits after since that are no landings of this run: what a person has
// committed. It is false where since is no commit of the line.
func (l *Line) Committed(ctx context.Context, since string) (bool, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return false, err
	}
	defer give()
	known, err := l.scratch.IsAncestor(ctx, since, l.tip)
	if err != nil || !known {
		return false, nil //nolint:nilerr // a commit that git does not know is none of the line's
	}
	entries, err := l.log(ctx, since, l.tip)
	return slices.ContainsFunc(entries, func(e entry) bool { return e.phase == "" }), err
}
