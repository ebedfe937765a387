package delivery

import (
	"context"
	"fmt"
	"os"
	"slices"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// spare gives the target without the plan's change where the user has edits in the plan, which an
// edit of ours can join.
func (u *update) spare(ctx context.Context) (string, error) {
	i := slices.IndexFunc(u.changes, func(c git.Change) bool {
		return c.Path == u.Plan && c.Status == 'M'
	})
	if i < 0 {
		return u.to, nil
	}
	c := u.changes[i]
	entries, err := u.entries(ctx)
	if err != nil || entries[c.Path] != c.OldMode+" "+c.OldID {
		return u.to, err
	}
	if info, missing := os.Lstat(u.path(c)); missing != nil || !info.Mode().IsRegular() {
		return u.to, nil // git says what is wrong with it
	}
	modified, err := u.Scratch.LsFiles(ctx, u.files(), "-m", "--", c.Path)
	if err != nil || len(modified) == 0 {
		return u.to, err // the user has not touched it
	}
	u.plan = &c
	tree, err := u.Scratch.TreeOf(ctx, u.to)
	if err != nil {
		return "", err
	}
	return u.Scratch.Graft(ctx, tree,
		[]git.Change{{Path: c.Path, NewMode: c.OldMode, NewID: c.OldID}})
}

// markPlan makes the commits' edits in the user's copy of the plan, and marks the plan as committed
// in the index, so that only the user's own edits still show as changes. It leaves out an edit
// whose place is gone from the user's text.
func (u *update) markPlan(ctx context.Context) error {
	c := *u.plan
	data, err := safefile.ReadPlain(u.path(c), safefile.Large)
	if err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	marked, err := u.Marked(ctx, u.from, data)
	if err != nil {
		return err
	}
	info, err := os.Stat(u.path(c))
	if err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	if err = safefile.ReplaceVia(u.Scratch.Dir, u.path(c), marked, info.Mode().Perm()); err != nil {
		return fmt.Errorf("marking the plan: %w", err)
	}
	return u.Scratch.UpdateIndex(ctx, u.files(), []git.Change{c})
}
