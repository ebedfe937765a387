package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator/git"
)

// CommitPaths does with the files that a phase changed in the checkout what the mode asks for: in
// mode auto it commits them onto the user's branch and gives the commit; else it only records them.
func (l *Line) CommitPaths(ctx context.Context, paths []string, how Landing) (string, error) {
	if err := l.markFile(how.Mark); err != nil {
		return "", err
	}
	if l.opt.Mode != Auto {
		if how.Mark != nil && l.plan != "" {
			paths = append(paths, l.plan)
		}
		return "", l.record(paths)
	}
	return l.commitFiles(ctx, paths, compose(how.Message, how.trail(), l.opt.RunID), how.Mark)
}

// markFile edits the plan where it lies.
func (l *Line) markFile(edit func([]byte) ([]byte, error)) error {
	if edit == nil || l.plan == "" {
		return nil
	}
	path := filepath.Join(l.repo.Top, filepath.FromSlash(l.plan))
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return safefile.IgnoreMissing(err)
	}
	before, err := safefile.ReadPlain(path, safefile.Large)
	if err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	after, err := edit(before)
	if err != nil {
		return fmt.Errorf("marking the plan %s: %w", text.Quote(l.plan), err)
	}
	if bytes.Equal(after, before) {
		return nil
	}
	if err := safefile.ReplaceVia(l.scratch.Dir, path, after, info.Mode().Perm()); err != nil {
		return fmt.Errorf("marking the plan: %w", err)
	}
	return nil
}

// commitFiles commits files by name onto the user's branch. The user's staged changes stay staged
// and are not in the commit.
func (l *Line) commitFiles(
	ctx context.Context, paths []string, message string, edit func([]byte) ([]byte, error),
) (string, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return "", err
	}
	defer release()
	branch, head, err := l.repo.ReadHead(ctx)
	if err != nil {
		return "", err
	}
	if branch != l.checkout.Branch {
		return "", &git.UnusableError{
			What: fmt.Sprintf("the checkout is on %s, the run began on %s", git.ShortRef(branch),
				git.ShortRef(l.checkout.Branch)),
			Next: "switch back, then resume",
		}
	}
	tree, err := l.treeWith(ctx, head, paths)
	if err != nil {
		return "", err
	}
	if tree, _, err = l.mark(ctx, tree, edit); err != nil {
		return "", err
	}
	// a session that died when it had made the one commit has left nothing to commit
	if l.opt.Mode == Single {
		has, failed := l.scratch.TreeOf(ctx, head)
		if failed != nil || has == tree {
			return head, failed
		}
	}
	commit, err := l.scratch.CommitTree(ctx, tree, message, head)
	if err != nil {
		return "", err
	}
	ref := branch
	if ref == "" {
		ref = "HEAD"
	}
	if err := l.scratch.Export(ctx, l.repo, commit, head); err != nil {
		return "", err
	}
	if err := l.own.UpdateRefs(ctx,
		git.RefUpdate{Ref: l.hidden("delivering"), New: commit}); err != nil {
		return "", err
	}
	if err := l.repo.UpdateRefs(ctx, "land", git.RefUpdate{Ref: ref, New: commit, Old: head}); err != nil {
		return "", err
	}
	return commit, l.follow(ctx, head, commit)
}

// follow brings the user's index along, and ends the note that this is to be done.
func (l *Line) follow(ctx context.Context, from, to string) error {
	if err := l.checkout.FollowIndex(ctx, from, to); err != nil {
		// The work has landed; that the user's index could not follow is a fact about the index.
		l.Notes = append(l.Notes, "git's index shows committed files as changed: "+err.Error())
	}
	return l.own.UpdateRefs(ctx, git.RefUpdate{Ref: l.hidden("delivering")})
}

// catchUpIndex does it for a landing after which an earlier process died: else the index would
// delete the committed files in the user's next commit.
func (l *Line) catchUpIndex(ctx context.Context, landed string) error {
	switch landed {
	case "":
		return nil
	case l.repo.Head:
		l.repo.RemoveIndexLock(filepath.Join(l.own.Dir, filepath.FromSlash(l.hidden("delivering"))))
		return l.follow(ctx, landed+"^", landed)
	}
	// the user has gone on since
	return l.own.UpdateRefs(ctx, git.RefUpdate{Ref: l.hidden("delivering")})
}

// treeWith is the head's tree with the named files as they are on disk; ignored ones and nested
// repositories are left out.
func (l *Line) treeWith(ctx context.Context, head string, paths []string) (string, error) {
	user := git.Files{WorkTree: l.repo.Top, Index: filepath.Join(l.repo.GitDir, "index")}
	if err := l.scratch.ShareIndex(l.repo); err != nil {
		return "", err
	}
	ignored, err := l.scratch.Ignored(ctx, user, paths)
	if err != nil {
		return "", err
	}
	paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return ignored[p] })
	mine := git.Files{WorkTree: l.repo.Top, Index: l.scratch.IndexFile("shared")}
	if err := l.scratch.ReadTree(ctx, mine, head); err != nil {
		return "", err
	}
	if len(paths) > 0 {
		if err := l.scratch.Stage(ctx, mine, paths); err != nil {
			return "", err
		}
	}
	return l.scratch.WriteTree(ctx, mine)
}

// record remembers the files of a phase for the commit at the end.
func (l *Line) record(paths []string) error {
	known, err := l.recorded()
	if err != nil {
		return err
	}
	paths = append(known, paths...)
	slices.Sort(paths)
	return l.scratch.Write("files", git.JoinNUL(slices.Compact(paths)))
}

// maxRecorded bounds the list of files that phases changed, in bytes.
const maxRecorded = 256 << 20

func (l *Line) recorded() ([]string, error) {
	data, err := safefile.ReadPlain(l.scratch.Path("files"), maxRecorded)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, git.Unusable("git's directory cannot be read", err)
	}
	return git.SplitNUL(data), nil
}

// CommitRecorded commits all files that CommitPaths has recorded, those of earlier starts of the
// run included.
func (l *Line) CommitRecorded(ctx context.Context, message string) (string, error) {
	paths, err := l.recorded()
	if err != nil {
		return "", err
	}
	return l.commitFiles(ctx, paths, compose(message, trail{}, l.opt.RunID), nil)
}

// CommitsInPlace lists the commits of phases on the user's branch, oldest first.
func (l *Line) CommitsInPlace(ctx context.Context) ([]Commit, error) {
	_, head, err := l.repo.ReadHead(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := l.log(ctx, l.base, head)
	return phaseCommits(entries), err
}

// EditsInPlace gives what paths of the checkout differ in from its commit.
func (l *Line) EditsInPlace(ctx context.Context, paths []string) ([]git.Edit, error) {
	_, head, err := l.repo.ReadHead(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := l.treeWith(ctx, head, paths)
	if err != nil {
		return nil, err
	}
	return l.scratch.Edits(ctx, head, tree)
}
