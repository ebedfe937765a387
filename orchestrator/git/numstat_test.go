package git_test

import (
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/git/gittest"
)

// A commit's size is that of its difference, for all names and contents of files. Names that lead
// to no object are skipped.
func TestNumstat(t *testing.T) {
	l := gittest.New(t, map[string]string{"lines.txt": "one\ntwo\nthree\n"})
	first := l.Git("rev-parse", "HEAD")
	l.Write("odd\nname.txt", "one\ntwo\n")
	l.Write("blob.bin", "\x00\x01\x02")
	l.Write("README.md", "hello\nthere\n")
	l.Git("rm", "-q", "lines.txt")
	l.Git("add", "-A")
	l.Git("commit", "-q", "-m", "second")
	second := l.Git("rev-parse", "HEAD")
	l.Git("commit", "-q", "--allow-empty", "-m", "commit of nothing\n\n7\t7\tx")
	third := l.Git("rev-parse", "HEAD")

	repo := find(t, l)
	gone := "0123456789012345678901234567890123456789"
	sizes, err := repo.Numstat(t.Context(), []string{second, gone, "--all", "HEAD", "", third, first})
	if err != nil || len(sizes) != 3 {
		t.Fatalf("%v %v", sizes, err)
	}
	if got, want := sizes[second], (git.Numstat{Files: 4, Added: 3, Deleted: 3}); got != want {
		t.Errorf("second: %+v, want %+v", got, want)
	}
	if got := sizes[third]; got != (git.Numstat{}) {
		t.Errorf("third: %+v", got)
	}
	if sizes, err = repo.Numstat(t.Context(), []string{"--all"}); err != nil || len(sizes) != 0 {
		t.Errorf("no names: %v %v", sizes, err)
	}
}
