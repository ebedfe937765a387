package tamper_test

import (
	"path/filepath"
	"strings"
	"testing"

	"autobuild/orchestrator/git/gittest"
	"autobuild/orchestrator/tamper"
)

// Files that agents planted in a killed run are put back before the next run uses any of them;
// changes that may be the user's are reported.
func TestRecoverGit(t *testing.T) {
	for _, c := range []struct {
		name string
		says string // empty: nothing is said
		back bool
		do   func(l *lab)
	}{
		{"nothing", "", true, func(*lab) {}},
		{"a monitor", "config was changed; put back, and kept in .autobuild/breaches/", true, func(l *lab) { l.Git("config", "core.fsmonitor", "evil") }},
		{"a filter", "config was changed; put back", true, func(l *lab) { l.Git("config", "filter.x.clean", "evil") }},
		{"a hook", "hooks/post-checkout was created; put back", true, func(l *lab) { l.Write(".git/hooks/post-checkout", "evil") }},
		{"attributes", "info/attributes was created; put back", true, func(l *lab) { l.Write(".git/info/attributes", "* filter=x") }},
		{"a name", "config was changed; it is left as it is now", false, func(l *lab) { l.Git("config", "user.name", "Uma Once More") }},
		{"what a branch follows", "", false, func(l *lab) { l.Git("config", "branch.main.remote", "origin") }},
		{"a branch deleted", "heads/old was deleted; it was at ", false, func(l *lab) { l.Git("branch", "-q", "-D", "old") }},
		{"the user's commit", "", false, func(l *lab) { l.Git("commit", "-q", "--allow-empty", "-m", "mine") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.Git("branch", "old")
			line := l.begin()
			outside := tamper.NewOutside(line)
			if err := outside.Hold(look(t, outside)); err != nil {
				t.Fatal(err)
			}
			config := gittest.Get(t, l.Top, ".git/config")
			c.do(l)
			r := l.find()
			notes, err := tamper.RecoverGit(t.Context(), r, filepath.Join(l.Top, ".autobuild"))
			if err != nil || (len(notes) > 0) != (c.says != "") || len(notes) > 0 && !strings.Contains(strings.ReplaceAll(notes[0], `"`, ""), c.says) {
				t.Fatalf("notes %q, %v", notes, err)
			}
			if c.back {
				gittest.Want(t, "config", gittest.Get(t, l.Top, ".git/config"), config)
				gittest.Want(t, "hook", gittest.Missing(filepath.Join(l.Top, ".git", "hooks"), "post-checkout"), true)
				gittest.Want(t, "attributes", gittest.Missing(filepath.Join(l.Top, ".git", "info"), "attributes"), true)
			}
			notes, err = tamper.RecoverGit(t.Context(), r, filepath.Join(l.Top, ".autobuild"))
			gittest.Want(t, "told once", gittest.Words(len(notes), err), "0 <nil>")
		})
	}
}

// A run that ended in order has made its own comparison: later changes are the user's.
func TestReleased(t *testing.T) {
	l := newLab(t)
	line := l.begin()
	outside := tamper.NewOutside(line)
	if err := outside.Hold(look(t, outside)); err != nil {
		t.Fatal(err)
	}
	if err := outside.Release(); err != nil {
		t.Fatal(err)
	}
	l.Git("config", "core.fsmonitor", "mine")
	notes, err := tamper.RecoverGit(t.Context(), l.find(), filepath.Join(l.Top, ".autobuild"))
	gittest.Want(t, "notes", gittest.Words(len(notes), err), "0 <nil>")
	gittest.Want(t, "fsmonitor", l.Git("config", "core.fsmonitor"), "mine")
}

// Paths that an agent wrote into the note itself have no effect.
func TestRecoverFromADamagedNote(t *testing.T) {
	for name, note := range map[string]string{
		"no JSON": "{", "another directory": `{"git_dir": "ELSEWHERE", "meta": {"config": {"digest": "x", "data": "eA=="}}}`,
		"a path as a name": `{"git_dir": "GIT", "meta": {"hooks/../../README.md": {"digest": "x", "data": "eA=="}, "../README.md": {"digest": "x", "data": "eA=="}}}`,
	} {
		l := newLab(t)
		line := l.begin()
		outside := tamper.NewOutside(line)
		if err := outside.Hold(look(t, outside)); err != nil {
			t.Fatal(err)
		}
		elsewhere := t.TempDir()
		l.Write(".git/autobuild-desk/r1/held", strings.NewReplacer("GIT", filepath.Join(l.Top, ".git"), "ELSEWHERE", elsewhere).Replace(note))
		before := gittest.Get(t, l.Top, "README.md")
		if _, err := tamper.RecoverGit(t.Context(), l.find(), filepath.Join(l.Top, ".autobuild")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		gittest.Want(t, name, gittest.Get(t, l.Top, "README.md"), before)
		gittest.Want(t, name+": nothing elsewhere", entries(t, elsewhere), 0)
	}
}
