package worktree

import (
	"context"
	"path/filepath"
)

// Tracks reports whether git looks after something at or below a path of the user's checkout: it is in the checkout's index, or in what
// has landed. A path outside of the checkout is in neither.
func (l *Line) Tracks(ctx context.Context, path string) (bool, error) {
	rel, err := filepath.Rel(l.repo.Top, path)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return false, nil //nolint:nilerr // another volume
	}
	give, err := take(ctx, l.hands)
	if err != nil {
		return false, err
	}
	defer give()
	name := filepath.ToSlash(rel)
	out, _, err := l.desk.do(ctx, on{}, nil, nil, "ls-tree", "-z", "--name-only", l.tip, "--", name)
	if err != nil || len(out) > 0 {
		return len(out) > 0, err
	}
	o := on{tree: l.repo.Top, index: filepath.Join(l.repo.GitDir, "index")}
	out, _, err = l.desk.do(ctx, o, nil, nil, "ls-files", "-z", "--", ":(literal)"+name)
	return len(out) > 0, err
}

// Mentions reports whether a file of the line's tip holds a word.
func (l *Line) Mentions(ctx context.Context, word string) (bool, error) {
	give, err := take(ctx, l.hands)
	if err != nil {
		return false, err
	}
	defer give()
	_, code, err := l.desk.do(ctx, on{}, nil, []int{1}, "grep", "--quiet", "--fixed-strings", "-e", word, l.tip)
	return code == 0, err
}
