package proc

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTick is not used here: the process table of this system is read without processor times.
const cpuTick = 10 * time.Millisecond

// processes reads the process table. A dead process is left out: launchd reaps what is not ours.
func processes() ([]process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	const dead = 5 // SZOMB
	list := make([]process, 0, len(table))
	for i := range table {
		k := &table[i]
		if k.Proc.P_stat == dead {
			continue
		}
		p := process{pid: int(k.Proc.P_pid), ppid: int(k.Eproc.Ppid), pgid: int(k.Eproc.Pgid)}
		if sid, err := unix.Getsid(p.pid); err == nil {
			p.sid = sid
		}
		list = append(list, p)
	}
	return list, nil
}
