package proc

import (
	"runtime"
	"sync"
	"syscall"
)

// directAttr puts a child into a group of its own. SIGTERM comes from the kernel should this
// program be killed: git then removes its locks, and a git that waits for a pipe ends.
func directAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// forks takes what is to run on the one thread that starts direct children. The parent-death signal
// is bound to the thread that forked, so that thread must never end.
var forks = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go forkForever(work)
	return work
})

func forkForever(work <-chan func()) {
	runtime.LockOSThread()
	for f := range work {
		f()
	}
}

// startDirect starts a direct child from the thread that never ends.
func startDirect(start func() error) error {
	result := make(chan error, 1)
	forks() <- func() { result <- unstopped(start) }
	return <-result
}
