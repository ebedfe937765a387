package proc

import "errors"

// ErrGone says that a process is not there any more, or that another has its number.
var ErrGone = errors.New("the process has ended")
