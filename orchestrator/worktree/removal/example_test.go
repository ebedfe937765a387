package removal_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"autobuild/internal/proc"
	"autobuild/orchestrator/git"
	"autobuild/orchestrator/worktree/removal"
)

// A difference that deletes the file which another phase has added is a loss of that phase's work.
func Example() {
	dir, err := os.MkdirTemp("", "removal-example-")
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
	empty, err := scratch.TreeOf(ctx, repo.Head)
	if err != nil {
		panic(err)
	}
	blob, err := scratch.WriteBlob(ctx, []byte("func parse() {}\n"))
	if err != nil {
		panic(err)
	}
	added, err := scratch.Graft(ctx, empty, []git.Change{{Path: "parse.go", NewMode: "100644", NewID: blob}})
	if err != nil {
		panic(err)
	}
	base, err := scratch.CommitTree(ctx, added, "phase 1", repo.Head)
	if err != nil {
		panic(err)
	}
	difference := removal.Difference{Base: base, Tree: empty}
	losses, err := removal.Find(ctx, scratch, difference, func(...string) ([]removal.Commit, error) {
		return []removal.Commit{{ID: base, Phase: "1"}}, nil
	})
	fmt.Printf("%+v %v\n", losses, err)
	// Output: [{Phase:1 Path:parse.go How:the file is deleted Lines:1 Names:[func parse]}] <nil>
}
