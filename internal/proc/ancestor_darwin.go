package proc

import "golang.org/x/sys/unix"

// parentOf is the parent of a process; 0 where it is unknown.
func parentOf(pid int) int {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return 0
	}
	return int(k.Eproc.Ppid)
}
