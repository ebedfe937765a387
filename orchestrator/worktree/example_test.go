package worktree_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"autobuild/internal/proc"
	"autobuild/orchestrator/worktree"
)

// A phase opens, works in its directory, and lands in the user's checkout.
func Example() {
	top, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(top) //nolint:errcheck // an example
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"-c", "user.name=u", "-c", "user.email=u@e", "commit", "-q", "--allow-empty", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = top, environ
		if err := cmd.Run(); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := example(top, environ); err != nil {
		fmt.Println(err)
	}
	// Output:
	// created: [hello.txt]
	// delivered: true, on disk: hello
	// complete: true
}

func example(top string, environ []string) error {
	ctx := context.Background()
	repo, err := worktree.Find(ctx, &proc.Runner{}, environ, top)
	if err != nil {
		return err
	}
	line, err := worktree.Begin(ctx, repo, worktree.Options{RunID: "r1", StateDir: filepath.Join(top, ".autobuild"), Mode: worktree.Auto})
	if err != nil {
		return err
	}
	tree, err := line.Open(ctx, "1a", false)
	if err != nil {
		return err
	}
	if err = os.WriteFile(filepath.Join(tree.Dir, "hello.txt"), []byte("hello"), 0o644); err != nil {
		return err
	}
	changes, err := line.Changes(ctx, tree)
	if err != nil {
		return err
	}
	fmt.Println("created:", changes.Created)
	if _, err = line.Land(ctx, tree, worktree.Landing{Message: "feat: say hello"}); err != nil {
		return err
	}
	delivery, err := line.Deliver(ctx)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(top, "hello.txt"))
	if err != nil {
		return err
	}
	fmt.Printf("delivered: %v, on disk: %s\n", delivery.Delivered, data)
	if err = line.Done(ctx, tree); err != nil {
		return err
	}
	end, err := line.Finish(ctx, "")
	fmt.Println("complete:", end.Delivered)
	return err
}
