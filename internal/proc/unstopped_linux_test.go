package proc_test

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// Ctrl-Z in the instant of a fork stops no process before its exec: that child could not be
// continued, and its parent would wait for it for ever.
func TestStopKeyMeetsAFork(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 3*deadline)
	defer cancel()
	argv := self(t, "stopped", "20")
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.SysProcAttr, cmd.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, time.Second
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "went on ") {
		t.Errorf("%v: %s", err, out)
	}
}

// A child under a supervisor can be stopped by the key, as it can be without.
func TestChildHearsStopKey(t *testing.T) {
	t.Parallel()
	r := new(proc.Runner)
	defer r.Close()
	var out strings.Builder
	e, err := r.Run(t.Context(), proc.Command{Argv: []string{"/bin/grep", "SigBlk", "/proc/self/status"}, Stdout: func(b []byte) { out.Write(b) }})
	if !e.OK() || err != nil {
		t.Fatalf("%+v %v", e, err)
	}
	blocked, err := strconv.ParseUint(strings.TrimSpace(strings.TrimPrefix(out.String(), "SigBlk:")), 16, 64)
	if err != nil || blocked&(1<<(syscall.SIGTSTP-1)) != 0 {
		t.Errorf("%x %v", blocked, err)
	}
}
