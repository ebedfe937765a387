package proc_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// eventually waits for something observable.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit := time.After(deadline)
	for !ok() {
		select {
		case <-time.After(2 * time.Millisecond):
		case <-limit:
			t.Fatalf("waited %v in vain: %s", deadline, what)
		}
	}
}

// yard is a folder whose lock every member of a hostile tree shares.
func yard(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// free reports whether no process holds the file's lock.
func free(t *testing.T, path string) bool {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func nobodyLeft(t *testing.T, dir string) {
	t.Helper()
	if n := present(dir); n != treeSize {
		t.Errorf("the tree had %d of %d members: the test proves nothing", n, treeSize)
	}
	if !free(t, filepath.Join(dir, "lock")) {
		t.Error("somebody of the tree is alive")
	}
}

func TestNobodyLeftAfterNormalEnd(t *testing.T) {
	t.Parallel()
	dir := yard(t)
	e := run(t, runner(t), proc.Command{Argv: self(t, "tree", dir, "exit", "0")})
	if !e.OK() || e.Tail != "tree\n" {
		t.Errorf("%+v", e)
	}
	nobodyLeft(t, dir)
}

func TestNobodyLeftAfterStop(t *testing.T) {
	t.Parallel()
	dir := yard(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := runCtx(ctx, t, runner(t), proc.Command{Argv: self(t, "tree", dir, "hang"), Grace: 100 * time.Millisecond, Activity: func(string) { cancel() }})
	if e.Ended != proc.Stopped || e.Signal != "SIGKILL" {
		t.Errorf("%+v", e)
	}
	nobodyLeft(t, dir)
}

// A stopped child receives a polite signal too: it is woken, and need not be killed.
func TestStoppedChildHears(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := runCtx(ctx, t, runner(t), proc.Command{Argv: self(t, "doze"), Grace: deadline, Activity: func(line string) {
		if strings.HasPrefix(line, "got") {
			return
		}
		eventually(t, "it stops", func() bool {
			stat, err := os.ReadFile("/proc/" + line + "/stat")
			return err == nil && strings.Contains(string(stat), ") T ")
		})
		cancel()
	}})
	if e.Ended != proc.Stopped || e.Code != 7 || e.Last != "got terminated" {
		t.Errorf("%+v", e)
	}
}

// The sweep after a dead supervisor ends no other process: not a child of this program's own that
// was there before. It runs alone, since the supervisors that die in other tests may have begun
// before that child.
func TestOthersAreLeftAlone(t *testing.T) {
	other := exec.Command("sleep", "600")
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- other.Wait() }()
	<-time.After(100 * time.Millisecond) // start times differ by hundredths of a second
	if e := run(t, runner(t), proc.Command{Argv: []string{"/bin/sh", "-c", "kill -9 $PPID; sleep 600"}, Env: []string{"PATH=/usr/bin:/bin"}}); e.Ended != proc.Lost {
		t.Errorf("%+v", e)
	}
	select {
	case err := <-ended:
		t.Fatalf("it was ended: %v", err)
	default:
	}
	_ = other.Process.Kill()
	if err := <-ended; err == nil {
		t.Error("it has slept enough")
	}
}

// The next child of the same supervisor must not pay for, or meet, the children of the one before.
func TestSupervisorIsReused(t *testing.T) {
	t.Parallel()
	r := runner(t)
	parent := func() (ppid int) {
		var pid, pgid, sid int
		if err := fscan(run(t, r, proc.Command{Argv: self(t, "about")}).Tail, &pid, &ppid, &pgid, &sid); err != nil {
			t.Fatal(err)
		}
		return ppid
	}
	first := parent()
	dir := yard(t)
	run(t, r, proc.Command{Argv: self(t, "tree", dir, "exit", "1")})
	nobodyLeft(t, dir)
	if second := parent(); second != first {
		t.Errorf("supervisors %d and %d: it was not kept", first, second)
	}
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if third := parent(); third == first {
		t.Error("a dead supervisor was used")
	}
}

func TestNobodyLeftAfterSupervisorIsKilled(t *testing.T) {
	t.Parallel()
	dir := yard(t)
	r := runner(t)
	e := run(t, r, proc.Command{Argv: self(t, "tree", dir, "murder")})
	if e.Ended != proc.Lost || e.OK() {
		t.Errorf("%+v", e)
	}
	nobodyLeft(t, dir)
	if e := run(t, r, proc.Command{Argv: self(t, "exit", "0")}); !e.OK() {
		t.Errorf("the next child: %+v", e)
	}
}

// A supervisor that was stopped, by its own child for instance, cannot kill its tree: it is given
// up.
func TestNobodyLeftAfterSupervisorIsStopped(t *testing.T) {
	t.Parallel()
	dir := yard(t)
	r := runner(t)
	r.SetPatience(300 * time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := runCtx(ctx, t, r, proc.Command{Argv: self(t, "tree", dir, "freeze"), Grace: 20 * time.Millisecond, Activity: func(line string) {
		if line == "frozen" {
			cancel()
		}
	}})
	if e.Ended != proc.Lost {
		t.Errorf("%+v", e)
	}
	nobodyLeft(t, dir)
}

// A supervisor that is stopped before it has said that the child is there is given up as well:
// nothing waits without a limit.
//
// It runs alone: a program that has just been written cannot be started while another test forks.
func TestSupervisorThatNeverAnswers(t *testing.T) {
	mute := filepath.Join(t.TempDir(), "mute")
	if err := os.WriteFile(mute, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := &proc.Runner{Exe: mute}
	t.Cleanup(r.Close)
	r.SetStartPatience(100 * time.Millisecond)
	if e := run(t, r, proc.Command{Argv: self(t, "exit", "0")}); e.Ended != proc.Lost {
		t.Errorf("%+v", e)
	}
}

// A child can kill its supervisor before that has reported the child: it counts as lost, is not
// started a second time, and none of its processes is left. A supervisor that dies before it has
// taken the child has started nothing.
func TestSupervisorThatIsKilledAtOnce(t *testing.T) {
	dir := t.TempDir()
	fake := func(name, script string) *proc.Runner {
		exe := filepath.Join(dir, name)
		if err := os.WriteFile(exe, []byte("#!/bin/sh\nhead -c 5 <&3 > "+dir+"/frame\n"+script+"\nkill -9 $$\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		r := &proc.Runner{Exe: exe}
		t.Cleanup(r.Close)
		return r
	}
	const word = "t0123456789abcdef" // of 17 bytes, as every report
	r := fake("taken", "printf "+word+" >&3; (setsid sh -c 'echo $$ >> "+dir+"/left; exec sleep 600' 3>&- &); while [ ! -s "+dir+"/left ]; do sleep 0.01; done")
	if e := run(t, r, proc.Command{Argv: self(t, "exit", "0")}); e.Ended != proc.Lost {
		t.Errorf("%+v", e)
	}
	text, err := os.ReadFile(filepath.Join(dir, "left"))
	pid, wrong := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || wrong != nil {
		t.Fatalf("not one child was started: %q, %v", text, err)
	}
	eventually(t, "its child ends", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
	if _, err = fake("dead", "").Run(t.Context(), proc.Command{Argv: self(t, "exit", "0")}); err == nil || !strings.HasPrefix(err.Error(), "supervisor: ") {
		t.Errorf("a supervisor that has taken nothing: %v", err)
	}
}

// The proof of the lifeline: the program that uses a Runner dies by SIGKILL. No process may be
// left, and the agents' lock must be free only after the last of them has gone.
func TestNobodyLeftAfterWeAreKilled(t *testing.T) {
	t.Parallel()
	dir := yard(t)
	argv := self(t, "run", dir, "tree", dir, "hang")
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the tree", func() bool { return present(dir) == treeSize })
	if free(t, filepath.Join(dir, "agents")) {
		t.Error("the agents' lock is free while they work")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(t, "the agents' lock becomes free", func() bool { return free(t, filepath.Join(dir, "agents")) })
	nobodyLeft(t, dir)
}

// An idle supervisor ends with us as well.
func TestIdleSupervisorEndsWithItsLifeline(t *testing.T) {
	t.Parallel()
	r := new(proc.Runner)
	var pid, ppid, pgid, sid int
	if err := fscan(run(t, r, proc.Command{Argv: self(t, "about")}).Tail, &pid, &ppid, &pgid, &sid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(ppid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if e := run(t, r, proc.Command{Argv: self(t, "exit", "0")}); !e.OK() {
		t.Errorf("after a SIGTERM to the supervisor: %+v", e)
	}
	r.Close()
	if err := syscall.Kill(ppid, 0); err != syscall.ESRCH {
		t.Errorf("the supervisor %d is alive after Close: %v", ppid, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	size := floodSize
	if testing.Short() {
		size = 50_000_000
	}
	log := filepath.Join(t.TempDir(), "log")
	argv := self(t, "floodrun", strconv.Itoa(size), log)
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var kb, n int
	var rest string
	if _, err = fmt.Sscan(string(out), &kb, &n, &rest); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if kb > 48<<10 || n < size || !strings.Contains(string(out), "the end <nil>") {
		t.Errorf("peak %d KB after %d bytes: %s", kb, n, out)
	}
	got, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > 1<<20+100 || !strings.HasPrefix(string(got), "0123") || !strings.HasSuffix(string(got), "\nthe end\n") || !strings.Contains(string(got), " bytes left out …\n") {
		t.Errorf("the log has %d bytes and ends in %q", len(got), got[max(0, len(got)-40):])
	}
}
