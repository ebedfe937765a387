package git

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
	"autobuild/internal/safefile"
)

// Repository is a git repository, seen from one of its checkouts. Its methods may be called from
// any number of goroutines.
type Repository struct {
	Top       string // the checkout's root
	GitDir    string // this checkout's own git directory
	CommonDir string // shared by all checkouts of the repository; a repository's lock belongs here
	Branch    string // full ref name; empty when HEAD is detached
	Head      string // commit; empty before the first one

	program program

	reading   sync.Once
	revisions *objectReader // of the real git directory; see resolve

	moving   sync.Mutex  // held while refs are updated
	unsynced atomic.Bool // something was written that the next UpdateRefs has to flush
}

// Find looks for the repository that holds dir; environ is the environment in which git runs. Its
// errors are ErrNoRepository, where there is none, and an *UnusableError. A repository that git
// does not accept is both.
func Find(
	ctx context.Context, run *proc.Runner, environ []string, dir string,
) (*Repository, error) {
	r := &Repository{program: newProgram(run, environ)}
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
		return nil, &UnusableError{
			What: "no checkout, only a bare repository or a git directory", Where: dir,
			Next: "start autobuild in a clone or a worktree of it",
		}
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
func (r *Repository) version(ctx context.Context, dir string) error {
	out, _, err := r.program.do(ctx, command{dir: dir, args: []string{"version"}})
	if failed, ok := errors.AsType[*ExitError](err); ok {
		return &UnusableError{
			What: "git does not work: " + failed.Error(),
			Next: "mend what it names, or install git 2.38 or newer",
		}
	}
	if err != nil {
		return err
	}
	major, minor, known := parseVersion(word(out))
	if known && (major < 2 || major == 2 && minor < 38) {
		return &UnusableError{
			What: fmt.Sprintf("git %d.%d is too old", major, minor),
			Next: "install git 2.38 or newer",
		}
	}
	return nil
}

// Version is git's own, as it names it.
func (r *Repository) Version(ctx context.Context) (string, error) {
	out, _, err := r.program.do(ctx, command{dir: r.Top, args: []string{"version"}})
	return strings.TrimPrefix(word(out), "git version "), err
}

// parseVersion reads what git version prints.
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

// discover asks git about dir before the repository is known.
func (r *Repository) discover(ctx context.Context, dir string, args ...string) (string, error) {
	out, _, err := r.program.do(ctx,
		command{dir: dir, args: append([]string{"rev-parse"}, args...)})
	if err == nil {
		return word(out), nil
	}
	failed, ok := errors.AsType[*ExitError](err)
	switch {
	case !ok:
		return "", err
	case strings.Contains(failed.Tail, "dubious ownership"):
		return "", &UnusableError{
			What: "the repository belongs to another user, so git refuses it", Where: dir,
			Next: "if you trust it: git config --global --add safe.directory DIR, with the " +
				"repository's root as DIR",
		}
	case strings.Contains(failed.Tail, "not a git repository"):
		return "", notTaken(dir, failed.Tail)
	}
	return "", &UnusableError{
		What: "git cannot read the repository: " + Summary(failed.Tail), Where: dir,
		Next: "git status there shows the same",
	}
}

// ReadHead reads HEAD of the checkout: the full name of its branch, empty when HEAD is detached,
// and its commit, empty before the first one.
func (r *Repository) ReadHead(ctx context.Context) (branch, commit string, err error) {
	data, err := safefile.Read(filepath.Join(r.GitDir, "HEAD"), safefile.Small)
	named, symbolic := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: ")
	switch {
	case err == nil && symbolic && named != "refs/heads/.invalid":
		branch = named
	case err != nil ||
		commitID(strings.TrimSpace(string(data))) == "": // git may keep its refs in another way
		out, code, failed := r.real(ctx, nil, []int{1}, "symbolic-ref", "-q", "HEAD")
		if failed != nil {
			return "", "", failed
		}
		if code == 0 {
			branch = word(out)
		}
	}
	found, err := r.resolve(ctx, "HEAD^{commit}")
	if err != nil {
		return "", "", err
	}
	return branch, found[0], nil
}

// resolve gives the objects to which revisions lead, all by one process that stays. Where there is
// none, it is empty.
func (r *Repository) resolve(ctx context.Context, revisions ...string) ([]string, error) {
	r.reading.Do(func() {
		c := command{
			dir: r.Top, args: gitDirArgs(r.GitDir, "cat-file", "--batch-command"),
			env: map[string]string{"GIT_WORK_TREE": r.Top},
		}
		r.revisions = &objectReader{git: coprocess{program: r.program, command: c}, guard: r.guard}
	})
	found, err := r.revisions.read(ctx, revisions, false)
	ids := make([]string, len(found))
	for i, o := range found {
		ids[i] = o.id
	}
	return ids, err
}

// guard runs a call on the real git directory, if that can be read.
func (r *Repository) guard(do func() ([]byte, int, error)) ([]byte, int, error) {
	if err := r.readable(); err != nil {
		return nil, 0, err
	}
	return do()
}

// real runs a command on the checkout's real git directory, where refs live.
func (r *Repository) real(
	ctx context.Context, stdin []byte, ok []int, args ...string,
) ([]byte, int, error) {
	return r.guard(func() ([]byte, int, error) {
		return r.program.do(ctx, command{
			dir: r.Top, args: gitDirArgs(r.GitDir, args...), stdin: stdin, ok: ok,
			env: map[string]string{"GIT_WORK_TREE": r.Top},
		})
	})
}

// readable refuses a named pipe or a directory in the place of a file that each call reads: git
// would wait for a pipe until its deadline.
func (r *Repository) readable() error {
	if err := unpiped(r.program.environ); err != nil {
		return err
	}
	return regular(
		filepath.Join(r.GitDir, "HEAD"), filepath.Join(r.GitDir, "index"),
		filepath.Join(r.CommonDir, "config"), filepath.Join(r.CommonDir, "packed-refs"),
	)
}

// user runs a command with the user's own settings, without pinnedSettings.
func (r *Repository) user(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := r.program.do(ctx,
		command{dir: r.Top, args: append([]string{"--git-dir=" + r.GitDir}, args...)})
	return out, err
}

// Config reads the user's configuration, included files and all.
func (r *Repository) Config(ctx context.Context) (Config, error) {
	out, err := r.user(ctx, "config", "--list", "-z", "--includes")
	if err != nil {
		return nil, err
	}
	return parseSettings(SplitNUL(out)), nil
}

// Bare is a bare repository at dir, which works beside the same checkout.
func (r *Repository) Bare(dir string) *Repository {
	return &Repository{Top: r.Top, GitDir: dir, CommonDir: dir, program: r.program}
}

// Variable is a variable of the environment in which git runs.
func (r *Repository) Variable(name string) (value string, ok bool) {
	return lookup(r.program.environ, name)
}

// Children is proc.Runner.Children of the children that the run's own runner has started.
func (r *Repository) Children() (started uint64, none bool) { return r.program.run.Children() }
