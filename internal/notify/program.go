package notify

import (
	"bytes"
	"context"
	"fmt"
	"strings"
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

// desktop is the program that shows a message on the desktop of a system; nil where none is known.
// Texts are arguments of their own, so that no quote in them means anything.
func desktop(goos string) func(Notice) []string {
	title := func(t Notice) string { return "autobuild: " + t.Event }
	switch goos {
	case "darwin":
		const script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 " +
			"of argv)\nend run"
		return func(t Notice) []string {
			return []string{
				"osascript", "-e", script, title(t),
				t.Text,
			}
		}
	case "linux", "freebsd", "openbsd", "netbsd":
		// the body is read as markup
		plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
		return func(t Notice) []string {
			return []string{
				"notify-send", "--app-name=autobuild", "--", title(t),
				plain.Replace(t.Text),
			}
		}
	}
	return nil
}
