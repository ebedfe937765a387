package git_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/internal/proc"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/git/gittest"
)

// The reader returns the same objects as git's own commands.
func TestObjectsAsGitShowsThem(t *testing.T) {
	t.Parallel()
	l := gittest.New(t, map[string]string{"a": "1", "d/x": "x", "d/e/y": "y", "d.txt": "", "d-1": "", "swap": "file"})
	from := l.Git("rev-parse", "HEAD")
	l.Git("rm", "-q", "swap", "d/e/y")
	for name, data := range map[string]string{"swap/in": "", "d/e": "file now", "a": "2", "new/ü name\"": "n", "tab\there": ""} {
		l.Write(name, data)
	}
	l.Git("add", "-A")
	l.Git("update-index", "--chmod=+x", "d/x")
	l.Git("update-index", "--add", "--cacheinfo", "160000,"+from+",module")
	l.Git("update-index", "--cacheinfo", "120000,"+l.Git("rev-parse", "HEAD:a")+",d.txt")
	for _, message := range []string{"one\n\nbody\n\n", "\n\ntwo", "", "ü"} {
		l.Git("commit", "-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-m", message)
	}
	to := l.Git("rev-parse", "HEAD")
	d := scratchOf(t, l)

	raw := func(changes []git.Change) string {
		var b strings.Builder
		for _, c := range changes {
			fmt.Fprintf(&b, ":%s %s %s %s %c\x00%s\x00", c.OldMode, c.NewMode, c.OldID, c.NewID, c.Status, c.Path)
		}
		return b.String()
	}
	for _, sides := range [][2]string{{from, to}, {to, from}, {to, to}} {
		got := gittest.OK(d.DiffTree(t.Context(), sides[0], sides[1]))(t)
		gittest.Want(t, "difference", raw(got), l.Git("diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", sides[0], sides[1]))
	}
	var listed strings.Builder
	for _, c := range gittest.OK(d.LsTree(t.Context(), to))(t) {
		fmt.Fprintf(&listed, "%s %s %s\n", c.NewMode, c.NewID, c.Path)
		e, ok, err := d.Entry(t.Context(), to, c.Path)
		gittest.Want(t, "entry", fmt.Sprint(e == c, ok, err), "true true <nil>")
	}
	printed := strings.Split(l.Git("ls-tree", "-r", "-z", to), "\x00")
	for i, line := range printed {
		info, path, _ := strings.Cut(line, "\t")
		if f := strings.Fields(info); len(f) == 3 {
			printed[i] = f[0] + " " + f[2] + " " + path
		}
	}
	gittest.Want(t, "tree", listed.String(), strings.Join(printed, "\n"))
}

// Log returns the same commits as git log, also of a history that was read in part before.
func TestLogAsGitPrintsIt(t *testing.T) {
	t.Parallel()
	l := gittest.New(t, nil)
	var ids []string
	for i := range 6 {
		l.Git("commit", "-q", "--allow-empty", "-m", fmt.Sprintf("commit %d\n\nbody", i))
		ids = append(ids, l.Git("rev-parse", "HEAD"))
	}
	d := scratchOf(t, l)
	for _, ends := range [][2]int{{0, 3}, {0, 5}, {0, 4}, {2, 5}, {0, 0}, {4, 1}} {
		got := gittest.OK(d.Log(t.Context(), ids[ends[0]], ids[ends[1]]))(t)
		var printed strings.Builder
		for _, c := range got {
			printed.WriteString(c.ID + "\n" + c.Message)
		}
		want := l.Git("log", "--reverse", "--format=tformat:%H%n%B", "-z", ids[ends[0]]+".."+ids[ends[1]])
		gittest.Want(t, fmt.Sprint(ends), strings.TrimSpace(printed.String()), strings.TrimSpace(strings.ReplaceAll(want, "\x00", "")))
	}
}

func scratchOf(t *testing.T, l *gittest.Lab) *git.ScratchDir {
	t.Helper()
	r := gittest.OK(git.Find(t.Context(), l.Run, l.Environ, l.Top))(t)
	return gittest.OK(git.OpenScratchDir(t.Context(), r, filepath.Join(r.Top, ".autobuild", "git"), "r1"))(t)
}

// Objects are written as git writes them, and however many are read and written, three processes
// do it. A grafted tree is the one that an index gives.
func TestObjectProcesses(t *testing.T) {
	t.Parallel()
	l := gittest.New(t, map[string]string{"a": "1", "d/x": "x", "d/e/y": "y", "z": "z"})
	d := scratchOf(t, l)
	started := 0
	l.Run.Step = func(when proc.Moment, _ []string) error {
		if when == proc.Before {
			started++
		}
		return nil
	}
	head := l.Git("rev-parse", "HEAD")
	blob := gittest.OK(d.WriteBlob(t.Context(), []byte("new\r\n")))(t)
	none := strings.Repeat("0", len(blob))
	cases := map[string][]git.Change{
		"replace":              {{Path: "a", NewMode: "100755", NewID: blob}},
		"deep":                 {{Path: "p/q/r", NewMode: "100644", NewID: blob}, {Path: "d/e/y", NewMode: "0", NewID: none}},
		"file to directory":    {{Path: "a", NewMode: "0", NewID: none}, {Path: "a/b", NewMode: "100644", NewID: blob}},
		"directory to file":    {{Path: "d/x", NewMode: "0", NewID: none}, {Path: "d/e/y", NewMode: "0", NewID: none}, {Path: "d", NewMode: "100644", NewID: blob}},
		"over a directory":     {{Path: "d", NewMode: "100644", NewID: blob}},
		"below a file":         {{Path: "a/b", NewMode: "100644", NewID: blob}},
		"remove what is not":   {{Path: "q", NewMode: "0", NewID: none}, {Path: "d/q/r", NewMode: "0", NewID: none}},
		"everything":           {{Path: "README.md", NewMode: "0", NewID: none}, {Path: "a", NewMode: "0", NewID: none}, {Path: "d/x", NewMode: "0", NewID: none}, {Path: "d/e/y", NewMode: "0", NewID: none}, {Path: "z", NewMode: "0", NewID: none}},
		"order of directories": {{Path: "d.txt", NewMode: "100644", NewID: blob}, {Path: "d0", NewMode: "120000", NewID: blob}},
	}
	for name, changes := range cases {
		got := gittest.OK(d.Graft(t.Context(), head, changes))(t)
		index := git.Files{Index: d.IndexFile("expected")}
		if err := cmp.Or(d.ReadTree(t.Context(), index, head), d.UpdateIndex(t.Context(), index, changes)); err != nil {
			t.Fatal(err)
		}
		gittest.Want(t, name, got, gittest.OK(d.WriteTree(t.Context(), index))(t))
		started -= 3
	}
	commit := gittest.OK(d.CommitTree(t.Context(), gittest.OK(d.TreeOf(t.Context(), head))(t), "message\n\nbody\n", head))(t)
	gittest.Want(t, "commit", strings.TrimSpace(l.Git("log", "-1", "--format=%P %B", commit)), head+" message\n\nbody")
	gittest.Want(t, "fsck", l.Git("fsck", "--strict", "--no-dangling"), "")
	if started > 4 {
		t.Errorf("%d processes", started)
	}
}
