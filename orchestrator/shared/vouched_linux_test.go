package shared_test

import (
	"bytes"
	"strings"
	"testing"

	"autobuild/orchestrator/git/gittest"
)

// In a directory that all phases share there is a flush for every landing, whatever the commit
// mode.
func TestFlushedWhereShared(t *testing.T) {
	t.Parallel()
	log := gittest.Calls(t, "^TestShared$", "syncfs")
	if n := bytes.Count(log, []byte("syncfs(")); n != 2 {
		t.Errorf("%d flushes, want one for each of two landings:\n%s", n, log)
	}
}

// The plan's mark comes into the user's checkout by way of the scratch directory, so that a crash
// leaves nothing beside the plan.
func TestNothingBesideThePlan(t *testing.T) {
	t.Parallel()
	made := 0
	for line := range bytes.Lines(gittest.Calls(t, "^TestSharedCommits$", "rename,renameat,renameat2")) {
		if call := string(line); strings.Contains(call, `/repo/plan.md"`) {
			made++
			if !strings.Contains(call, "/.autobuild/git/") {
				t.Errorf("it was written beside the plan: %s", call)
			}
		}
	}
	if made < 3 {
		t.Errorf("the plan was written %d times, want it once for each of three modes", made)
	}
}
