package worktree_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a ref leads to is on the disk before it moves: between the last object that is written and a
// ref that is made or moved there is a flush of the file system, as the kernel is told it, and so
// there is between a worktree's files and the note of what they began from. A power cut in between
// loses the phase's end, never its commit.
func TestFlushedBeforeRefsMove(t *testing.T) {
	t.Parallel()
	log := callsOf(t, "^(TestOnePhase|TestReopen|TestTakenIn)$", "syncfs,rename,renameat,renameat2,link,linkat")
	moved, flushed := map[string]int{}, true
	for line := range bytes.Lines(log) {
		call := string(line)
		made := refMade.FindStringSubmatch(call)
		switch {
		case strings.Contains(call, "syncfs("):
			flushed = true
		case strings.Contains(call, "objects/"), strings.Contains(call, "/autobuild-desk/r1/index/"):
			flushed = false
		case made == nil, gitsOwn.MatchString(made[1]):
		default:
			_, kind, _ := strings.Cut(made[1], "autobuild/")
			kind, _, _ = strings.Cut(strings.TrimPrefix(kind, "r1/"), "/")
			moved[kind]++
			if !flushed {
				t.Errorf("%s moves to what has not been flushed: %s", made[1], call)
			}
			flushed = true // said once
		}
	}
	for _, kind := range []string{"integration", "from", "work", "delivering"} {
		if moved[kind] == 0 {
			t.Errorf("no ref of the kind %s has moved, so nothing is proved: %v", kind, moved)
		}
	}
}

var (
	refMade = regexp.MustCompile(`/\.git/refs/((?:heads/)?autobuild/\S+)"(?:, \d+)?\) += 0`)
	// A phase's branch is made by git worktree add, at the commit that the line has, and one that
	// keeps work at a commit that work/ had.
	gitsOwn = regexp.MustCompile(`^heads/autobuild/r1/(\w|\w\.kept-1)$`)
)

// In a directory that all phases share there is a flush for every landing, whatever the commit
// mode.
func TestFlushedWhereShared(t *testing.T) {
	t.Parallel()
	log := callsOf(t, "^TestShared$", "syncfs")
	if n := bytes.Count(log, []byte("syncfs(")); n != 2 {
		t.Errorf("%d flushes, want one for each of two landings:\n%s", n, log)
	}
}

// The plan's mark comes into the user's checkout by way of the desk, so that a crash leaves nothing
// beside the plan.
func TestNothingBesideThePlan(t *testing.T) {
	t.Parallel()
	made := 0
	for line := range bytes.Lines(callsOf(t, "^(TestSharedCommits|TestPlanWithEdits)$", "rename,renameat,renameat2")) {
		if call := string(line); strings.Contains(call, `/repo/plan.md"`) {
			made++
			if !strings.Contains(call, "/autobuild-desk/") {
				t.Errorf("it was written beside the plan: %s", call)
			}
		}
	}
	if made < 4 {
		t.Errorf("the plan was written %d times, want it once for each of three modes, and with the user's edits", made)
	}
}

// callsOf runs tests of this package one after the other, and gives the system calls that they
// make, with the files of their descriptors.
func callsOf(t *testing.T, tests, calls string) []byte {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so the system calls cannot be seen")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	args := []string{"-f", "-qq", "-y", "-s", "500", "-o", trace, "-e", "signal=none", "-e", "trace=" + calls, os.Args[0], "-test.run=" + tests, "-test.parallel=1"}
	// stops where it looks, and nowhere else
	out, err := exec.Command(strace, append([]string{"--seccomp-bpf"}, args...)...).CombinedOutput()
	if err != nil && strings.Contains(string(out), "seccomp") {
		out, err = exec.Command(strace, args...).CombinedOutput()
	}
	if err != nil && strings.Contains(string(out), "ptrace") {
		t.Skipf("this machine allows no tracing: %s", out)
	} else if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	log, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	return log
}
