//go:build unix

package proc_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"autobuild/internal/proc"
)

func TestMain(m *testing.M) {
	proc.Supervise()
	if len(os.Args) > 1 && os.Args[1] == "child" {
		syscall.Exit(child(os.Args[2:])) // os.Exit would rest for a second under the race detector
	}
	goleak.VerifyTestMain(m)
}

// deadline is how long a test waits for something that is certain to happen.
const deadline = 20 * time.Second

// self is the command line of a child that is this test binary in the named mode.
func self(t testing.TB, mode ...string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{exe, "child"}, mode...)
}

func runner(t testing.TB) *proc.Runner {
	t.Helper()
	r := new(proc.Runner)
	t.Cleanup(r.Close)
	return r
}
