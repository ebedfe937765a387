package main

import (
	"os"
	"syscall"
)

// memory is the resident memory, in bytes, of the largest process of a tree that has ended.
func memory(end *os.ProcessState) int64 {
	usage, ok := end.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
