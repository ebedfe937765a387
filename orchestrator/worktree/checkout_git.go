package worktree

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// cloneFiles are the files of a git directory that borrows the repository's objects. Tools that ask
// git about the project get the answers of an ordinary clone; their writes there have no effect
// elsewhere.
func (l *Line) cloneFiles(ctx context.Context) (map[string]string, error) {
	refs, err := l.repo.Refs(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return nil, err
	}
	var packed strings.Builder
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if !strings.HasPrefix(ref, "refs/heads/autobuild/") {
			packed.WriteString(refs[ref] + " " + ref + "\n")
		}
	}
	files := map[string]string{
		"config":      l.scratch.CloneConfig(),
		"packed-refs": packed.String(),
		"objects/info/alternates": filepath.ToSlash(l.scratch.Objects) + "\n" +
			filepath.ToSlash(filepath.Join(l.repo.CommonDir, "objects")) + "\n",
	}
	if l.scratch.Shallow != "" {
		files["shallow"], err = readText(l.scratch.Shallow)
	}
	return files, err
}

// makeGitDir replaces the checkout's git directory: writes of the last gates there must not reach
// the next.
func (c *Checkout) makeGitDir() error {
	dir := filepath.Join(c.Dir, ".git")
	if err := safefile.RemoveAll(dir); err != nil {
		return err
	}
	return git.WriteCloneDir(dir, c.git)
}

func readText(path string) (string, error) {
	data, err := safefile.Read(path, safefile.Small)
	if err != nil {
		return "", git.Unusable("git's directory cannot be read", err)
	}
	return string(data), nil
}

// moveHead makes the shown tree the content of HEAD, on the branch of the user's checkout, and
// gives git an index that agrees.
func (c *Checkout) moveHead(ctx context.Context, tree string) error {
	if err := c.makeGitDir(); err != nil {
		return err
	}
	commit, err := c.line.scratch.CommitUnsigned(ctx, tree, c.line.base)
	if err != nil {
		return err
	}
	if err := c.pointHead(commit); err != nil {
		return err
	}
	return git.CopyIndex(c.index(), filepath.Join(c.Dir, ".git", "index"))
}

// pointHead makes the branch of the user's checkout, or a detached HEAD, a commit.
func (c *Checkout) pointHead(commit string) error {
	dir := filepath.Join(c.Dir, ".git")
	head := commit + "\n"
	if name, ok := strings.CutPrefix(c.line.checkout.Branch, "refs/heads/"); ok {
		ref := filepath.Join(dir, "refs", "heads", filepath.FromSlash(name))
		head = "ref: " + c.line.checkout.Branch + "\n"
		if err := os.MkdirAll(filepath.Dir(ref), 0o755); err != nil {
			return git.Unusable("a checkout for the referee cannot be written", err)
		}
		if err := safefile.Write(ref, []byte(commit+"\n"), 0o600); err != nil {
			return git.Unusable("a checkout for the referee cannot be written", err)
		}
	}
	if err := safefile.Write(filepath.Join(dir, "HEAD"), []byte(head), 0o600); err != nil {
		return git.Unusable("a checkout for the referee cannot be written", err)
	}
	return nil
}
