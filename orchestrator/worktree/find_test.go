package worktree_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree"
)

// A repository that cannot be used is refused with the next step, and nothing is made before.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, want string
		do         func(l *lab)
	}{
		{"no commit", "make a first one: git commit --allow-empty -m 'first commit'", func(l *lab) {
			_ = os.RemoveAll(filepath.Join(l.top, ".git"))
			l.git("init", "-q")
		}},
		{"bare", "only a bare repository", func(l *lab) { l.git("config", "core.bare", "true") }},
		{"tracked state", "git rm -r -q --cached .autobuild", func(l *lab) {
			l.write(".autobuild/x", "x")
			l.git("add", "-f", ".autobuild")
			l.git("commit", "-qm", "x")
		}},
		{"tracked in HEAD", "commit its removal", func(l *lab) {
			l.write(".autobuild/x", "x")
			l.git("add", "-f", ".autobuild")
			l.git("commit", "-qm", "x")
			l.git("rm", "-rq", "--cached", ".autobuild")
		}},
		{"state is a link", "is a link or a file", func(l *lab) { _ = os.Symlink(l.t.TempDir(), filepath.Join(l.top, ".autobuild")) }},
		{"state is a file", "is a link or a file", func(l *lab) { l.write(".autobuild", "") }},
		{"signing impossible", "git config commit.gpgSign false", func(l *lab) {
			l.git("config", "commit.gpgSign", "true")
			l.git("config", "gpg.program", "false")
		}},
		{"damaged", "git does not take this for a repository", func(l *lab) { l.write(".git/HEAD", "nothing\n") }},
		{"a link to one that is gone", "or points to one that is gone", func(l *lab) {
			_ = os.RemoveAll(filepath.Join(l.top, ".git"))
			l.write(".git", "gitdir: ../gone\n")
		}},
		{"a broken configuration of the user's", "git does not work: ", func(l *lab) {
			l.write("config", "[broken\n")
			l.environ = append(l.environ, "GIT_CONFIG_GLOBAL="+filepath.Join(l.top, "config"))
		}},
		{"no git", "install git 2.38 or newer", func(l *lab) { l.environ[4] = "PATH=" + l.t.TempDir() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			had := missing(l.top, ".autobuild")
			c.do(l)
			state := missing(l.top, ".autobuild")
			_, err := l.tryBegin(worktree.Auto)
			if _, is := errors.AsType[*git.UnusableError](err); !is || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v", err)
			}
			if had && state && !missing(l.top, ".autobuild/worktrees/x") {
				t.Error("something was made")
			}
			t.Log(err)
		})
	}
}

// The repository is found from a subdirectory, from a linked worktree, under a name with a newline,
// and with any GIT_ variables that a hook set.
func TestFind(t *testing.T) {
	l := newLab(t)
	l.write("sub/dir/x", "x")
	r := ok1(t, first(l.find(filepath.Join(l.top, "sub", "dir"))), nil)
	want(t, "top", r.Top, l.top)
	want(t, "branch", r.Branch+" "+r.Head, "refs/heads/main "+l.git("rev-parse", "HEAD"))

	linked := filepath.Join(t.TempDir(), "new\nline '\"$(x)")
	l.git("worktree", "add", "-q", "-b", "other", linked)
	r = ok1(t, first(l.find(linked)), nil)
	want(t, "linked", words(r.Top == linked, r.Branch, r.CommonDir == filepath.Join(l.top, ".git"), r.GitDir != r.CommonDir), "true refs/heads/other true true")

	usual := l.environ
	l.environ = append(slices.Clone(usual), "GIT_DIR="+t.TempDir(), "GIT_INDEX_FILE=/nonexistent", "GIT_WORK_TREE=/")
	r = ok1(t, first(l.find(linked)), nil)
	line, err := worktree.Begin(t.Context(), r, worktree.Options{RunID: "r1", StateDir: filepath.Join(linked, ".autobuild"), Mode: worktree.Auto})
	want(t, "begin", err, nil)
	tree := l.open(line, "p")
	put(t, tree.Dir, "p.txt", "p")
	want(t, "delivered", l.land(line, tree).Delivered, true)
	want(t, "file", get(t, linked, "p.txt"), "p")
	cmd := exec.Command("git", "-C", l.top, "log", "-1", "--format=%s", "main")
	cmd.Env = usual // this test may itself be run by a hook
	out, err := cmd.Output()
	want(t, "main", words(string(out), err), "first\n <nil>")
}

// A name is made up only where the user has none, and it is said.
func TestIdentity(t *testing.T) {
	l := newLab(t)
	want(t, "notes", words(l.begin(worktree.Auto).Notes), "[]")
	l = newLab(t)
	l.git("config", "--unset", "user.name")
	l.git("config", "--unset", "user.email")
	line := l.begin(worktree.Auto)
	want(t, "notes", strings.Contains(words(line.Notes), "autobuild <autobuild@localhost>"), true)
	l.landFile(line, "p", "p.txt", "p")
	want(t, "author", l.git("log", "-1", "--format=%an %ae %cn"), "autobuild autobuild@localhost autobuild")
	l.environ = append(l.environ, "GIT_AUTHOR_NAME=Env", "GIT_AUTHOR_EMAIL=e@e", "GIT_COMMITTER_NAME=Env", "GIT_COMMITTER_EMAIL=e@e")
	line = l.begin(worktree.Auto)
	want(t, "notes", words(line.Notes), "[]")
	l.landFile(line, "q", "q.txt", "q")
	want(t, "author", l.git("log", "-1", "--format=%an %ae %cn"), "Env e@e Env")
}

// A detached HEAD is served with a branch that holds the work.
func TestDetached(t *testing.T) {
	l := newLab(t)
	l.git("checkout", "-q", "--detach")
	head := l.git("rev-parse", "HEAD")
	line := l.begin(worktree.Auto)
	l.landFile(line, "p", "p.txt", "p")
	d, err := line.Finish(t.Context(), "")
	want(t, "finish", words(d.Delivered, d.Branch, d.Why, err),
		"false autobuild/r1/integration detached <nil>")
	want(t, "head", l.git("rev-parse", "HEAD"), head)
	l.own("cat-file", "-e", "autobuild/r1/integration:p.txt")
}

// A signature that the user's configuration asks for is made, by the program that was configured
// when the run began.
func TestSigning(t *testing.T) {
	l := newLab(t)
	bin := t.TempDir()
	put(t, bin, "gpg", "#!/bin/sh\ncat >/dev/null\nprintf '\\n[GNUPG:] SIG_CREATED D 1 8 00 0 0\\n' >&2\n"+
		"printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nsigned\\n-----END PGP SIGNATURE-----\\n'\n")
	if err := os.Chmod(filepath.Join(bin, "gpg"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.git("config", "commit.gpgSign", "true")
	l.git("config", "gpg.program", filepath.Join(bin, "gpg"))
	line := l.begin(worktree.Auto)
	l.git("config", "gpg.program", "false")
	l.landFile(line, "p", "p.txt", "p")
	want(t, "signed", strings.Contains(l.git("cat-file", "commit", "HEAD"), "gpgsig -----BEGIN PGP SIGNATURE-----"), true)
}

// Awkward settings of the user's make no difference; shallow and sparse repositories work.
func TestAwkwardSettings(t *testing.T) {
	l := newLab(t)
	for k, v := range map[string]string{
		"core.autocrlf": "true", "core.hooksPath": "/nonexistent", "core.pager": "false", "commit.template": "/nonexistent", "merge.ff": "only",
		"pull.rebase": "true", "branch.autoSetupMerge": "always", "gc.auto": "1", "core.splitIndex": "true", "index.version": "4", "diff.noprefix": "true",
		"diff.renames": "copies", "log.showSignature": "true", "core.quotePath": "true", "status.showUntrackedFiles": "no",
		"core.fsmonitor": "true", "core.untrackedCache": "true", "commit.cleanup": "scissors",
		"i18n.commitEncoding": "ISO-8859-1", "color.ui": "always", "core.abbrev": "4", "format.pretty": "oneline",
	} {
		l.git("config", k, v)
	}
	l.git("-c", "core.fsmonitor=false", "update-index", "--split-index")
	line := l.begin(worktree.Auto)
	a, b := l.open(line, "a"), l.open(line, "b")
	put(t, a.Dir, "lines.txt", strings.Replace(get(t, a.Dir, "lines.txt"), "line 3\r\n", "three\r\n", 1))
	put(t, b.Dir, "lines.txt", strings.Replace(get(t, b.Dir, "lines.txt"), "line 30\r\n", "thirty\r\n", 1))
	l.land(line, a)
	want(t, "delivered", words(l.land(line, b).Undelivered), "")
	want(t, "status", l.git("-c", "color.ui=never", "-c", "core.fsmonitor=false", "status", "--porcelain"), "")

	clone := &lab{t: t, top: filepath.Join(t.TempDir(), "shallow"), environ: l.environ, run: l.run}
	l.git("-c", "core.fsmonitor=false", "clone", "-q", "--depth=1", "file://"+l.top, clone.top)
	clone.git("sparse-checkout", "set", "--no-cone", "/README.md", "/plan.md")
	line = clone.begin(worktree.Auto)
	a, b = clone.open(line, "a"), clone.open(line, "b")
	put(t, a.Dir, "a.txt", "a\n")
	put(t, b.Dir, "lines.txt", "all new\n")
	clone.land(line, a)
	want(t, "delivered", words(clone.land(line, b).Undelivered), "")
	want(t, "status", clone.status(), "")
	want(t, "sparse", missing(clone.top, "lines.txt"), true)
	want(t, "content", clone.git("show", "HEAD:lines.txt"), "all new")
}
