package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func replace(fd, with int) error { return unix.Dup3(fd, with, 0) }

// Identity is the start time of a process in the kernel's clock ticks, which distinguishes it from
// later ones with its number. Empty where it is unknown.
func Identity(pid int) string {
	if started := startedAt(pid); started > 0 {
		return strconv.FormatUint(started, 10)
	}
	return ""
}

// Await returns nil when the process that is known by its identity is gone, and the cause of ctx
// when that ends before. It sleeps until the kernel wakes it. errors.ErrUnsupported: this system
// has no such thing.
func Await(ctx context.Context, pid int, identity string) error {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil
	case err != nil:
		return fmt.Errorf("wait for process %d: %w: %w", pid, errors.ErrUnsupported, err)
	}
	f := os.NewFile(uintptr(fd), "process "+strconv.Itoa(pid))
	defer closeQuietly(f)
	if Identity(pid) != identity {
		return nil // the number belongs to another process now
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return fmt.Errorf("wait for process %d: %w: %w", pid, errors.ErrUnsupported, err)
	}
	// long ago: the wait ends now
	over := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	defer over()
	err = raw.Read(func(fd uintptr) bool {
		ready, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return ready > 0
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("wait for process %d: %w: %w", pid, errors.ErrUnsupported, err)
	}
	return nil
}
