package worktree_test

import (
	"testing"

	"autobuild/orchestrator/git"
)

// A commit's size is that of its difference, whatever its files are called and hold; names that
// lead nowhere are passed over.
func TestNumbers(t *testing.T) {
	l := newLab(t)
	first := l.git("rev-parse", "HEAD")
	l.write("odd\nname.txt", "one\ntwo\n")
	l.write("blob.bin", "\x00\x01\x02")
	l.write("README.md", "hello\nthere\n")
	l.git("rm", "-q", "lines.txt")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "second")
	second := l.git("rev-parse", "HEAD")
	l.git("commit", "-q", "--allow-empty", "-m", "commit of nothing\n\n7\t7\tx")
	third := l.git("rev-parse", "HEAD")

	repo, err := l.find(l.top)
	ok1(t, repo, err)
	gone := "0123456789012345678901234567890123456789"
	numbers, err := repo.Numstat(t.Context(), []string{second, gone, "--all", "HEAD", "", third, first})
	ok1(t, numbers, err)
	want(t, "commits", words(len(numbers)), "3")
	want(t, "second", words(numbers[second]), words(git.Numstat{Files: 4, Added: 3, Deleted: 40}))
	want(t, "third", words(numbers[third]), words(git.Numstat{}))
	numbers, err = repo.Numstat(t.Context(), []string{"--all"})
	want(t, "no names", words(len(numbers), err), "0 <nil>")
}
