package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Identity tells a process from those that get its number after it: when it began. Empty where that
// cannot be known.
func Identity(pid int) string {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return ""
	}
	return fmt.Sprintf("%d.%06d", k.Proc.P_starttime.Sec, k.Proc.P_starttime.Usec)
}
