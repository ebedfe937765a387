package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// home is a group of this test's own, in which its process is until it ends: other processes on the
// machine that sweep up as well do not look there.
func home(t *testing.T) string {
	t.Helper()
	outer := cgroupHome()
	own := &cgroup{dir: filepath.Join(outer, "test-of-autobuild-"+strconv.Itoa(os.Getpid()))}
	if outer == "" || os.Mkdir(own.dir, 0o755) != nil {
		t.Skip("no control group can be made here: that needs cgroup v2 and leave to write")
	}
	t.Cleanup(func() { gone(t, own) })
	if _, err := os.Stat(filepath.Join(own.dir, "cgroup.kill")); err != nil {
		t.Skip("control groups cannot be killed here: that needs Linux 5.14")
	}
	if !moveTo(own.dir) {
		t.Skip("a process may not be moved into a control group here")
	}
	t.Cleanup(func() {
		if !moveTo(outer) {
			t.Errorf("this process cannot go back to %s", outer)
			return
		}
		own.kill() // whom a failed test has left
	})
	return own.dir
}

// daemon starts a process in a group that has left every parent, session and environment, and
// ignores all signals but SIGKILL. The returned reader ends with the process.
func daemon(t *testing.T, dir string) io.Reader {
	t.Helper()
	const script = `echo $$ > "$0/cgroup.procs"; (setsid env -i sh -c 'trap "" TERM; echo here; while :; do sleep 9; done' &)`
	cmd := exec.Command("sh", "-c", script, dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); line != "here\n" {
		t.Fatalf("%q %v", line, err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	return r
}

// ended waits until all writers of a pipe are gone.
func ended(t *testing.T, pipe io.Reader) {
	t.Helper()
	end := make(chan error, 1)
	go func() {
		rest, err := io.ReadAll(pipe)
		if len(rest) > 0 {
			err = fmt.Errorf("it said %q", rest)
		}
		end <- err
	}()
	select {
	case err := <-end:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("somebody in the group lives on")
	}
}

// gone waits until a group has no processes and is removed; the last of them end a little after
// their pipes.
func gone(t *testing.T, g *cgroup) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		g.remove()
		if _, err := os.Stat(g.dir); errors.Is(err, os.ErrNotExist) {
			return
		}
		select {
		case <-limit:
			t.Fatalf("%s is still there", g.dir)
		case <-time.After(time.Millisecond):
		}
	}
}

// A supervisor that was killed together with all processes that would have swept up leaves its
// group: the next one ends its members. The group of a live supervisor is not touched.
func TestLeftCgroupsAreSwept(t *testing.T) {
	home := home(t)
	left := &cgroup{dir: filepath.Join(home, cgroupPrefix()+"1-12345")}
	inner := filepath.Join(left.dir, cgroupPrefix()+"2-12345")
	lives := cgroupOf(os.Getpid(), startedAt(os.Getpid()))
	for _, dir := range []string{left.dir, inner, lives.dir} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	orphan, nested := daemon(t, left.dir), daemon(t, inner)
	r := new(Runner)
	if exit, err := r.Run(t.Context(), Command{Argv: []string{"/bin/true"}}); err != nil || !exit.OK() {
		t.Fatalf("%+v %v", exit, err)
	}
	r.Close()
	ended(t, orphan)
	ended(t, nested)
	gone(t, left)
	if _, err := os.Stat(lives.dir); err != nil {
		t.Errorf("the group of one that lives: %v", err)
	}
	gone(t, lives)
}

// A child is in its supervisor's group, which is gone when the supervisor is, whether that ended or
// was killed.
func TestChildrenAreInACgroup(t *testing.T) {
	home := home(t)
	for _, script := range []string{"cat /proc/self/cgroup", "cat /proc/self/cgroup; kill -9 $PPID; sleep 600"} {
		r := new(Runner)
		exit, err := r.Run(t.Context(), Command{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}})
		if err != nil {
			t.Fatalf("%+v %v", exit, err)
		}
		_, path, _ := strings.Cut(exit.Tail, "0::")
		name := filepath.Base(strings.TrimSpace(path))
		if !strings.HasPrefix(name, cgroupPrefix()) {
			t.Fatalf("it was in %s", exit.Tail)
		}
		r.Close()
		gone(t, &cgroup{dir: filepath.Join(home, name)})
	}
}

// The supervisor's number and start time suffice to find a killed group, and every process in it
// ends.
func TestCgroupIsKilled(t *testing.T) {
	home(t)
	g := cgroupOf(os.Getpid(), startedAt(os.Getpid())+1)
	if !strings.HasSuffix(g.dir, strconv.Itoa(os.Getpid())+"-"+strconv.FormatUint(startedAt(os.Getpid())+1, 10)) {
		t.Errorf("%s", g.dir)
	}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	pipe := daemon(t, g.dir)
	g.kill()
	ended(t, pipe)
	gone(t, g)
}

func TestFindCgroup(t *testing.T) {
	t.Parallel()
	const unified = "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n"
	for _, c := range []struct{ own, mounts, want string }{
		{"0::/user.slice/a.scope\n", unified, "/sys/fs/cgroup/user.slice/a.scope"},
		{"9:pids:/x\n0::/\n", "30 1 0:5 / /proc rw - proc proc rw\n" + unified, "/sys/fs/cgroup"},
		{"0::/../../other\n", unified, ""},
		{"9:pids:/x\n", unified, ""},
		{"0::/\n", "41 31 0:38 /part /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", ""},
		{"", "", ""},
	} {
		if got := findCgroup(c.own, c.mounts); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.own, c.mounts, got, c.want)
		}
	}
}
