package worktree

import (
	"path/filepath"

	"autobuild/orchestrator/git"
)

// Writable are the parts of git's directory, as commonDir, that git writes when it looks at the
// worktree at dir and stages files in it: the worktree's own index and HEAD, and the objects.
// References, configuration and hooks are none of them, so that a process with these rights alone
// cannot commit on a branch.
func Writable(commonDir, dir string) []string {
	admin := git.AdminDir(commonDir, dir)
	if admin == "" {
		return nil
	}
	return []string{admin, filepath.Join(commonDir, "objects")}
}
