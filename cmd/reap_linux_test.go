package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// reap takes in what this process has adopted as a subreaper: processes of programs under test that
// ended after them. A child of its own is waited for at once, so that one that has been dead for a
// whole tick is another's.
func reap() {
	dead := map[int]bool{}
	for range time.Tick(time.Minute) {
		now := map[int]bool{}
		stats, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, path := range stats {
			text, _ := os.ReadFile(path)
			_, rest, _ := bytes.Cut(text, []byte(") "))
			fields := bytes.Fields(rest)
			if len(fields) < 2 || string(fields[0]) != "Z" || string(fields[1]) != strconv.Itoa(os.Getpid()) {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err == nil && dead[pid] {
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			} else if err == nil {
				now[pid] = true
			}
		}
		dead = now
	}
}
