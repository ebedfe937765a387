package proc

import (
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"
)

// unstopped starts a child that Ctrl-Z cannot stop before its exec. The key's signal goes to all
// processes of our group, also to a child that is just being forked. That child would stop when it
// unblocks signals, which is when it has a group of its own. `fg` does not reach it there, and we
// wait in the kernel for its exec and receive no signal. A signal blocked in the forking thread
// stays blocked in the child; this process itself is stopped like any other program, by way of its
// other threads.
func unstopped(start func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unix.Sigset_t
	if unix.PthreadSigmask(unix.SIG_BLOCK, stopKey(), &before) == nil {
		defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil) //nolint:errcheck // it was in force until now
	}
	return start()
}

// letStopIn undoes the effect of unstopped on this process, for this thread and its children. It
// drops a pending SIGTSTP: signal.Notify unblocks before it catches, and would let it stop us.
func letStopIn() {
	signal.Ignore(unix.SIGTSTP)
	_ = unix.PthreadSigmask(unix.SIG_UNBLOCK, stopKey(), nil)
}

func stopKey() *unix.Sigset_t {
	var set unix.Sigset_t
	set.Val[0] = 1 << (unix.SIGTSTP - 1) // on every architecture it is one of the first 32
	return &set
}
