package proc

import (
	"context"
	"errors"
	"os"
)

// Detached is a process that outlives the one that started it; there is none on this system.
type Detached struct{ Line *os.File }

// Detach is not possible here: a process that leaves its console takes no signals, and could not be
// asked to end in order.
func Detach([]string, []string, *os.File, *os.File) (*Detached, error) {
	return nil, errors.ErrUnsupported
}

// Stop does nothing.
func (*Detached) Stop(bool) {}

// Wait does not wait.
func (*Detached) Wait() (code int, signal string, err error) {
	return -1, "", errors.ErrUnsupported
}

// DetachedLine is nil: nothing starts this program by Detach.
func DetachedLine() *os.File { return nil }

// Redirect is not possible here.
func Redirect(*os.File) error { return errors.ErrUnsupported }

// Terminate is not possible here: a process of another console cannot be asked to end in order.
func Terminate(context.Context, int, string, bool) error { return errors.ErrUnsupported }

// Identity is not available here: a process number counts as proof.
func Identity(int) string { return "" }

// Await is not known here: callers look now and then.
func Await(context.Context, int, string) error { return errors.ErrUnsupported }
