package worktree_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What lands is on the disk before a ref leads to it: between the last object that is written and the line that moves there is
// a flush of the file system, as the kernel is told it. A power cut in between loses the phase's end, never its commit.
func TestFlushedBeforeTheLineMoves(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so the system calls cannot be seen")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	out, err := exec.Command(strace, "-f", "-qq", "-o", trace, "-e", "trace=syncfs,rename,renameat,renameat2,link,linkat",
		os.Args[0], "-test.run=^TestOnePhase$").CombinedOutput()
	if err != nil && strings.Contains(string(out), "ptrace") {
		t.Skipf("this machine allows no tracing: %s", out)
	} else if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	log, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	landed, flushed := 0, false
	for line := range bytes.Lines(log) {
		switch call := string(line); {
		case strings.Contains(call, "syncfs("):
			flushed = true
		case strings.Contains(call, "objects/"):
			flushed = false
		case strings.Contains(call, `/integration"`) && strings.Contains(call, "/integration.lock"):
			if !flushed && landed > 0 { // the first time it is made, at a commit that the user has
				t.Errorf("the line moves to what has not been flushed: %s", call)
			}
			landed++
		}
	}
	if landed < 2 {
		t.Errorf("the line moved %d times, want its making and a landing:\n%s", landed, log)
	}
}
