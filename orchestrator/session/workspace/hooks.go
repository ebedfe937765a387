package workspace

import (
	"strings"

	"autobuild/orchestrator/worktree"
	"autobuild/render"
)

// hookCommand asks the hooks of a commit one after the other, with the arguments of git commit.
func hookCommand(r worktree.Rehearsal) string {
	var steps []string
	for _, name := range r.Names {
		argv := []string{"git", "-c", "core.hooksPath=" + r.Hooks, "hook", "run", name}
		switch name {
		case "prepare-commit-msg":
			argv = append(argv, "--", r.Message, "message")
		case "commit-msg":
			argv = append(argv, "--", r.Message)
		}
		steps = append(steps, render.Command(argv))
	}
	return strings.Join(steps, " && ")
}
