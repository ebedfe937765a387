package worktree

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// park leaves the worktree of conflicting work ready for a person: the work is committed on the
// phase's branch and nothing else differs, so that git merge runs there as anywhere. The parked ref
// records that no agent has been there since: the next changes there are a person's.
func (l *Line) park(ctx context.Context, t Tree, work content, commit string) error {
	if err := l.switchTo(ctx, t.Dir, work.index, work.tree); err != nil {
		return err
	}
	return l.arrange(ctx, t, commit, work.index, git.RefUpdate{
		Ref: l.hidden("parked/" + t.Phase),
		New: commit,
	})
}

// mergedByHand gives the newest commit of the line that a person merged into a parked worktree,
// whether they committed the merge or not; where they merged nothing, that is the old base. A merge
// that is not resolved is an *UnresolvedError.
func (l *Line) mergedByHand(ctx context.Context, t Tree, admin, base string) (string, error) {
	heads := l.heads(ctx, admin)
	if len(heads) == 0 {
		return base, nil
	}
	// With several heads this is the base of their merge, made or not.
	met, err := l.scratch.MergeBase(ctx, l.tip, heads...)
	if err != nil || met == "" {
		return base, err
	}
	follows, err := l.scratch.IsAncestor(ctx, base, met)
	if err != nil || !follows || met == base {
		return base, err
	}
	c, err := l.read(ctx, t.Phase, t.Dir, met)
	if err != nil {
		return "", err
	}
	open, err := l.unresolved(ctx, admin, c.tree)
	if err != nil {
		return "", err
	}
	if len(open) > 0 {
		return "", &UnresolvedError{Phase: t.Phase, Dir: t.Dir, Paths: open}
	}
	return met, nil
}

// heads lists the commits that a worktree's content is made of, by its HEAD and a merge that is
// going on.
func (l *Line) heads(ctx context.Context, admin string) []string {
	if admin == "" {
		return nil
	}
	names := []string{"HEAD"}
	if data, err := safefile.Read(filepath.Join(admin, "MERGE_HEAD"), safefile.Small); err == nil {
		names = append(names, strings.Fields(string(data))...)
	}
	var heads []string
	for _, name := range names {
		if name == "HEAD" {
			name = "worktrees/" + filepath.Base(admin) + "/HEAD"
		}
		if id, err := l.repo.CommitOf(ctx, name); err == nil {
			heads = append(heads, id)
		}
	}
	return heads
}

// unresolved lists the files that git still calls unmerged and that either hold a conflict mark or
// are just as the merge left them. An edited file without marks is resolved, even where the user
// did not run git add.
func (l *Line) unresolved(ctx context.Context, admin, tree string) ([]string, error) {
	paths, err := l.unmerged(ctx, admin)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	names, err := l.scratch.Grep(ctx, tree, []string{"-e", "^<<<<<<< "}, paths)
	if err != nil {
		return nil, err
	}
	marked := map[string]bool{}
	for _, name := range names {
		marked[name] = true
	}
	left, err := safefile.Read(filepath.Join(admin, "AUTO_MERGE"), safefile.Small)
	if err != nil { // a git that does not keep what it left
		return slices.DeleteFunc(paths, func(p string) bool { return !marked[p] }), nil
	}
	changes, err := l.scratch.DiffTree(ctx, strings.TrimSpace(string(left)), tree)
	if err != nil {
		return nil, err
	}
	edited := map[string]bool{}
	for _, c := range changes {
		edited[c.Path] = true
	}
	return slices.DeleteFunc(paths, func(p string) bool { return edited[p] && !marked[p] }), nil
}

// UnresolvedError means that a person began to merge in a phase's worktree and has not come to the
// end. Nothing was touched.
type UnresolvedError struct {
	Phase, Dir string
	Paths      []string
}

func (e *UnresolvedError) Error() string {
	return fmt.Sprintf(
		"the merge in the worktree of phase %s is not resolved: %s; resolve it in %s, then resume",
		e.Phase, text.QuoteSome(e.Paths), text.Quote(e.Dir))
}
