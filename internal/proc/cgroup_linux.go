package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// cgroup is the control group of one supervisor and all its descendants: a second means to find
// these, beside their descent. A process born in it stays in it across changes of session,
// environment and parent. The supervisor itself ends its children by descent; the group serves
// where it cannot, because it was killed. It is killed once and never used again: Linux up to 6.18
// at least kills a process that starts in a group after that group was killed. nil: the system
// allows no group, and only this second means is missing.
type cgroup struct{ dir string }

// enterCgroup makes a group for this process within its present group, and enters it. It ends the
// processes left by supervisors that were killed together with the processes that would have swept
// up.
func enterCgroup() *cgroup {
	home := cgroupHome()
	if home == "" {
		return nil
	}
	sweepCgroups(home)
	g := cgroupOf(unix.Getpid(), startedAt(unix.Getpid()))
	if os.Mkdir(g.dir, 0o750) != nil {
		return nil
	}
	_, err := os.Stat(filepath.Join(g.dir, "cgroup.kill")) // since Linux 5.14
	if err != nil || !moveTo(g.dir) {
		g.remove()
		return nil
	}
	return g
}

// leave takes this process out of the group again, and the group away.
func (g *cgroup) leave() {
	if g != nil && moveTo(filepath.Dir(g.dir)) {
		g.remove()
	}
}

// moveTo moves this process into a group.
func moveTo(dir string) bool { return tellCgroup(dir, "cgroup.procs", strconv.Itoa(unix.Getpid())) }

// tellCgroup writes a word to one of the files of a group.
func tellCgroup(dir, file, word string) bool {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	_, err = f.WriteString(word)
	closeQuietly(f)
	return err == nil
}

// cgroupOf is the group that the supervisor of this process id, started then, is in, where it could
// make one.
func cgroupOf(pid int, started uint64) *cgroup {
	home := cgroupHome()
	if home == "" {
		return nil
	}
	return &cgroup{dir: filepath.Join(home, cgroupPrefix()+strconv.Itoa(pid)+"-"+
		strconv.FormatUint(started, 10))}
}

// cgroupPrefix begins the names of groups whose process ids mean something here.
func cgroupPrefix() string {
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return anyCgroup
	}
	return anyCgroup + strings.Trim(space, "pid:[]") + "-"
}

const anyCgroup = "autobuild-"

// cgroupHome is the directory of this process's own group in the unified hierarchy; empty where
// there is none.
func cgroupHome() string {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	return findCgroup(string(own), string(mounts))
}

// findCgroup reads /proc/self/cgroup and /proc/self/mountinfo.
func findCgroup(own, mounts string) string {
	path := ""
	for line := range strings.Lines(own) {
		if p, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			path = p
		}
	}
	// the latter lies outside of our namespace
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "/..") {
		return ""
	}
	for line := range strings.Lines(mounts) {
		f := strings.Fields(line)
		if len(f) > 6 && f[3] == "/" && strings.Contains(line, " - cgroup2 ") &&
			!strings.Contains(f[4], `\`) {
			return filepath.Join(f[4], path)
		}
	}
	return ""
}

// sweepCgroups ends what is in groups whose supervisor is gone.
func sweepCgroups(home string) {
	prefix := cgroupPrefix()
	left, err := filepath.Glob(filepath.Join(home, prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		id, began, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		pid, err := strconv.Atoi(id)
		if err == nil && strconv.FormatUint(startedAt(pid), 10) != began {
			g := &cgroup{dir: dir}
			g.kill()
			g.remove()
		}
	}
}

// kill ends all processes of the group at once, also those that are just being forked.
func (g *cgroup) kill() {
	if g != nil {
		tellCgroup(g.dir, "cgroup.kill", "1") // a group that is gone is empty
	}
}

// remove takes the group away, with those of supervisors within it. One in which the last processes
// are still ending stays for the next sweep.
func (g *cgroup) remove() {
	if g == nil {
		return
	}
	inner, err := filepath.Glob(filepath.Join(g.dir, anyCgroup+"*"))
	if err != nil {
		return
	}
	for _, dir := range inner {
		(&cgroup{dir: dir}).remove()
	}
	_ = unix.Rmdir(g.dir)
}
