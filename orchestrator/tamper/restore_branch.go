package tamper

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// restoreBranch puts the branch of the checkout back where it points to no commit, or is gone, and
// a run was begun on it: to where git's log of the branch saw it last, else to where the newest run
// left it. It returns a note, or nothing where there is nothing to restore.
func restoreBranch(ctx context.Context, r *git.Repository) (string, error) {
	if r.Head != "" || r.Branch == "" {
		return "", nil
	}
	runs := runsOn(r, r.Branch)
	if len(runs) == 0 {
		return "", nil
	}
	was, _ := r.RevParse(ctx, r.Branch) // a value that cannot be read is none
	for _, id := range witnesses(ctx, r, runs) {
		if id == was || !r.HasCommit(ctx, id) {
			continue
		}
		err := r.UpdateRefs(ctx, "put back", git.RefUpdate{Ref: r.Branch, New: id})
		if err != nil { // the file there is no ref that git could move
			path := filepath.Join(r.CommonDir, filepath.FromSlash(r.Branch))
			if err = safefile.ReplaceAny(path, []byte(id+"\n")); err != nil {
				return "", git.Unusable("git's directory cannot be written", err)
			}
		}
		r.Head = id
		if was == "" {
			return fmt.Sprintf("%s was gone, or was no ref; put back to %s", git.ShortRef(r.Branch),
				id), nil
		}
		return fmt.Sprintf("%s pointed to %s, which is no commit; put back to %s",
			git.ShortRef(r.Branch), was, id), nil
	}
	return "", nil
}

// runsOn are the runs that were begun on a branch, the newest first.
func runsOn(r *git.Repository, branch string) []string {
	files, err := r.ScratchFiles("branch")
	if err != nil {
		return nil
	}
	var runs []string
	for _, file := range files {
		if home, err := safefile.ReadPlain(file, safefile.Small); err == nil &&
			string(home) == branch {
			runs = append(runs, filepath.Base(filepath.Dir(file)))
		}
	}
	slices.Sort(runs)
	slices.Reverse(runs)
	return runs
}

// witnesses are the commits at which a branch was seen: by git's own log of it, then by runs.
func witnesses(ctx context.Context, r *git.Repository, runs []string) []string {
	var ids []string
	last := lastLine(filepath.Join(r.CommonDir, "logs", filepath.FromSlash(r.Branch)))
	if f := strings.Fields(last); len(f) > 1 {
		ids = append(ids, f[1])
	}
	for _, run := range runs {
		refs, err := r.Refs(ctx, "refs/autobuild/"+run+"/")
		if err != nil {
			return ids
		}
		for _, name := range []string{"head", "delivered", "base"} {
			if id := refs["refs/autobuild/"+run+"/"+name]; id != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
