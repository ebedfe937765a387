package git_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"autobuild/internal/proc"
	"autobuild/orchestrator/git"
)

// A commit is made of objects alone: no file of the checkout is touched until a ref leads to it.
func Example() {
	dir, err := os.MkdirTemp("", "git-example-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // an example
	ctx, run := context.Background(), &proc.Runner{}
	environ := []string{
		"HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH"),
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
	}
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "first"}} {
		argv := append([]string{"git", "-C", dir}, args...)
		if _, _, err = run.Output(ctx, proc.Command{Argv: argv, Dir: dir, Env: environ}, 1<<10); err != nil {
			panic(err)
		}
	}
	repo, err := git.Find(ctx, run, environ, dir)
	if err != nil {
		panic(err)
	}
	scratch, err := git.OpenScratchDir(ctx, repo, filepath.Join(repo.Top, ".autobuild", "git"), "example")
	if err != nil {
		panic(err)
	}
	blob, err := scratch.WriteBlob(ctx, []byte("hello\n"))
	if err != nil {
		panic(err)
	}
	tree, err := scratch.Graft(ctx, repo.Head, []git.Change{{Path: "hello.txt", NewMode: "100644", NewID: blob}})
	if err != nil {
		panic(err)
	}
	commit, err := scratch.CommitTree(ctx, tree, "say hello", repo.Head)
	if err != nil {
		panic(err)
	}
	changes, err := scratch.DiffTree(ctx, repo.Head, commit)
	if err != nil {
		panic(err)
	}
	err = scratch.Own.UpdateRefs(ctx, git.RefUpdate{Ref: "refs/heads/hello", New: commit, Create: true})
	fmt.Printf("%c %s\n", changes[0].Status, changes[0].Path)
	_, missing := os.Stat(filepath.Join(dir, "hello.txt"))
	fmt.Println(os.IsNotExist(missing), err)
	// Output:
	// A hello.txt
	// true <nil>
}
