package store

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// other starts the test binary as another process and returns its first line. Closing stdin ends
// it.
func other(t *testing.T, what, dir string, inherit ...*os.File) (cmd *exec.Cmd, stdin io.Closer, line string) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_CHILD="+what, "STORE_TEST_DIR="+dir)
	cmd.ExtraFiles = inherit
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return cmd, in, strings.TrimSpace(line)
}

// TestSecondRun: another process is refused with the holder's name, and gets the lock after the
// first has ended or was killed.
func TestSecondRun(t *testing.T) {
	dir := stateDir(t)
	cmd, _, line := other(t, "hold", dir)
	if line != "held" {
		t.Fatal(line)
	}
	_, err := open(dir, "", Holder{}, nil, 0)
	l, ok := errors.AsType[*LockedError](err)
	if !ok || l.Holder.PID != cmd.Process.Pid || l.Holder.RunID != "r7" || l.Agents {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"on elsewhere", "since 2026-01-02", "run r7", "plan PLAN.md", runLock, "autobuild stop"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if err = cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	d, err := open(dir, "", Holder{PID: 1, RunID: "r8"}, nil, time.Second)
	if err != nil {
		t.Fatalf("the lock of a killed process: %v", err)
	}
	if got := readHolder(filepath.Join(dir, runLock)); got.RunID != "r8" {
		t.Errorf("the lock file names %+v", got)
	}
	closeDir(t, d)
	if got := readHolder(filepath.Join(dir, runLock)); got.PID != 0 {
		t.Errorf("after the end the lock file still names %+v", got)
	}
}

// TestAgentsOutliveTheirRun: while a process has the agents' lock open, the next run waits, and
// then says for whom.
func TestAgentsOutliveTheirRun(t *testing.T) {
	dir := stateDir(t)
	d, err := open(dir, "", Holder{PID: 4711, Host: "here", RunID: "r1"}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, stdin, line := other(t, "agent", dir, d.Agents())
	if line != "working" {
		t.Fatal(line)
	}
	holder := readHolder(filepath.Join(dir, runLock))
	closeDir(t, d)
	d.lock, d.locked = nil, nil
	sign(t, dir, holder) // as kill -9 leaves it

	for range 2 {
		_, err = open(dir, "", Holder{PID: 1}, nil, 30*time.Millisecond)
		l, ok := errors.AsType[*LockedError](err)
		if !ok || !l.Agents || l.Holder.PID != 4711 || !strings.Contains(err.Error(), "agents of a run that was killed are still working (process 4711") {
			t.Fatalf("got %v", err)
		}
	}
	entered := make(chan error, 1)
	go func() {
		d, err := open(dir, "", Holder{PID: 1}, nil, 10*time.Second)
		if err == nil {
			err = d.Close()
		}
		entered <- err
	}()
	if err := stdin.Close(); err != nil { // the agent ends
		t.Fatal(err)
	}
	if err := <-entered; err != nil {
		t.Errorf("the agent has ended, and yet: %v", err)
	}
}

func sign(t *testing.T, dir string, h Holder) {
	t.Helper()
	d := &Dir{path: dir}
	if _, err := d.takeLock(dir); err != nil {
		t.Fatal(err)
	}
	if err := d.sign(h); err != nil {
		t.Fatal(err)
	}
	if err := d.lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

// TestSixteen start at the same instant: one gets in, fifteen are refused.
func TestSixteen(t *testing.T) {
	dir := stateDir(t)
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		in     []*Dir
		locked int
		start  = make(chan struct{})
	)
	for range 16 {
		wg.Go(func() {
			<-start
			d, err := open(dir, "", Holder{PID: os.Getpid()}, nil, time.Second)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				in = append(in, d)
			} else if _, ok := errors.AsType[*LockedError](err); ok {
				locked++
			} else {
				t.Error(err)
			}
		})
	}
	close(start)
	wg.Wait()
	if len(in) != 1 || locked != 15 {
		t.Fatalf("%d are in, %d were refused", len(in), locked)
	}
	closeDir(t, in[0])
}

// TestSixteenProcesses is the same with processes.
func TestSixteenProcesses(t *testing.T) {
	dir, held := stateDir(t), 0
	lines := make(chan string, 16)
	for range 16 {
		go func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "STORE_TEST_CHILD=hold", "STORE_TEST_DIR="+dir)
			in, err := cmd.StdinPipe()
			if err != nil {
				lines <- err.Error()
				return
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				lines <- err.Error()
				return
			}
			if err := cmd.Start(); err != nil {
				lines <- err.Error()
				return
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			lines <- line
			t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
		}()
	}
	for range 16 {
		switch line := <-lines; {
		case line == "held\n":
			held++
		case !strings.Contains(line, "another autobuild is running"):
			t.Errorf("refused with %q", line)
		}
	}
	if held != 1 {
		t.Errorf("%d of 16 hold the lock", held)
	}
}

// TestDeletedLock: deleting the lock file allows a second holder. The first one notices before it
// saves anything, and the second one does not get past the agents' lock.
func TestDeletedLock(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer func() { closeDir(t, d) }()
	r := story(t, d)
	if err := os.Remove(filepath.Join(dir, runLock)); err != nil {
		t.Fatal(err)
	}
	_, err := open(dir, "", Holder{PID: 2}, nil, 30*time.Millisecond)
	if l, ok := errors.AsType[*LockedError](err); !ok || !l.Agents {
		t.Errorf("the second run: %v", err)
	}
	e := started("2b", 1)
	e.Seq, e.Time = r.Seq+1, at(40)
	if err = r.Apply(e); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	err = d.Event(e, r)
	if u, ok := errors.AsType[*UnusableError](err); !ok || !strings.Contains(u.Cause, "removed or replaced") {
		t.Errorf("the first run goes on: %v", err)
	}
	if after := snapshot(t, dir); len(after) != len(before) || after["phases/phase-2b.json"] != before["phases/phase-2b.json"] {
		t.Error("the first run has saved without its lock")
	}
}

// TestLockOfNobody: a lock on a file that was deleted or replaced before the lock does not count.
func TestLockOfNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), runLock)
	lock := flock.New(path)
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	d := &Dir{}
	if !d.own(lock) || d.lock == nil {
		t.Error("a good lock was refused")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if d.own(lock) {
		t.Error("the lock file is gone")
	}
	if err := os.WriteFile(path, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if d.own(lock) {
		t.Error("the lock file is another")
	}
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
}

// TestMovedAway: an agent that deletes or moves the state directory is noticed too.
func TestMovedAway(t *testing.T) {
	root := t.TempDir()
	dir, common := filepath.Join(root, ".autobuild"), filepath.Join(root, "git")
	if err := os.Mkdir(common, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := open(dir, common, Holder{PID: 1}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { closeDir(t, d) }()
	r := story(t, d)
	if err = os.Rename(dir, dir+".moved"); err != nil {
		t.Fatal(err)
	}
	if err = os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	err = d.Event(end(), r)
	if _, ok := errors.AsType[*UnusableError](err); !ok {
		t.Errorf("got %v", err)
	}
}

// TestDeletedBooks: a diary and a log that an agent deletes or replaces are whole again with the
// next step of a phase.
func TestDeletedBooks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be deleted here")
	}
	dir := stateDir(t)
	d := openDir(t, dir)
	defer func() { closeDir(t, d) }()
	r := story(t, d)
	before := snapshot(t, dir)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "other"), []byte("{}\n"), 0o600), os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, DiaryName)),
		os.RemoveAll(filepath.Join(dir, logsDir))); err != nil {
		t.Fatal(err)
	}
	e := started("2b", 1)
	e.Seq, e.Time = r.Seq+1, at(40)
	if err := errors.Join(r.Apply(e), d.Event(e, r)); err != nil {
		t.Fatal(err)
	}
	after := snapshot(t, dir)
	for _, name := range []string{DiaryName, logName} {
		if rest, whole := strings.CutPrefix(after[name], before[name]); !whole || strings.Count(rest, "\n") != 1 || before[name] == "" {
			t.Errorf("%s is %q and was %q", name, after[name], before[name])
		}
	}
}
