package proc_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// A child that prints nothing and idles is alive while files change, and only where Command.Files
// is set.
func TestChangesOfFilesAreSignsOfLife(t *testing.T) {
	t.Parallel()
	t.Run("looked at", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		lively(t, proc.Command{Argv: self(t, "files", filepath.Join(dir, "f")), Files: dir})
	})
	t.Run("not looked at", func(t *testing.T) {
		t.Parallel()
		e := run(t, runner(t), proc.Command{Argv: self(t, "files", filepath.Join(t.TempDir(), "f")), Timeout: deadline, Idle: time.Second})
		if e.Ended != proc.Idle {
			t.Errorf("ended %q after %v with %v of the processor", e.Ended, e.Duration, e.CPU)
		}
	})
}

// A child that has done its work and waits is stopped, politely and with all that it started, and
// that is no time-out.
func TestWhoLingersIsStopped(t *testing.T) {
	t.Parallel()
	dir := yard(t)
	var out atomic.Int64
	e := run(t, runner(t), proc.Command{
		Argv: self(t, "tree", dir, "hang"), Timeout: deadline, Grace: 50 * time.Millisecond, Linger: 200 * time.Millisecond,
		Stdout: func(b []byte) { out.Add(int64(len(b))) }, Done: func() bool { return out.Load() > 0 },
	})
	if e.Ended != proc.Lingered || e.OK() || e.Duration > deadline {
		t.Errorf("%+v", e)
	}
	nobodyLeft(t, dir)
}

// A chain of processes, each of which hands over to the next and is gone, ends nevertheless.
func TestRelayIsEnded(t *testing.T) {
	t.Parallel()
	dir := yard(t)
	if e := run(t, runner(t), proc.Command{Argv: self(t, "relay", dir)}); !e.OK() {
		t.Fatalf("%+v", e)
	}
	if present(dir) == 0 || !free(t, filepath.Join(dir, "lock")) {
		t.Errorf("after %d runners there is one more", present(dir))
	}
}

// Where no file can be opened any more the message says what to do, wherever that shows.
func TestTooManyOpenFiles(t *testing.T) {
	t.Parallel()
	argv := self(t, "poor")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	failed := 0
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "true <nil>") {
			continue
		}
		failed++
		if !strings.HasPrefix(line, "false supervisor: ") || !strings.HasSuffix(line, "too many open files; raise `ulimit -n`, or lower --jobs\n") {
			t.Errorf("%q", line)
		}
	}
	if failed < 3 {
		t.Errorf("it failed at %d places:\n%s", failed, out)
	}
}
