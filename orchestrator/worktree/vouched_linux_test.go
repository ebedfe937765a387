package worktree_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"autobuild/orchestrator/git/gittest"
)

// The objects of a ref are on the disk before it moves: between the last object that is written and
// a ref that is made or moved there is a flush of the file system, seen in the system calls. The
// same holds for a worktree's files and the note of their base. A power cut in between loses the
// phase's end, never its commit.
func TestFlushedBeforeRefsMove(t *testing.T) {
	t.Parallel()
	log := gittest.Calls(t, "^(TestOnePhase|TestReopen|TestTakenIn)$", "syncfs,rename,renameat,renameat2,link,linkat")
	moved, written := map[string]int{}, map[bool]bool{} // what is not flushed, of the run's repository and of the user's
	for line := range bytes.Lines(log) {
		call := string(line)
		made, own := refMade.FindStringSubmatch(call), strings.Contains(call, "/.autobuild/git/")
		switch {
		case strings.Contains(call, "syncfs("):
			clear(written)
		case strings.Contains(call, "objects/info/"):
		case strings.Contains(call, "objects/"), strings.Contains(call, "/.autobuild/git/indexes/"):
			written[own] = true
		case made == nil, gitsOwn.MatchString(made[1]):
		default:
			_, kind, _ := strings.Cut(made[1], "autobuild/")
			kind, _, _ = strings.Cut(strings.TrimPrefix(kind, "r1/"), "/")
			moved[kind]++
			if written[own] {
				t.Errorf("%s moves to what has not been flushed: %s", made[1], call)
			}
			written[own] = false // said once
		}
	}
	for _, kind := range []string{"integration", "from", "work", "delivering"} {
		if moved[kind] == 0 {
			t.Errorf("no ref of the kind %s has moved, so nothing is proved: %v", kind, moved)
		}
	}
}

var (
	refMade = regexp.MustCompile(`/(?:\.git|\.autobuild/git)/refs/((?:heads/)?autobuild/\S+)"(?:, \d+)?\) += 0`)
	// The base is the user's own commit, and a branch that keeps work is at one that work/ had.
	gitsOwn = regexp.MustCompile(`^autobuild/r1/base$|^heads/autobuild/r1/\w\.kept-1$`)
)

// The plan's mark comes into the user's checkout by way of the scratch directory, so that a crash
// leaves nothing beside the plan.
func TestNothingBesideThePlan(t *testing.T) {
	t.Parallel()
	made := 0
	for line := range bytes.Lines(gittest.Calls(t, "^TestPlanWithEdits$", "rename,renameat,renameat2")) {
		if call := string(line); strings.Contains(call, `/repo/plan.md"`) {
			made++
			if !strings.Contains(call, "/.autobuild/git/") {
				t.Errorf("it was written beside the plan: %s", call)
			}
		}
	}
	if made == 0 {
		t.Error("the plan was not written")
	}
}
