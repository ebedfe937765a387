package worktree

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// Checkup is what a person should know of a repository before a run. Nothing is changed to find it out.
type Checkup struct {
	Version    string
	Branch     string   // short; empty when HEAD is detached
	Born       bool     // there is a commit
	Dirty      int      // paths that differ from HEAD in the checkout, untracked ones included
	Author     string   // "Name <mail>"; empty where git knows neither
	Signed     bool     // commits are to be signed
	Unsigned   string   // … and why that fails unattended; empty when it works
	Hooks      []string // the user's commit hooks
	Submodules []string // their paths
	LFS        bool     // git-lfs filters are configured
	Left       []string // branches of earlier runs that still hold something
	Folding    bool     // names that differ in case alone are one file
	StaleLock  string   // an index.lock that nobody may be holding any more; empty where there is none
}

// Checkup looks at the repository as a run would find it. Its error is git's own trouble.
func (r *Repo) Checkup(ctx context.Context) (Checkup, error) {
	c := Checkup{Branch: strings.TrimPrefix(r.Branch, "refs/heads/"), Born: r.Head != ""}
	out, _, err := r.git.do(ctx, call{dir: r.Top, args: []string{"version"}})
	if err != nil {
		return c, err
	}
	c.Version = strings.TrimPrefix(word(out), "git version ")
	// Without the settings that every other call gets: these are the user's.
	out, _, err = r.git.do(ctx, call{dir: r.Top, args: []string{"--git-dir=" + r.GitDir, "config", "--list", "-z", "--includes"}})
	if err != nil {
		return c, err
	}
	settings := parseSettings(fields(out))
	c.author(settings, r.git.environ)
	c.LFS = value(settings, "filter.lfs.process") != "" || value(settings, "filter.lfs.clean") != ""
	c.Folding = isTrue(value(settings, "core.ignorecase"))
	if c.Signed = isTrue(value(settings, "commit.gpgsign")); c.Signed && c.Born {
		_, _, failed := r.git.do(ctx, call{dir: r.Top, args: []string{"--git-dir=" + r.GitDir, "commit-tree", "-S", "-m", "a test of the signature", r.Head + "^{tree}"}})
		if failed != nil {
			c.Unsigned = failed.Error()
		}
	}
	if out, _, err = r.real(ctx, nil, nil, "status", "--porcelain", "-z"); err != nil {
		return c, err
	}
	c.Dirty = len(fields(out))
	if c.Hooks, err = r.CommitHooks(ctx); err != nil {
		return c, err
	}
	if lock := filepath.Join(r.GitDir, "index.lock"); exists(lock) {
		c.StaleLock = lock
	}
	err = r.leftovers(ctx, &c)
	return c, err
}

// author is whom commits will name.
func (c *Checkup) author(settings []setting, environ []string) {
	name, mail := value(settings, "user.name"), value(settings, "user.email")
	if v, ok := lookup(environ, "GIT_AUTHOR_NAME"); ok {
		name = v
	}
	if v, ok := lookup(environ, "GIT_AUTHOR_EMAIL"); ok {
		mail = v
	}
	if name != "" && mail != "" {
		c.Author = name + " <" + mail + ">"
	}
}

// leftovers finds submodules, and branches of runs.
func (r *Repo) leftovers(ctx context.Context, c *Checkup) error {
	out, _, err := r.real(ctx, nil, nil, "ls-files", "-z", "--stage")
	if err != nil {
		return err
	}
	for _, entry := range fields(out) {
		if rest, ok := strings.CutPrefix(entry, "160000 "); ok {
			_, path, _ := strings.Cut(rest, "\t")
			c.Submodules = append(c.Submodules, path)
		}
	}
	if r.Head == "" {
		return nil
	}
	refs, err := r.refs(ctx, "--no-merged=HEAD", "refs/heads/autobuild/")
	if err != nil {
		return err
	}
	for ref := range refs {
		c.Left = append(c.Left, strings.TrimPrefix(ref, "refs/heads/"))
	}
	slices.Sort(c.Left)
	return nil
}
