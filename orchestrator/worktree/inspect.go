package worktree

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git"
)

// Checkup is the information about a repository that a user needs before a run. Inspect changes
// nothing.
type Checkup struct {
	Version    string
	Branch     string             // short; empty when HEAD is detached
	Headless   *git.UnusableError // why the checkout is at no commit, and what to do; nil: it is
	Dirty      int                // paths that differ from HEAD in the checkout, untracked ones included
	Author     string             // "Name <mail>"; empty where git knows neither
	Signed     bool               // commits are to be signed
	Unsigned   string             // … and why that fails unattended; empty when it works
	Hooks      []string           // the user's commit hooks
	Submodules []string           // their paths
	LFS        bool               // git-lfs filters are configured
	Left       []string           // branches of earlier runs that still hold something
	// an index.lock that may be stale; empty where there is none
	StaleLock string
}

// Inspect looks at the repository as a run would find it. Its error is git's own trouble.
func Inspect(ctx context.Context, r *git.Repository) (Checkup, error) {
	c := Checkup{Branch: strings.TrimPrefix(r.Branch, "refs/heads/"), Headless: headless(ctx, r)}
	var err error
	if c.Version, err = r.Version(ctx); err != nil {
		return c, err
	}
	settings, err := r.Config(ctx)
	if err != nil {
		return c, err
	}
	c.author(settings, r)
	c.LFS = settings.Get("filter.lfs.process") != "" || settings.Get("filter.lfs.clean") != ""
	if c.Signed = settings.Is("commit.gpgsign"); c.Signed && c.Headless == nil {
		if failed := r.TrySigning(ctx); failed != nil {
			c.Unsigned = failed.Error()
		}
	}
	if c.Dirty, err = r.Dirty(ctx); err != nil {
		return c, err
	}
	if c.Hooks, err = r.CommitHooks(ctx); err != nil {
		return c, err
	}
	if lock := filepath.Join(r.GitDir, "index.lock"); safefile.Exists(lock) {
		c.StaleLock = lock
	}
	err = leftovers(ctx, r, &c)
	return c, err
}

// author is whom commits will name.
func (c *Checkup) author(settings git.Config, r *git.Repository) {
	name, mail := settings.Get("user.name"), settings.Get("user.email")
	if v, ok := r.Variable("GIT_AUTHOR_NAME"); ok {
		name = v
	}
	if v, ok := r.Variable("GIT_AUTHOR_EMAIL"); ok {
		mail = v
	}
	if name != "" && mail != "" {
		c.Author = name + " <" + mail + ">"
	}
}

// leftovers finds submodules, and branches of runs.
func leftovers(ctx context.Context, r *git.Repository, c *Checkup) error {
	var err error
	if c.Submodules, err = r.Submodules(ctx); err != nil {
		return err
	}
	if r.Head == "" {
		return nil
	}
	refs, err := r.Refs(ctx, "--no-merged=HEAD", "refs/heads/autobuild/")
	if err != nil {
		return err
	}
	for ref := range refs {
		c.Left = append(c.Left, strings.TrimPrefix(ref, "refs/heads/"))
	}
	slices.Sort(c.Left)
	return nil
}
