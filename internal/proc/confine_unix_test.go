//go:build unix

package proc_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"autobuild/internal/proc"
)

// Confine's arguments come before the program that was found, and Output runs its command without
// them.
func TestConfine(t *testing.T) {
	t.Parallel()
	r := runner(t)
	r.Confine = func(program string, c proc.Command) ([]string, error) {
		return slices.Concat([]string{"sh", "-c", `echo confined; exec "$@"`, "sh", program}, c.Argv[1:]), nil
	}
	env := []string{"PATH=/usr/bin:/bin"}
	if e := run(t, r, proc.Command{Argv: []string{"echo", "work"}, Env: env}); !e.OK() || e.Tail != "confined\nwork\n" {
		t.Errorf("%+v", e)
	}
	if out, e, err := r.Output(t.Context(), proc.Command{Argv: []string{"echo", "work"}, Env: env}, 0); err != nil || !e.OK() || string(out) != "work\n" {
		t.Errorf("%q %+v %v", out, e, err)
	}
}

// A command that cannot be confined is not started, and the error names the missing program.
func TestConfineFails(t *testing.T) {
	t.Parallel()
	r := runner(t)
	denied := errors.New("no sandbox today")
	r.Confine = func(string, proc.Command) ([]string, error) { return nil, denied }
	_, err := r.Run(t.Context(), proc.Command{Argv: []string{"/bin/sh", "-c", "exit 0"}})
	if _, ok := errors.AsType[*proc.StartError](err); !ok || !errors.Is(err, denied) || !strings.HasSuffix(err.Error(), "confine it: no sandbox today") {
		t.Errorf("%v", err)
	}
	if _, err = r.Run(t.Context(), proc.Command{Argv: []string{"no-such-program"}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	r.Confine = func(string, proc.Command) ([]string, error) { return []string{"no-such-sandbox"}, nil }
	if _, err = r.Run(t.Context(), proc.Command{Argv: []string{"/bin/sh"}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
