package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"autobuild/internal/proc"
)

// Repo is a git repository as it was found, seen from one of its checkouts.
type Repo struct {
	Top       string // the checkout's root
	GitDir    string // this checkout's own git directory
	CommonDir string // what all checkouts of the repository share; a repository's lock belongs here
	Branch    string // full ref name; empty when HEAD is detached
	Head      string // commit; empty before the first one

	git git

	mu    sync.Mutex
	moved map[string]string // ref → where a run has put it in this process; empty: deleted

	unsynced atomic.Bool // something was written that the next change of refs vouches for
	pins     pinned
}

// findRepo looks for the repository that holds dir. It gives ErrNoRepository where there is none, and an *UnusableError where there
// is one that cannot be worked with. One that git does not even take for a repository is both.
func findRepo(ctx context.Context, run *proc.Runner, environ []string, dir string) (*Repo, error) {
	r := &Repo{git: newGit(run, environ)}
	if err := discoverable(dir, environ); err != nil {
		return nil, err
	}
	if err := r.version(ctx, dir); err != nil {
		return nil, err
	}
	bare, err := r.discover(ctx, dir, "--is-bare-repository")
	if err != nil {
		return nil, err
	}
	inside, err := r.discover(ctx, dir, "--is-inside-work-tree")
	if err != nil {
		return nil, err
	}
	if bare == "true" || inside != "true" {
		return nil, &UnusableError{What: "no checkout, only a bare repository or a git directory", Where: dir, Next: "start autobuild in a clone or a worktree of it"}
	}
	for _, q := range []struct {
		to   *string
		args []string
	}{
		{&r.Top, []string{"--show-toplevel"}},
		{&r.GitDir, []string{"--absolute-git-dir"}},
		{&r.CommonDir, []string{"--path-format=absolute", "--git-common-dir"}},
	} {
		if *q.to, err = r.discover(ctx, dir, q.args...); err != nil {
			return nil, err
		}
		*q.to = filepath.FromSlash(*q.to)
	}
	r.Branch, r.Head, err = r.ReadHead(ctx)
	return r, err
}

// version refuses a git that cannot merge without a working tree.
func (r *Repo) version(ctx context.Context, dir string) error {
	out, _, err := r.git.do(ctx, call{dir: dir, args: []string{"version"}})
	if failed, ok := errors.AsType[*gitError](err); ok {
		return &UnusableError{What: "git does not work: " + failed.Error(), Next: "mend what it names, or install git 2.38 or newer"}
	}
	if err != nil {
		return err
	}
	major, minor, known := parseVersion(word(out))
	if known && (major < 2 || major == 2 && minor < 38) {
		return &UnusableError{What: fmt.Sprintf("git %d.%d is too old", major, minor), Next: "install git 2.38 or newer"}
	}
	return nil
}

// Version is git's own, as it names it.
func (r *Repo) Version(ctx context.Context) (string, error) {
	out, _, err := r.git.do(ctx, call{dir: r.Top, args: []string{"version"}})
	return strings.TrimPrefix(word(out), "git version "), err
}

func parseVersion(s string) (major, minor int, known bool) {
	s, ok := strings.CutPrefix(s, "git version ")
	parts := strings.SplitN(s, ".", 3)
	if !ok || len(parts) < 2 {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return major, minor, err1 == nil && err2 == nil
}

func (r *Repo) discover(ctx context.Context, dir string, args ...string) (string, error) {
	out, _, err := r.git.do(ctx, call{dir: dir, args: append([]string{"rev-parse"}, args...)})
	if err == nil {
		return word(out), nil
	}
	failed, ok := errors.AsType[*gitError](err)
	switch {
	case !ok:
		return "", err
	case strings.Contains(failed.Tail, "dubious ownership"):
		return "", &UnusableError{
			What: "the repository belongs to another user, so git refuses it", Where: dir,
			Next: "if you trust it: git config --global --add safe.directory DIR, with the repository's root as DIR",
		}
	case strings.Contains(failed.Tail, "not a git repository"):
		return "", notTaken(dir, failed.Tail)
	}
	return "", &UnusableError{What: "git cannot read the repository: " + Summary(failed.Tail), Where: dir, Next: "git status there shows the same"}
}

// ReadHead gives the branch of the checkout, empty when HEAD is detached, and its commit, empty
// before the first one.
func (r *Repo) ReadHead(ctx context.Context) (branch, commit string, err error) {
	out, code, err := r.real(ctx, nil, []int{1}, "symbolic-ref", "-q", "HEAD")
	if err != nil {
		return "", "", err
	}
	if code == 0 {
		branch = word(out)
	}
	out, code, err = r.real(ctx, nil, []int{1}, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", "", err
	}
	if code == 0 {
		commit = word(out)
	}
	return branch, commit, nil
}

// real runs a command on the checkout's real git directory, where refs live.
func (r *Repo) real(ctx context.Context, stdin []byte, ok []int, args ...string) ([]byte, int, error) {
	return r.pins.guard(func() ([]byte, int, error) {
		if err := r.readable(); err != nil {
			return nil, 0, err
		}
		return r.git.do(ctx, call{
			dir: r.Top, args: at(r.GitDir, args...), stdin: stdin, ok: ok, env: map[string]string{"GIT_WORK_TREE": r.Top},
		})
	})
}

// readable refuses what a git would wait for until its deadline: a pipe, say, where one of the files lies that each call reads.
func (r *Repo) readable() error {
	if err := unpiped(r.git.environ); err != nil {
		return err
	}
	return regular(filepath.Join(r.GitDir, "HEAD"), filepath.Join(r.GitDir, "index"), filepath.Join(r.CommonDir, "config"), filepath.Join(r.CommonDir, "packed-refs"))
}

// user runs a command with the user's own settings, without those of every other call.
func (r *Repo) user(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := r.git.do(ctx, call{dir: r.Top, args: append([]string{"--git-dir=" + r.GitDir}, args...)})
	return out, err
}

// Config is the user's configuration.
func (r *Repo) Config(ctx context.Context) (config, error) {
	out, err := r.user(ctx, "config", "--list", "-z", "--includes")
	if err != nil {
		return nil, err
	}
	return parseSettings(SplitNUL(out)), nil
}

// Variable gives a variable of the environment in which git runs.
func (r *Repo) Variable(name string) (value string, ok bool) { return lookup(r.git.environ, name) }

// HooksDir is the directory in which git looks for the user's hooks.
func (r *Repo) HooksDir(ctx context.Context) (string, error) {
	out, err := r.user(ctx, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", err
	}
	dir := word(out)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Top, dir)
	}
	return dir, nil
}

// TrySigning signs a commit that no ref leads to, as the user's configuration says.
func (r *Repo) TrySigning(ctx context.Context) error {
	_, err := r.user(ctx, "commit-tree", "-S", "-m", "a test of the signature", r.Head+"^{tree}")
	return err
}

// Dirty counts the paths that differ from HEAD in the checkout, untracked ones included.
func (r *Repo) Dirty(ctx context.Context) (int, error) {
	out, _, err := r.real(ctx, nil, nil, "status", "--porcelain", "-z")
	return len(SplitNUL(out)), err
}

// Submodules lists the paths of the checkout's submodules.
func (r *Repo) Submodules(ctx context.Context) ([]string, error) {
	out, _, err := r.real(ctx, nil, nil, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, entry := range SplitNUL(out) {
		if rest, ok := strings.CutPrefix(entry, gitlink+" "); ok {
			_, path, _ := strings.Cut(rest, "\t")
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// RevParse is the value of a ref, whether an object of that name is there or not.
func (r *Repo) RevParse(ctx context.Context, ref string) (string, error) {
	out, _, err := r.real(ctx, nil, nil, "rev-parse", "-q", "--verify", ref)
	return word(out), err
}

// CommitOf gives the commit that a ref points at.
func (r *Repo) CommitOf(ctx context.Context, ref string) (string, error) {
	return r.RevParse(ctx, ref+"^{commit}")
}

// HasCommit reports whether a commit is among the objects.
func (r *Repo) HasCommit(ctx context.Context, id string) bool {
	_, _, err := r.real(ctx, nil, nil, "cat-file", "-e", id+"^{commit}")
	return err == nil
}

// BlobAt reads a file of a commit; found is false where the commit or the file is missing.
func (r *Repo) BlobAt(ctx context.Context, commit, path string) (content []byte, found bool, err error) {
	out, code, err := r.real(ctx, nil, []int{128}, "cat-file", "blob", commit+":"+path)
	return out, err == nil && code == 0, err
}

// Log lists the commits from one to another along first parents, oldest first, the first left out.
func (r *Repo) Log(ctx context.Context, from, to string) ([]logged, error) {
	out, _, err := r.real(ctx, nil, nil, logArgs("--reverse", from+".."+to, nil)...)
	return parseLog(out), err
}

// AddWorktree makes a locked worktree without files at dir, on a new branch at a commit. The branch
// is a full ref name.
func (r *Repo) AddWorktree(ctx context.Context, dir, branch, commit, reason string) error {
	_, _, err := r.real(ctx, nil, nil, "worktree", "add", "-q", "--no-checkout", "--lock", "--reason", reason,
		"-b", strings.TrimPrefix(branch, "refs/heads/"), dir, commit)
	return err
}

// Tracks reports whether the index of the checkout, or else its commit, holds something at or below a
// path. Committed is not looked at where the index holds it.
func (r *Repo) Tracks(ctx context.Context, path string) (indexed, committed bool, err error) {
	out, _, err := r.real(ctx, nil, nil, "ls-files", "-z", "--", path)
	if err != nil || len(out) > 0 || r.Head == "" {
		return len(out) > 0, false, err
	}
	out, _, err = r.real(ctx, nil, nil, "ls-tree", "-z", r.Head, "--", path)
	return false, len(out) > 0, err
}
