package notify

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"autobuild/internal/proc"
	"autobuild/internal/text"
)

// program runs a program with the notice as JSON on its stdin, without a shell. The program is
// ended with all that it started when it times out.
type program struct {
	runner  *proc.Runner
	argv    func(Notice) []string
	dir     string
	env     []string
	timeout time.Duration
	what    string
}

func (w program) name() string { return w.what }

func (w program) send(ctx context.Context, t Notice) error {
	data, err := t.encode()
	if err != nil {
		return err
	}
	e, err := w.runner.Run(ctx, proc.Command{
		Argv: w.argv(t), Dir: w.dir, Env: w.env, Stdin: bytes.NewReader(data), Timeout: w.timeout,
		Grace: time.Second,
	})
	switch {
	case err != nil:
		return err
	case e.OK():
		return nil
	case e.Ended == proc.Timeout:
		return fmt.Errorf("it had not ended after %s", text.Duration(w.timeout))
	case e.Ended != proc.Exited:
		return fmt.Errorf("it was %s", e.Ended)
	case e.Signal != "":
		return fmt.Errorf("it was ended by %s", e.Signal)
	}
	said := ""
	if e.Last != "" {
		said = ": " + e.Last
	}
	return fmt.Errorf("exit code %d%s", e.Code, said)
}
