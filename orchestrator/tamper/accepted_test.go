package tamper_test

import (
	"path/filepath"
	"testing"

	"autobuild/internal/safefile"
	"autobuild/orchestrator/git/gittest"
	"autobuild/orchestrator/tamper"
	"autobuild/orchestrator/worktree"
)

// An edit of the plan that the run has accepted is the user's. A later one is reported.
func TestAcceptedPlan(t *testing.T) {
	l := newLab(t)
	plan := filepath.Join(l.Top, "README.md")
	line := gittest.OK(worktree.Begin(t.Context(), l.find(), worktree.Options{
		RunID: "r1", StateDir: filepath.Join(l.Top, ".autobuild"), Mode: worktree.Auto,
		PlanPath: plan,
	}))(t)
	outside := tamper.NewOutside(line)
	before := look(t, outside)
	l.Write("README.md", "edited")
	outside.AcceptPlan(safefile.Stamp(plan))
	gittest.Want(t, "accepted", gittest.Words(before.Diff(look(t, outside))), "[]")
	l.Write("README.md", "edited once more")
	gittest.Want(t, "later", gittest.Words(before.Diff(look(t, outside))),
		"[README.md in the main checkout was changed]")
}
