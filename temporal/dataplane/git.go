// Package dataplane keeps in git what does not travel through Temporal: the plan and the settings
// of a run, the work of attempts, their whole results and logs. A Mirror is a bare copy of the
// remote that all slots of a worker share; an attempt works in a clone that borrows its objects. It
// does not know Temporal, nor what a result means.
package dataplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"autobuild/internal/secret"
)

// AwayError says that the remote could not be reached, or refused to answer. Trying again may help.
type AwayError struct {
	What string // the command
	Says string
}

// Error is the command, and the end of what git said.
func (e *AwayError) Error() string { return e.What + ": " + e.Says }

// maxSaid bounds what an error repeats of git, in bytes. Its advice about a rejected push is long.
const maxSaid = 2000

// ErrMoved means that a ref on the remote is not where the push expected it.
var ErrMoved = errors.New("the ref on the remote has moved")

// Git runs git in a directory.
type Git struct {
	Dir string
	Env []string // whole environment
}

// Run runs git and returns its output without the last line end. An error has the end of what git
// said.
func (g Git) Run(ctx context.Context, args ...string) (string, error) {
	return g.RunInput(ctx, nil, args...)
}

// RunInput is Run with an input.
func (g Git) RunInput(ctx context.Context, input []byte, args ...string) (string, error) {
	git := exec.CommandContext(ctx, "git", args...)
	git.Dir, git.Env, git.Stdin = g.Dir, g.environ(), bytes.NewReader(input)
	var out, errs bytes.Buffer
	git.Stdout, git.Stderr = &out, &errs
	if err := git.Run(); err != nil {
		said := strings.TrimSpace(errs.String())
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, said[max(0, len(said)-maxSaid):])
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// remote is Run for a command that talks to the remote.
func (g Git) remote(ctx context.Context, args ...string) (string, error) {
	out, err := g.Run(ctx, args...)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case strings.Contains(err.Error(), "stale info"),
		strings.Contains(err.Error(), "[rejected]"),
		strings.Contains(err.Error(), "cannot lock ref"),
		strings.Contains(err.Error(), "failed to update ref"),
		strings.Contains(err.Error(), "[remote rejected]"):
		return "", fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return "", &AwayError{What: "git " + args[0], Says: err.Error()}
}

// environ keeps git from asking, and from finding a repository by the variables of a caller.
func (g Git) environ() []string {
	var env []string
	for _, entry := range g.Env {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY":
		default:
			env = append(env, entry)
		}
	}
	return append(env, "GIT_TERMINAL_PROMPT=0")
}

// Identity names a repository by its first commit: all of its clones have the same.
func (g Git) Identity(ctx context.Context, commit string) (string, error) {
	out, err := g.Run(ctx, "rev-list", "--max-parents=0", commit)
	if err != nil {
		return "", err
	}
	roots := strings.Fields(out)
	if len(roots) == 0 {
		return "", errors.New("the repository has no commit")
	}
	return roots[len(roots)-1][:12], nil
}

// Secret says what secret a commit adds to its parent's files; empty: none is seen.
func (g Git) Secret(ctx context.Context, commit string) (string, error) {
	added, err := g.Run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--text", "-U0",
		commit+"^", commit)
	known := secret.Values(g.Env)
	for line := range strings.Lines(added) {
		if what := secret.Holds(line, known); what != "" && line[0] == '+' {
			return what, nil
		}
	}
	return "", err
}

// Mirror is a bare copy of a remote. Its methods may be called from any number of goroutines.
type Mirror struct {
	Git

	URL string
	mu  sync.Mutex // git locks refs; two fetches of the same refs would meet
}

// OpenMirror makes the mirror of a remote in dir, or opens it.
func OpenMirror(ctx context.Context, dir, url string, env []string) (*Mirror, error) {
	m := &Mirror{Git: Git{Dir: dir, Env: env}, URL: url}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
		if _, err := m.Run(ctx, "init", "-q", "--bare"); err != nil {
			return nil, err
		}
	}
	// objects of attempts are reached by no ref of the mirror
	if _, err := m.Run(ctx, "config", "gc.auto", "0"); err != nil {
		return nil, err
	}
	_, err := m.remoteOut(ctx, "fetch", "-q", "--no-tags", url, "+HEAD:refs/remotes/head")
	return m, err
}

func (m *Mirror) remoteOut(ctx context.Context, args ...string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.remote(ctx, args...)
}

// Fetch brings commits and refs of the remote here, by their full names.
func (m *Mirror) Fetch(ctx context.Context, wanted ...string) error {
	var missing []string
	for _, w := range wanted {
		if w == "" || m.Has(ctx, w) {
			continue
		}
		missing = append(missing, w)
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := m.remoteOut(ctx, append([]string{"fetch", "-q", "--no-tags", m.URL}, missing...)...)
	return err
}

// Has reports whether a commit and all that it stands on is here.
func (m *Mirror) Has(ctx context.Context, commit string) bool {
	if strings.Contains(commit, "/") {
		return false // a ref may have moved
	}
	_, err := m.Run(ctx, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// Ref is where a ref of the remote points now, with its objects here; empty: there is none.
func (m *Mirror) Ref(ctx context.Context, ref string) (string, error) {
	out, err := m.remoteOut(ctx, "ls-remote", m.URL, ref)
	if err != nil || out == "" {
		return "", err
	}
	id, _, _ := strings.Cut(out, "\t")
	if m.Has(ctx, id) {
		return id, nil
	}
	_, err = m.remoteOut(ctx, "fetch", "-q", "--no-tags", m.URL, ref)
	return id, err
}

// List are the refs of the remote that match a pattern.
func (m *Mirror) List(ctx context.Context, pattern string) (refs []string, err error) {
	out, err := m.remoteOut(ctx, "ls-remote", m.URL, pattern)
	for line := range strings.Lines(out) {
		_, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		refs = append(refs, ref)
	}
	return refs, err
}

// Push moves refs of the remote, all or none of them: each is "NEW:REF", and one that must be at a
// place before has it in leases, by ref; empty: it must not exist. ErrMoved says that one was not.
func (m *Mirror) Push(
	ctx context.Context, from Git, leases map[string]string, specs ...string,
) error {
	args := []string{"push", "-q", "--no-verify", "--atomic"}
	for ref, old := range leases {
		args = append(args, "--force-with-lease="+ref+":"+old)
	}
	args = append(args, m.URL)
	from.Env = m.Env
	_, err := from.remote(ctx, append(args, specs...)...)
	return err
}

// Adopt brings commits of a clone that borrows this mirror's objects here, before the clone goes.
func (m *Mirror) Adopt(ctx context.Context, from Git, commits ...string) error {
	args := append([]string{"fetch", "-q", "--no-tags", from.Dir}, commits...)
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.Run(ctx, args...)
	return err
}

// Replace is the tree of a commit with one entry of ls-tree put in its place.
func (g Git) Replace(ctx context.Context, commit, entry string) (string, error) {
	dir, err := os.MkdirTemp("", "index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary file
	env := append(g.environ(), "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
	at := indexed{g, env}
	if _, err = at.run(ctx, nil, "read-tree", commit); err != nil {
		return "", err
	}
	if _, err = at.run(ctx, []byte(entry+"\x00"), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return at.run(ctx, nil, "write-tree")
}

// indexed runs git with an index of its own.
type indexed struct {
	g   Git
	env []string
}

func (x indexed) run(ctx context.Context, input []byte, args ...string) (string, error) {
	git := exec.CommandContext(ctx, "git", args...)
	git.Dir, git.Env, git.Stdin = x.g.Dir, x.env, bytes.NewReader(input)
	out, err := git.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Remote is a repository of the user's seen as a mirror: only what is asked for is brought here.
func Remote(g Git, url string) *Mirror { return &Mirror{Git: g, URL: url} }
