package steering

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"autobuild/internal/atomicfile"
	"autobuild/internal/safefile"
	"autobuild/orchestrator"
)

// Ask sends a command to the run whose state directory this is, and waits for the answer. alive
// reports whether the run still goes on. Errors: *orchestrator.CommandError where the run refuses,
// ErrEnded, ErrUnsupported, the cause of ctx. A command that was not answered is withdrawn.
func Ask(
	ctx context.Context, stateDir string, c orchestrator.Command, alive func() bool,
) (string, error) {
	dir := filepath.Join(stateDir, Dir)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("sending the command: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("sending the command: %w", err)
	}
	defer root.Close() //nolint:errcheck // only names were used
	name := rand.Text()
	held, err := send(root, name, c)
	if err != nil {
		return "", err
	}
	defer held.Close() //nolint:errcheck // it is complete: nothing is written any more
	defer withdraw(root, name)
	tick := time.NewTicker(answerEvery)
	defer tick.Stop()
	for {
		// asked before the answer is looked for, so that one that came last is seen
		over := !alive()
		text, found, err := received(root, name)
		if found || err != nil {
			return text, err
		}
		if over {
			return "", ErrEnded
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// send writes the command under a name that the run does not read, locks it, and gives it its name.
func send(root *os.Root, name string, c orchestrator.Command) (*os.File, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("sending the command: %w", err)
	}
	f, err := safefile.OpenIn(root, name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sending the command: %w", err)
	}
	if _, err = f.Write(data); err == nil {
		if err = lock(f); err == nil {
			err = root.Rename(name, name+asked)
		}
	}
	if err != nil {
		_ = f.Close() // the error is returned
		_ = root.Remove(name)
		return nil, fmt.Errorf("sending the command: %w", err)
	}
	return f, nil
}

// received reads the answer, where there is one.
func received(root *os.Root, name string) (text string, found bool, err error) {
	data, err := safefile.ReadIn(root, name+answered, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", true, fmt.Errorf("reading the run's answer: %w", err)
	}
	var a answer
	switch err = json.Unmarshal(data, &a); {
	case err != nil:
		return "", true, fmt.Errorf("reading the run's answer: %w", err)
	case a.Why != "":
		return "", true, &orchestrator.CommandError{Why: a.Why, Next: a.Next}
	}
	return a.Text, true, nil
}

// withdraw removes the files of a command.
func withdraw(root *os.Root, name string) {
	_ = root.Remove(name + asked) // the run has taken it where it was answered
	_ = root.Remove(name + answered)
}

// reply writes the answer to a command.
func reply(root *os.Root, name string, a answer) error {
	data, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("answering a command: %w", err)
	}
	if err = atomicfile.Write(root, name+answered, data, 0o600); err != nil {
		return fmt.Errorf("answering a command: %w", err)
	}
	return nil
}
