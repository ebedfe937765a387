package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// Find looks for the repository that holds dir. It gives ErrNoRepository where there is none, and an *UnusableError where there
// is one that cannot be worked with. One that git does not even take for a repository is both.
func Find(ctx context.Context, run *proc.Runner, environ []string, dir string) (*Repo, error) {
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
	if r.Branch, r.Head, err = r.head(ctx); err != nil {
		return nil, err
	}
	if err = r.tracked(ctx); err != nil {
		return nil, err
	}
	return r, nil
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
	case strings.Contains(failed.tail, "dubious ownership"):
		return "", &UnusableError{
			What: "the repository belongs to another user, so git refuses it", Where: dir,
			Next: "if you trust it: git config --global --add safe.directory DIR, with the repository's root as DIR",
		}
	case strings.Contains(failed.tail, "not a git repository"):
		return "", notTaken(dir, failed.tail)
	}
	return "", &UnusableError{What: "git cannot read the repository: " + lastLines(failed.tail), Where: dir, Next: "git status there shows the same"}
}

// head tells where the checkout is now.
func (r *Repo) head(ctx context.Context) (branch, commit string, err error) {
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

// tracked refuses a repository that carries .autobuild in its history: every worktree would start with stale state.
func (r *Repo) tracked(ctx context.Context) error {
	out, _, err := r.real(ctx, nil, nil, "ls-files", "-z", "--", ".autobuild")
	if err != nil {
		return err
	}
	if len(out) > 0 {
		return &UnusableError{
			What: ".autobuild is tracked by git", Where: r.Top,
			Next: "untrack it (the files stay): git rm -r -q --cached .autobuild && git commit -m 'untrack .autobuild'",
		}
	}
	if r.Head == "" {
		return nil
	}
	if out, _, err = r.real(ctx, nil, nil, "ls-tree", "-z", r.Head, "--", ".autobuild"); err != nil {
		return err
	}
	if len(out) > 0 {
		return &UnusableError{
			What: ".autobuild is in the last commit, although no longer in the index", Where: r.Top,
			Next: "commit its removal: git commit -m 'untrack .autobuild'",
		}
	}
	return nil
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

// refs lists the refs below the given prefixes, by full name.
func (r *Repo) refs(ctx context.Context, prefixes ...string) (map[string]string, error) {
	refs, _, err := r.refsAndBranch(ctx, prefixes...)
	return refs, err
}

// refsAndBranch is refs, and says which of them is checked out; empty: none of them.
func (r *Repo) refsAndBranch(ctx context.Context, prefixes ...string) (refs map[string]string, branch string, err error) {
	out, _, err := r.real(ctx, nil, nil, append([]string{"for-each-ref", "--format=%(HEAD)%(objectname) %(refname)"}, prefixes...)...)
	if err != nil {
		return nil, "", err
	}
	refs = map[string]string{}
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line[1:], "\n"), " ")
		if !ok {
			continue
		}
		refs[name] = id
		if line[0] == '*' {
			branch = name
		}
	}
	return refs, branch, nil
}

// move is one step of a change of refs: to an empty value means to delete; an empty from means whatever there was.
type move struct {
	ref, to, from string
	create        bool // the ref must not exist
}

// moveRefs makes all the moves or none. What they vouch for is on the disk before: a commit, the files of a worktree. Git syncs a ref as it
// moves it, and with it the names of all that was written before, but not the content.
func (r *Repo) moveRefs(ctx context.Context, why string, moves ...move) error {
	if len(moves) == 0 {
		return nil
	}
	if r.unsynced.Swap(false) {
		if err := flush(r.CommonDir); err != nil {
			r.unsynced.Store(true)
			return err
		}
	}
	var b strings.Builder
	for _, m := range moves {
		switch {
		case m.to == "":
			fmt.Fprintf(&b, "delete %s\x00%s\x00", m.ref, m.from)
		case m.create:
			fmt.Fprintf(&b, "create %s\x00%s\x00", m.ref, m.to)
		default:
			fmt.Fprintf(&b, "update %s\x00%s\x00%s\x00", m.ref, m.to, m.from)
		}
	}
	_, _, err := r.real(ctx, []byte(b.String()), nil, "update-ref", "-m", "autobuild: "+why, "--stdin", "-z")
	if failed, ok := errors.AsType[*gitError](err); ok && failed.how != "" {
		for _, m := range moves {
			unlock(r.CommonDir, m.ref)
		}
	}
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.moved == nil {
			r.moved = map[string]string{}
		}
		for _, m := range moves {
			r.moved[m.ref] = m.to
		}
	}
	return err
}

// ours are the refs that this process has moved, each with where it left it.
func (r *Repo) ours() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.moved)
}

// commit gives the commit that a ref points at.
func (r *Repo) commit(ctx context.Context, ref string) (string, error) {
	out, _, err := r.real(ctx, nil, nil, "rev-parse", "-q", "--verify", ref+"^{commit}")
	return word(out), err
}
