package worktree

import (
	"context"
	"path/filepath"
	"strings"

	"autobuild/orchestrator/git"
)

// Tracks reports whether git looks after something at or below a path of the user's checkout: it is
// in the checkout's index, or in what has landed. A path outside of the checkout is in neither.
func (l *Line) Tracks(ctx context.Context, path string) (bool, error) {
	rel, err := filepath.Rel(l.repo.Top, path)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return false, nil //nolint:nilerr // another volume
	}
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return false, err
	}
	defer release()
	name := filepath.ToSlash(rel)
	_, landed, err := l.scratch.Entry(ctx, l.tip, name)
	if err != nil || landed {
		return landed, err
	}
	o := git.Files{WorkTree: l.repo.Top, Index: filepath.Join(l.repo.GitDir, "index")}
	indexed, err := l.scratch.LsFiles(ctx, o, "--", ":(literal)"+name)
	return len(indexed) > 0, err
}

// Mentions reports whether a file of the line's tip holds a word.
func (l *Line) Mentions(ctx context.Context, word string) (bool, error) {
	release, err := take(ctx, l.refsLock)
	if err != nil {
		return false, err
	}
	defer release()
	return l.scratch.Holds(ctx, l.tip, []string{"--fixed-strings", "-e", word})
}

// Ignored are the ignored untracked paths of the user's checkout. A folder stands for its content.
func (l *Line) Ignored(ctx context.Context) ([]string, error) {
	o := git.Files{WorkTree: l.repo.Top, Index: filepath.Join(l.repo.GitDir, "index")}
	paths, err := l.scratch.LsFiles(ctx, o, "-o", "-i", "--directory", "--exclude-standard")
	for i := range paths {
		paths[i] = strings.TrimSuffix(paths[i], "/")
	}
	return paths, err
}
