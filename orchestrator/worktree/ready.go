package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// Find looks for the repository that holds dir, and refuses one that carries .autobuild in its
// history. Its errors are those of git.Find.
func Find(
	ctx context.Context, run *proc.Runner, environ []string, dir string,
) (*git.Repository, error) {
	r, err := git.Find(ctx, run, environ, dir)
	if err == nil {
		err = refuseTracked(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// refuseTracked refuses a repository that carries .autobuild in its history: every worktree would
// start with stale state.
func refuseTracked(ctx context.Context, r *git.Repository) error {
	indexed, committed, err := r.Tracks(ctx, ".autobuild")
	if err != nil {
		return err
	}
	if indexed {
		return &git.UnusableError{
			What: ".autobuild is tracked by git", Where: r.Top,
			Next: "untrack it (the files stay): git rm -r -q --cached .autobuild && git commit " +
				"-m 'untrack .autobuild'",
		}
	}
	if committed {
		return &git.UnusableError{
			What: ".autobuild is in the last commit, although no longer in the index", Where: r.Top,
			Next: "commit its removal: git commit -m 'untrack .autobuild'",
		}
	}
	return nil
}

// headless names the reason why the checkout is at no commit, and the next step; nil where it is.
func headless(ctx context.Context, r *git.Repository) *git.UnusableError {
	const seek = "; git reflog and git fsck --lost-found name commits that are there"
	id, _ := r.RevParse(ctx, cmp.Or(r.Branch, "HEAD")) // as above
	switch {
	case r.Head != "":
		return nil
	case id != "" && r.Branch != "":
		return &git.UnusableError{
			What: fmt.Sprintf("the branch %s points to %s, which is no commit that is there",
				git.ShortRef(r.Branch), id),
			Where: r.Top, Next: "put it back: git update-ref " + r.Branch + " COMMIT" + seek,
		}
	case id != "":
		return &git.UnusableError{
			What: "HEAD names " + id + ", which is no commit that is there", Where: r.Top,
			Next: "switch to a branch: git switch BRANCH" + seek,
		}
	}
	refs, err := r.Refs(ctx, "refs/heads/")
	for ref := range refs {
		if git.OwnRef(ref) {
			delete(refs, ref)
		}
	}
	if err == nil && len(refs) > 0 {
		names := make([]string, 0, len(refs))
		for ref := range refs {
			names = append(names, git.ShortRef(ref))
		}
		slices.Sort(names)
		return &git.UnusableError{
			What:  "the branch " + git.ShortRef(r.Branch) + " has no commit, others have",
			Where: r.Top,
			Next: "switch to one of them, for example: git switch " + names[0] +
				"; or commit what is to be its beginning",
		}
	}
	return &git.UnusableError{
		What: "the repository has no commit yet", Where: r.Top,
		Next: "make a first one: git commit --allow-empty -m 'first commit'",
	}
}

// ready says what the user must do before a run can begin.
func ready(ctx context.Context, r *git.Repository, o Options) error {
	if r.Head == "" {
		return headless(ctx, r)
	}
	if err := CheckName("run id", o.RunID); err != nil {
		return err
	}
	switch o.Mode {
	case Auto, Single, MessageOnly:
	default:
		return &git.UnusableError{
			What: "no such commit mode", Where: o.Mode,
			Next: "use auto, single or message-only",
		}
	}
	for _, dir := range []string{o.StateDir, o.worktrees()} {
		if safefile.Exists(dir) && !safefile.IsDir(dir) {
			return &git.UnusableError{
				What: "the state directory is a link or a file, not a directory", Where: dir,
				Next: "move it away",
			}
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return git.Unusable("the state directory cannot be made", err)
		}
	}
	return nil
}

// exclude keeps .autobuild out of git without touching the user's .gitignore.
func exclude(commonDir string) error {
	path := filepath.Join(commonDir, "info", "exclude")
	data, err := safefile.Read(path, safefile.Small)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return git.Unusable("git's exclude file cannot be read", err)
	}
	for line := range strings.Lines(string(data)) {
		if t := strings.TrimSpace(line); t == ".autobuild/" || t == "/.autobuild/" {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return git.Unusable("git's exclude file cannot be written", err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	if err := safefile.Replace(path, append(data, ".autobuild/\n"...), 0o644); err != nil {
		return git.Unusable("git's exclude file cannot be written", err)
	}
	return nil
}
