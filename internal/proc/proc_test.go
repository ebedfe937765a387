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
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("autobuild/internal/proc.forkForever"))
}

// deadline is how long a test waits for something that is certain to happen, on however busy a
// machine.
const deadline = 2 * time.Minute

// lively runs a child that is never idle, at first for little more than it may be idle, and for
// twice as long wherever it was taken for idle: a busy machine lets it show a sign of life later,
// and one that shows none is idle however long it is looked at.
func lively(t *testing.T, c proc.Command) {
	t.Helper()
	for c.Idle = time.Second; ; c.Idle *= 2 {
		c.Timeout = c.Idle * 3 / 2
		if e := run(t, runner(t), c); e.Ended == proc.Timeout {
			return
		} else if c.Idle > 15*time.Second || e.Ended != proc.Idle {
			t.Fatalf("ended %q after %v with %v of the processor, want %q", e.Ended, e.Duration, e.CPU, proc.Timeout)
		}
	}
}

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
