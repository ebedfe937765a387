package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// spying are the capabilities by which root reads other processes past Landlock: their environment
// (from Linux 6.14 on CAP_PERFMON is enough, which CAP_SYS_ADMIN includes) and their memory.
var spying = []uint{unix.CAP_SYS_PTRACE, unix.CAP_SYS_ADMIN, unix.CAP_PERFMON}

// giveUpSpying takes these capabilities from this thread, and from all that it becomes and starts.
// The caller has locked the thread.
func giveUpSpying() error {
	for _, c := range spying {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) {
			// EINVAL: this kernel has no such capability
			return fmt.Errorf("bound capabilities: %w", err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	for _, c := range spying {
		bit := uint32(1) << (c % 32)
		data[c/32].Effective &^= bit
		data[c/32].Permitted &^= bit
		data[c/32].Inheritable &^= bit
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	return nil
}
