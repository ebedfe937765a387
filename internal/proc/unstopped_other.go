//go:build !linux

package proc

// unstopped starts a child. Where the fork's signals cannot be chosen, a Ctrl-Z that meets it stops
// the child too.
func unstopped(start func() error) error { return start() }

// letStopIn has nothing to undo.
func letStopIn() {}
