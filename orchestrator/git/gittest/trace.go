package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Calls runs tests of this test binary one after the other, and gives the system calls that they
// make, with the files of their descriptors.
func Calls(t *testing.T, tests, calls string) []byte {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so the system calls cannot be seen")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	args := []string{
		"-f", "-qq", "-y", "-s", "500", "-o", trace, "-e", "signal=none", "-e",
		"trace=" + calls, os.Args[0], "-test.run=" + tests, "-test.parallel=1",
	}
	// stops where it looks, and nowhere else
	out, err := exec.CommandContext(t.Context(), strace,
		append([]string{"--seccomp-bpf"}, args...)...).CombinedOutput()
	if err != nil && strings.Contains(string(out), "seccomp") {
		out, err = exec.CommandContext(t.Context(), strace, args...).CombinedOutput()
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
