package shared_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"autobuild/orchestrator/shared"
	"autobuild/orchestrator/worktree"
)

// Without git, a phase's work is what it changed in the directory.
func Example() {
	dir, err := os.MkdirTemp("", "shared-example-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // an example
	ctx, files := context.Background(), shared.Open(dir, worktree.Options{})
	tree, err := files.Open(ctx, "1", false)
	if err != nil {
		panic(err)
	}
	if err = os.WriteFile(filepath.Join(dir, "new.txt"), []byte("new\n"), 0o600); err != nil {
		panic(err)
	}
	changes, err := files.Changes(ctx, tree)
	fmt.Println(changes.Created, changes.Modified, err)
	landed, err := files.Land(ctx, tree, worktree.Landing{})
	fmt.Println(landed.Already, err)
	// Output:
	// [new.txt] [] <nil>
	// false <nil>
}
