package worktree

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// begun are git's traces of commands that were begun in a worktree and not ended, each with what it
// is.
var begun = []struct{ name, what string }{
	{"MERGE_HEAD", "a merge"},
	{"rebase-merge", "a rebase"},
	{"rebase-apply", "a rebase"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"},
	{"REVERT_HEAD", "a revert"},
	{"BISECT_START", "a bisection"},
}

// Untidy describes the unfinished operations in the phase's worktree: a merge or its like in
// progress, unmerged files, and files that hold both conflict marks where the base's do not.
// Nothing is touched. Errors are those of Changes.
func (l *Line) Untidy(ctx context.Context, t Tree) ([]string, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return nil, err
	}
	defer release()
	c, err := l.readOnce(ctx, t)
	if err != nil {
		return nil, err
	}
	var found []string
	if admin := git.CloneDir(t.Dir); admin != "" {
		for _, b := range begun {
			if note := b.what + " is in progress"; safefile.Exists(filepath.Join(admin, b.name)) &&
				!slices.Contains(found, note) {
				found = append(found, note)
			}
		}
		paths, failed := l.unmerged(ctx, admin)
		if refused, ok := errors.AsType[*git.ExitError](failed); ok && refused.Code == 128 {
			failed = nil // an unreadable index gives no evidence
		}
		if failed != nil {
			return nil, failed
		}
		if len(paths) > 0 {
			found = append(found, "unmerged: "+text.QuoteSome(paths))
		}
	}
	marked, err := l.newlyMarked(ctx, t.Base, c.tree)
	if len(marked) > 0 {
		found = append(found, "conflict marks in "+text.QuoteSome(marked))
	}
	return found, err
}

// unmerged lists the files that the worktree's own index holds unmerged, without the plan.
func (l *Line) unmerged(ctx context.Context, admin string) ([]string, error) {
	if !safefile.Exists(filepath.Join(admin, "index")) {
		return nil, nil
	}
	paths, err := l.scratch.Unmerged(ctx, git.Files{Index: filepath.Join(admin, "index")})
	return slices.DeleteFunc(paths, func(p string) bool { return p == l.plan }), err
}

// newlyMarked lists the changed files with both conflict marks that had none at the base: a file
// about such marks may hold them.
func (l *Line) newlyMarked(ctx context.Context, base, tree string) ([]string, error) {
	changes, err := l.scratch.DiffTree(ctx, base, tree)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range changes {
		if c.Status != 'D' {
			paths = append(paths, c.Path)
		}
	}
	const most = 200 // paths of one call: a command line has an end
	var marked []string
	for some := range slices.Chunk(paths, most) {
		now, err := l.withMarks(ctx, tree, some)
		if err != nil {
			return nil, err
		}
		if len(now) == 0 {
			continue // without paths, everything would be looked at
		}
		before, err := l.withMarks(ctx, base, now)
		if err != nil {
			return nil, err
		}
		marked = append(marked,
			slices.DeleteFunc(now, func(p string) bool { return slices.Contains(before, p) })...)
	}
	return marked, nil
}

// withMarks lists those of some text files of a tree that hold both marks.
func (l *Line) withMarks(ctx context.Context, tree string, paths []string) ([]string, error) {
	return l.scratch.Grep(ctx, tree, []string{
		"-I", "--all-match", "-e", "^<<<<<<< ", "-e",
		"^>>>>>>> ",
	}, paths)
}

// Renamed returns the present name of a path that is gone, by the line's history; empty where git
// finds none.
func (l *Line) Renamed(ctx context.Context, path string) (string, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return "", err
	}
	defer release()
	const most = 5 // renames of one file in a row
	now := path
	for range most {
		gone, err := l.scratch.LastDeletion(ctx, l.tip, now)
		if err != nil || gone == "" {
			return renamed(path, now), err
		}
		names, err := l.scratch.DiffNames(ctx, gone)
		if err != nil {
			return "", err
		}
		next := ""
		for _, n := range names {
			if n.Status == 'R' && n.From == now {
				next = n.Path
			}
		}
		if next == "" {
			break
		}
		now = next
	}
	return renamed(path, now), nil
}

// renamed is where a path went, if it went anywhere.
func renamed(from, to string) string {
	if from == to {
		return ""
	}
	return to
}
