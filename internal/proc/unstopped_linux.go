package proc

import (
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"
)

// unstopped starts a child that Ctrl-Z cannot stop before it is the program that it is to be. The
// key's signal goes to everybody in our group, and a child that is just being forked is one of
// them. It would stop when it lets signals in, which is when it has a group of its own: `fg` does
// not reach it there, and we wait in the kernel, deaf to everything, until it is its program. What
// is blocked in the thread that forks stays blocked in the child; we ourselves are stopped like any
// other program, by way of our other threads.
func unstopped(start func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before unix.Sigset_t
	if unix.PthreadSigmask(unix.SIG_BLOCK, stopKey(), &before) == nil {
		defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil) //nolint:errcheck // it was in force until now
	}
	return start()
}

// letStopIn undoes what unstopped did to this process, for this thread and what it forks. What came
// meanwhile is forgotten: signal.Notify unblocks before it catches, and would let it stop us.
func letStopIn() {
	signal.Ignore(unix.SIGTSTP)
	_ = unix.PthreadSigmask(unix.SIG_UNBLOCK, stopKey(), nil)
}

func stopKey() *unix.Sigset_t {
	var set unix.Sigset_t
	set.Val[0] = 1 << (unix.SIGTSTP - 1) // on every architecture it is one of the first 32
	return &set
}
