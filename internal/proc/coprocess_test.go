package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// echo asks cat for a line.
func echo(line string) func(io.Writer, *bufio.Reader) error {
	return func(w io.Writer, r *bufio.Reader) error {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
		got, err := r.ReadString('\n')
		if err == nil && got != line+"\n" {
			err = errors.New("got " + got)
		}
		return err
	}
}

// One process answers all requests. An exchange that is cut off or fails ends it, and Exit says
// how.
func TestCoprocess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("cat")
	}
	started := 0
	run := &Runner{Step: func(when Moment, _ []string) error {
		if when == Before {
			started++
		}
		return nil
	}}
	start := func(argv ...string) *Coprocess {
		t.Helper()
		p, err := run.Coprocess(Command{Argv: argv, Env: []string{"PATH=/usr/bin:/bin"}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := start("cat")
	for i := range 3 {
		if e, err := run.Ask(t.Context(), p, echo(fmt.Sprint(i))); err != nil || e.Ended != Exited {
			t.Fatal(e, err)
		}
	}
	p.Close()
	if started != 1 {
		t.Errorf("%d processes", started)
	}

	ctx, cancel := context.WithCancel(t.Context())
	e, err := run.Ask(ctx, start("cat"), func(_ io.Writer, r *bufio.Reader) error {
		cancel()
		_, err := r.ReadByte()
		return err
	})
	if e.Ended != Stopped || err == nil {
		t.Error("cut off", e, err)
	}
	e, err = run.Ask(t.Context(), start("sh", "-c", "echo broken >&2; exit 3"), echo("x"))
	if e.Ended != Exited || e.Code != 3 || strings.TrimSpace(e.Tail) != "broken" || err == nil {
		t.Error("failed", e, err)
	}
	if _, err = run.Coprocess(Command{Argv: []string{"no-such-program"}}); err == nil {
		t.Error("a missing program was started")
	}
}
