package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/worktree"
)

// commits runs commits.sh as a run writes it at its end, and gives what it said.
func (l *lab) commits(line *worktree.Line) (string, error) {
	l.t.Helper()
	for _, f := range ok1(l.t, first(line.Script(l.t.Context())), nil) {
		put(l.t, filepath.Join(l.top, ".autobuild"), f.Name, string(f.Data))
	}
	cmd := exec.Command("sh", filepath.Join(l.top, ".autobuild", "commits.sh"))
	cmd.Dir, cmd.Env = l.top, l.environ
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// commits.sh commits what is in the checkout. Work that something kept out of it would be committed
// as deleted there, or as undone.
func TestScriptOfUndelivered(t *testing.T) {
	for _, c := range []struct {
		name, blocked, status string
		block                 func(l *lab)
	}{
		{
			name: "a file of the user's in the way", blocked: "b.txt", status: "?? b.txt",
			block: func(l *lab) { l.write("b.txt", "mine\n") },
		},
		{
			name: "a file that the user changed", blocked: "lines.txt", status: " M lines.txt",
			block: func(l *lab) { l.write("lines.txt", "mine\n") },
		},
		{
			name: "a file that the user deleted", blocked: "lines.txt", status: " D lines.txt",
			block: func(l *lab) { _ = os.Remove(filepath.Join(l.top, "lines.txt")) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			line := l.begin(worktree.MessageOnly)
			want(t, "first", l.landFile(line, "1", "a.txt", "a\n").Delivered, true)
			c.block(l)
			tree := l.open(line, "2")
			put(t, tree.Dir, c.blocked, "work\n")
			put(t, tree.Dir, "c.txt", "c\n")
			want(t, "second", l.land(line, tree).Delivered, false)
			out, err := l.commits(line)
			want(t, "refused", err != nil, true)
			want(t, "told", strings.Contains(out, "not in the checkout yet") && strings.Contains(out, "| git apply"), true)
			want(t, "log", l.git("log", "--reverse", "--format=%s"), "first\ndo 1")
			want(t, "status", l.status(), c.status)

			// applied as the message advises, it is committed
			_ = os.Remove(filepath.Join(l.top, c.blocked))
			if c.blocked == "lines.txt" {
				l.git("checkout", "-q", "--", "lines.txt")
			}
			_, command, _ := strings.Cut(out, "\n  ")
			paste := exec.Command("sh", "-c", command)
			paste.Dir, paste.Env = l.top, l.environ
			if said, failed := paste.CombinedOutput(); failed != nil {
				t.Fatalf("%q: %v\n%s", command, failed, said)
			}
			again := exec.Command("sh", filepath.Join(l.top, ".autobuild", "commits.sh"))
			again.Dir, again.Env = l.top, l.environ
			if said, failed := again.CombinedOutput(); failed != nil {
				t.Fatalf("%v\n%s", failed, said)
			}
			want(t, "log", l.git("log", "--reverse", "--format=%s"), "first\ndo 1\ndo 2")
			want(t, "status", l.status(), "")
		})
	}
}

// Content that was delivered before the user committed a part of it still counts as delivered.
func TestScriptAfterTakingIn(t *testing.T) {
	l := newLab(t)
	line := l.begin(worktree.MessageOnly)
	tree := l.open(line, "1")
	put(t, tree.Dir, "one.txt", "1")
	put(t, tree.Dir, "two.txt", "2")
	l.land(line, tree)
	l.git("add", "one.txt")
	l.git("commit", "-qm", "one")
	l.write("b.txt", "mine\n")
	want(t, "second", l.landFile(line, "2", "b.txt", "b\n").Delivered, false)
	out, err := l.commits(line)
	want(t, "refused", err != nil && strings.Contains(out, "phase 1: committed"), true)
	want(t, "log", l.git("log", "--reverse", "--format=%s"), "first\none\ndo 1")
	want(t, "status", l.status(), "?? b.txt")
}
