package proc_test

import (
	"context"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Ctrl-Z in the instant of a fork stops nobody who is not yet the program that it is to be: that child could not be set going again, and who forks
// it would wait for it for ever.
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
