package proc

import (
	"os"
	"strconv"
	"strings"
)

// MemoryKills is how many processes the system has killed for lack of memory, in all of its control
// groups, since the boot with this id. boot is empty where the kernel (before 4.13) does not count.
func MemoryKills() (boot string, count int64) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", 0
	}
	text, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return "", 0
	}
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok {
			if count, err = strconv.ParseInt(strings.TrimSpace(n), 10, 64); err == nil {
				return strings.TrimSpace(string(id)), count
			}
		}
	}
	return "", 0
}
