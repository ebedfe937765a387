package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Identity is the start time of a process, which distinguishes it from later ones with its number.
// Empty where it is unknown.
func Identity(pid int) string {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return ""
	}
	return fmt.Sprintf("%d.%06d", k.Proc.P_starttime.Sec, k.Proc.P_starttime.Usec)
}
