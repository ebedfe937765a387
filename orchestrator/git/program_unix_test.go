//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// Work that is to be finished survives the end of the run's context for a moment, and no longer: a
// git that hangs in it holds up no run that was stopped.
func TestUnbrokenWorkEndsWithTheRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = quick ] && { echo done; exit; }\nexec sleep 60\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	g := newProgram(&proc.Runner{}, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH")))
	g.finish = 50 * time.Millisecond
	stopped := errors.New("stopped")
	run, stop := context.WithCancelCause(t.Context())
	ctx := Uninterrupted(Uninterrupted(run))
	out, _, err := g.do(ctx, command{dir: dir, args: []string{"quick"}})
	if strings.TrimSpace(string(out)) != "done" || err != nil {
		t.Fatalf("%q %v", out, err)
	}
	stop(stopped)
	if _, _, err = g.do(ctx, command{dir: dir, args: []string{"slow"}}); err == nil || ctx.Err() != nil {
		t.Errorf("%v %v", err, ctx.Err())
	}
	g.finish = time.Hour
	out, _, err = g.do(ctx, command{dir: dir, args: []string{"quick"}})
	if strings.TrimSpace(string(out)) != "done" || err != nil {
		t.Errorf("what takes no time was not finished: %q %v", out, err)
	}
}
