//go:build unix

package steering

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"autobuild/orchestrator"
)

// receive starts a receiver and stops it with the test.
func receive(
	t *testing.T, dir string, ours func(int) bool, pass func(orchestrator.Request),
) (notes <-chan string) {
	t.Helper()
	heard := make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		Receive(ctx, dir, ours, func(s string) { heard <- s }, pass)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return heard
}

func nobody(int) bool { return false }

func yes() bool { return true }

// The lock of a process does not count against itself, so the test's own command has no sender; its
// file goes all the same, and the sender is asked in a script.
func TestCommandWithoutSender(t *testing.T) {
	dir := t.TempDir()
	notes := receive(t, dir, nobody, func(orchestrator.Request) { t.Error("it was passed on") })
	if err := os.Mkdir(filepath.Join(dir, Dir), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, Dir, "x"+asked)
	if err := os.WriteFile(file, []byte(`{"command": "pause"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if note := <-notes; !strings.Contains(note, "dropped") {
		t.Errorf("heard %q", note)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the command is still there: %v", err)
	}
}

// TestTraps: a file without a command is refused, and the others are read.
func TestTraps(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, Dir)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	traps := map[string]func(string) error{
		"folder": func(p string) error { return os.Mkdir(p, 0o700) },
		"link":   func(p string) error { return os.Symlink("/etc/passwd", p) },
		"flood":  func(p string) error { return os.WriteFile(p, make([]byte, 2*maxFile), 0o600) },
		"fifo":   func(p string) error { return unix.Mkfifo(p, 0o600) },
		"empty":  func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"text":   func(p string) error { return os.WriteFile(p, []byte("pause!"), 0o600) },
	}
	for name, plant := range traps {
		if err := plant(filepath.Join(folder, name+asked)); err != nil {
			t.Fatal(err)
		}
	}
	// a flood of them, and of other files, keeps none of the rest from being read
	for n := range maxWaiting {
		p := filepath.Join(folder, fmt.Sprintf("many-%d", n))
		if err := errors.Join(os.WriteFile(p, nil, 0o600), os.WriteFile(p+asked, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	notes := receive(t, dir, nobody, func(orchestrator.Request) { t.Error("it was passed on") })
	for heard := 0; heard < len(traps)+maxWaiting; heard++ {
		note := <-notes
		if n, err := strconv.Atoi(strings.Fields(note)[0]); err == nil {
			heard += n - 1
		} else if !strings.Contains(note, "dropped") && !strings.Contains(note, "could not be read") {
			t.Errorf("heard %q", note)
		}
	}
}

func TestAskedTooLate(t *testing.T) {
	dir := t.TempDir()
	c := orchestrator.Command{Kind: orchestrator.PauseRun}
	if _, err := Ask(t.Context(), dir, c, func() bool { return false }); !errors.Is(err, ErrEnded) {
		t.Errorf("Ask = %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := Ask(ctx, dir, c, yes); !errors.Is(err, enough) {
		t.Errorf("Ask = %v", err)
	}
	left, err := os.ReadDir(filepath.Join(dir, Dir))
	if err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// TestAnswers: an answer and a refusal reach the sender as what they are.
func TestAnswers(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // only names were used
	if _, found, err := received(root, "x"); found || err != nil {
		t.Errorf("an answer before there is one: %v", err)
	}
	refused := &orchestrator.CommandError{Why: "it is complete", Next: "reset it"}
	for _, c := range []struct {
		text string
		err  error
	}{{"paused", nil}, {"", refused}, {"", errors.New("disk full")}} {
		if err := reply(root, "x", asAnswer(c.text, c.err)); err != nil {
			t.Fatal(err)
		}
		text, found, err := received(root, "x")
		if !found || text != c.text || (err == nil) != (c.err == nil) || err != nil && err.Error() != c.err.Error() {
			t.Errorf("%q, %v, want %q, %v", text, err, c.text, c.err)
		}
	}
}
