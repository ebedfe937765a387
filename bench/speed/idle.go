package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// idle measures what a run takes of a processor while its agents sleep.
func (b *bench) idle() error {
	if info, err := os.Stat("/proc/self/schedstat"); err != nil || !info.Mode().IsRegular() {
		b.print("### An idle run\n\nNot measured: this system has no /proc/PID/schedstat.\n\n")
		return nil
	}
	const agents, settle, watched = 4, 3 * time.Second, 10 * time.Second
	dir, err := os.MkdirTemp("", "speed-idle-")
	if err != nil {
		return err
	}
	defer removeAll(dir) //nolint:errcheck // in the system's temporary directory
	if err = os.WriteFile(filepath.Join(dir, "durations"),
		[]byte(strings.Repeat("60000\n", agents)), 0o600); err != nil {
		return err
	}
	if err = make(graph, agents).write(dir, filepath.Join(b.dir, "speed"), "node",
		"durations"); err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close() //nolint:errcheck // nothing was written
	argv := b.plain("-j", strconv.Itoa(agents))
	argv[len(argv)-3] = "plain"
	child, err := os.StartProcess(argv[0], argv, &os.ProcAttr{
		Dir: dir, Env: environment(),
		Files: []*os.File{null, null, null},
	})
	if err != nil {
		return err
	}
	time.Sleep(settle)
	before := cpuOf(child.Pid)
	time.Sleep(watched)
	after := cpuOf(child.Pid)
	_ = child.Signal(os.Interrupt)
	if _, err = child.Wait(); err != nil {
		return err
	}
	if before == 0 || after < before {
		return fmt.Errorf("the run took %d and then %d ns of CPU: it had ended", before, after)
	}
	b.print(
		"### An idle run\n\nWhile %d agents sleep, autobuild takes %.2f ms of CPU a second.\n\n",
		agents, float64(after-before)/1e6/watched.Seconds())
	return nil
}

// cpuOf is the CPU time of all threads of a process, in nanoseconds.
func cpuOf(pid int) int64 {
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the pattern is right
	var sum int64
	for _, path := range stats {
		data, _ := os.ReadFile(path) // a thread may have ended
		if fields := strings.Fields(string(data)); len(fields) > 0 {
			n, _ := strconv.ParseInt(fields[0], 10, 64) // the kernel writes numbers
			sum += n
		}
	}
	return sum
}
