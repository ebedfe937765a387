//go:build linux

package proc_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"autobuild/internal/proc"
)

// A command that opens a named pipe waits for its other end for ever. It is ended, and the pipe is
// named.
func TestWhoWaitsForAPipeIsEnded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, waitsFor string }{
		{"opened by its path", "cat <$PWD/pipe", "pipe"},
		{"opened from where it is", "cat pipe", "pipe"},
		{"opened through a link", "cat link", "link"},
		{"opened for writing", "echo x >pipe", "pipe"},
		{"open, and nothing comes", "cat held", "held"},
		{"opened by a child", "(cat pipe; true)", "pipe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, name := range []string{"pipe", "held"} {
				if err := unix.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			writer, err := os.OpenFile(filepath.Join(dir, "held"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close() //nolint:errcheck // nothing was written
			if err = os.Symlink("pipe", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			_, e, err := runner(t).Output(t.Context(), proc.Command{
				Argv: []string{"sh", "-c", c.script}, Dir: dir, Env: os.Environ(),
			}, 0)
			if e.Ended != proc.Blocked || e.Blocked != filepath.Join(dir, c.waitsFor) || err != nil {
				t.Errorf("%+v %v, want it to wait for %s", e, err, c.waitsFor)
			}
		})
	}
}

// Programs talk to their children over unnamed pipes, and a sleeping process waits for nothing of
// ours.
func TestWhoWaitsForAChildIsLeftAlone(t *testing.T) {
	t.Parallel()
	const script = "sleep 1 | cat; echo done"
	out, e, err := runner(t).Output(t.Context(), proc.Command{Argv: []string{"sh", "-c", script}, Dir: t.TempDir(), Env: os.Environ()}, 0)
	if string(out) != "done\n" || e.Ended != proc.Exited || err != nil {
		t.Errorf("%q %+v %v", out, e, err)
	}
}
