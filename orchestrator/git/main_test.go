package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"autobuild/orchestrator/git"
	"autobuild/orchestrator/git/gittest"
)

func TestMain(m *testing.M) { os.Exit(gittest.Main(m)) }

func find(t *testing.T, l *gittest.Lab) *git.Repository {
	t.Helper()
	repo, err := git.Find(t.Context(), l.Run, l.Environ, l.Top)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func open(t *testing.T, l *gittest.Lab) (*git.Repository, *git.ScratchDir) {
	t.Helper()
	repo := find(t, l)
	scratch, err := git.OpenScratchDir(t.Context(), repo, filepath.Join(repo.Top, ".autobuild", "git"), "r1")
	if err != nil {
		t.Fatal(err)
	}
	return repo, scratch
}
