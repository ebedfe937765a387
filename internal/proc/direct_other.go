//go:build !linux

package proc

// startDirect starts a direct child. No kernel but Linux's signals it when this program is killed.
func startDirect(start func() error) error { return unstopped(start) }
