package worktree

import (
	"context"
	"path/filepath"
	"strings"

	"autobuild/orchestrator/git"
)

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
