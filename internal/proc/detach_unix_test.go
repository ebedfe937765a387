//go:build linux || darwin

package proc_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// stranger is a process that this package has not started and does not supervise: it ends when its
// stdin does.
func stranger(t *testing.T, argv ...string) (cmd *exec.Cmd, stdin io.Closer) {
	t.Helper()
	cmd = exec.Command(argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, in
}

// A number is not a process: Terminate with the wrong identity signals no process.
func TestTerminatesOnlyTheOneItKnows(t *testing.T) {
	t.Parallel()
	cmd, _ := stranger(t, "sh", "-c", "echo ready; read line; exit 7")
	pid := cmd.Process.Pid
	who := proc.Identity(pid)
	if who == "" || who == proc.Identity(os.Getppid()) || who != proc.Identity(pid) {
		t.Fatalf("identity %q", who)
	}
	if err := proc.Terminate(t.Context(), pid, who+"0", true); !errors.Is(err, proc.ErrGone) {
		t.Errorf("another one with its number was told: %v", err)
	}
	if err := proc.Await(t.Context(), pid, who+"0"); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("another one with its number is waited for: %v", err)
	}
	if err := proc.Terminate(t.Context(), pid, who, false); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("it ended with %v", err)
	}
	if err := proc.Terminate(t.Context(), pid, who, false); !errors.Is(err, proc.ErrGone) {
		t.Errorf("it is gone, and yet: %v", err)
	}
}

// A stopped process receives the signals too, and the second comes after the first.
func TestTerminatesTwice(t *testing.T) {
	t.Parallel()
	cmd, _ := stranger(t, "sh", "-c", `trap 'echo term' TERM; trap 'exit 9' INT; echo ready; while :; do sleep 0.02; done`)
	pid := cmd.Process.Pid
	if err := exec.Command("kill", "-STOP", strconv.Itoa(pid)).Run(); err != nil {
		t.Fatal(err)
	}
	if err := proc.Terminate(t.Context(), pid, proc.Identity(pid), true); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "exit status 9" {
		t.Errorf("it ended with %v", err)
	}
}

// Await returns with the end of the process, or with that of its context, whichever is first.
func TestAwaits(t *testing.T) {
	t.Parallel()
	cmd, stdin := stranger(t, "sh", "-c", "echo ready; read line")
	pid := cmd.Process.Pid
	who := proc.Identity(pid)
	enough := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, enough)
	defer cancel()
	err := proc.Await(ctx, pid, who)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system cannot wait for processes of others: ", err)
	}
	if !errors.Is(err, enough) {
		t.Fatalf("it lives, and yet: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- proc.Await(t.Context(), pid, who) }()
	select {
	case err := <-ended:
		t.Fatalf("it lives, and yet: %v", err)
	default:
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("it has ended, and yet: %v", err)
	}
	_ = cmd.Wait()
	if err := proc.Await(t.Context(), pid, who); err != nil {
		t.Errorf("it ended long ago, and yet: %v", err)
	}
}
