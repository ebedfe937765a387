package proc

import "strconv"

// parentOf is the parent of a process; 0 where it is unknown.
func parentOf(pid int) int {
	p, _ := readStat(strconv.Itoa(pid), make([]byte, 1024))
	return p.ppid
}
