//go:build unix

package proc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"autobuild/internal/proc"
)

func run(t testing.TB, r *proc.Runner, c proc.Command) proc.Exit {
	t.Helper()
	return runCtx(t.Context(), t, r, c)
}

func runCtx(ctx context.Context, t testing.TB, r *proc.Runner, c proc.Command) proc.Exit {
	t.Helper()
	e, err := r.Run(ctx, c)
	if err != nil {
		t.Fatalf("Run(%q): %v", c.Argv, err)
	}
	return e
}

func TestExits(t *testing.T) {
	t.Parallel()
	r := runner(t)
	for _, tt := range []struct {
		argv   []string
		code   int
		signal string
	}{
		{self(t, "exit", "0"), 0, ""},
		{self(t, "exit", "3"), 3, ""},
		{self(t, "exit", "255"), 255, ""},
		{[]string{"/bin/sh", "-c", "kill -9 $$"}, -1, "SIGKILL"},
		{[]string{"/bin/sh", "-c", "kill -15 $$"}, -1, "SIGTERM"},
		{[]string{"/bin/sh", "-c", "kill -13 $$"}, -1, "SIGPIPE"},
		{[]string{"/bin/sh", "-c", "kill -11 $$"}, -1, "SIGSEGV"},
	} {
		e := run(t, r, proc.Command{Argv: tt.argv})
		if e.Code != tt.code || e.Signal != tt.signal || e.Ended != proc.Exited {
			t.Errorf("%q: code %d, signal %q, %s; want %d, %q, exited", tt.argv, e.Code, e.Signal, e.Ended, tt.code, tt.signal)
		}
		if e.OK() != (tt.code == 0) || e.Duration <= 0 || e.CPU <= 0 {
			t.Errorf("%q: OK %v after %v with %v of CPU", tt.argv, e.OK(), e.Duration, e.CPU)
		}
	}
}

// A child inherits three streams, its own session, no ignored signal, the environment as given.
func TestInheritance(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("this system has no /proc to look at a child's descriptors and signals")
	}
	stray, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stray.Close() }()
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, stray.Fd(), syscall.F_SETFD, 0); errno != 0 {
		t.Fatal(errno)
	}
	dir := t.TempDir()
	e := run(t, runner(t), proc.Command{Argv: self(t, "about"), Dir: dir, Env: []string{"B=2", "PWD=/wrong", "A=1"}})
	var pid, ppid, pgid, sid int
	if err := fscan(e.Tail, &pid, &ppid, &pgid, &sid); err != nil {
		t.Fatalf("%v in %q", err, e.Tail)
	}
	if pgid != pid || sid != pid || ppid == os.Getpid() {
		t.Errorf("pid %d, group %d, session %d, parent %d: want a session leader below a supervisor", pid, pgid, sid, ppid)
	}
	for _, want := range []string{"wd=" + dir + "\n", "env=B=2,A=1,PWD=" + dir + "\n", "SigIgn:\t0000000000000000\n", "SigBlk:\t0000000000000000\n", "no such device or address"} {
		if !strings.Contains(e.Tail, want) {
			t.Errorf("%q is missing in\n%s", want, e.Tail)
		}
	}
	for line := range strings.Lines(e.Tail) {
		if rest, ok := strings.CutPrefix(line, "fd "); ok && rest[1] == ' ' && rest[0] > '2' && !strings.Contains(rest, "anon_inode") && !strings.Contains(rest, "/proc/") && !strings.Contains(rest, "/cgroup/") {
			t.Errorf("the child inherited fd %s", rest)
		}
	}
}

func fscan(s string, pid, ppid, pgid, sid *int) error {
	_, err := fmt.Sscanf(s, "pid=%d ppid=%d pgid=%d sid=%d", pid, ppid, pgid, sid)
	if err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	return nil
}

func TestStdin(t *testing.T) {
	t.Parallel()
	r := runner(t)
	big := strings.Repeat("prompt ", 1<<20)
	var got strings.Builder
	e := run(t, r, proc.Command{Argv: self(t, "cat"), Stdin: strings.NewReader(big), Stdout: func(b []byte) { got.Write(b) }})
	if got.String() != big || !e.OK() {
		t.Errorf("cat gave %d of %d bytes, %+v", got.Len(), len(big), e)
	}
	if e := run(t, r, proc.Command{Argv: self(t, "cat")}); e.Tail != "0 <nil>\n" {
		t.Errorf("without input cat says %q", e.Tail)
	}
	if e := run(t, r, proc.Command{Argv: self(t, "say", "unread"), Stdin: strings.NewReader(big)}); !e.OK() || e.Tail != "unread" {
		t.Errorf("a child that never reads: %+v", e)
	}
}

func TestClosesOutputAndWorksOn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "work")
	e := run(t, runner(t), proc.Command{Argv: self(t, "quiet", file)})
	if got, err := os.ReadFile(file); err != nil || string(got) != "done" || !e.OK() || e.Tail != "before\n" {
		t.Errorf("%q %v %+v: the end of its output was taken for its end", got, err, e)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	r := runner(t)
	for _, tt := range []struct {
		name string
		c    proc.Command
		want proc.Ended
	}{
		{"hang", proc.Command{Argv: self(t, "hang"), Timeout: 150 * time.Millisecond}, proc.Timeout},
		{"deaf", proc.Command{Argv: self(t, "deaf"), Timeout: 150 * time.Millisecond, Grace: 50 * time.Millisecond}, proc.Timeout},
		{"silence is idle", proc.Command{Argv: self(t, "hang"), Timeout: deadline, Idle: 200 * time.Millisecond}, proc.Idle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := run(t, r, tt.c)
			if e.Ended != tt.want || e.OK() || e.Duration > deadline {
				t.Errorf("ended %q after %v, want %q", e.Ended, e.Duration, tt.want)
			}
		})
	}
}

func TestOutputIsNotIdle(t *testing.T) {
	t.Parallel()
	lively(t, proc.Command{Argv: self(t, "drip")})
}

// A compiler prints nothing for minutes and works: CPU use is a sign of life.
func TestWorkIsNotIdle(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("CPU use of a tree is read from /proc, which this system has not")
	}
	lively(t, proc.Command{Argv: self(t, "burn")})
}

func TestPoliteStop(t *testing.T) {
	t.Parallel()
	r := runner(t)
	for _, tt := range []struct {
		interrupt bool
		want      string
	}{{false, "got terminated"}, {true, "got interrupt"}} {
		ctx, cancel := context.WithCancel(t.Context())
		e := runCtx(ctx, t, r, proc.Command{Argv: self(t, "listen"), Interrupt: tt.interrupt, Activity: func(string) { cancel() }})
		cancel()
		if e.Ended != proc.Stopped || e.Code != 7 || e.Last != tt.want {
			t.Errorf("ended %q with %d, last line %q; want stopped, 7, %q", e.Ended, e.Code, e.Last, tt.want)
		}
	}
}

func TestKillHasNoGrace(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	r := &proc.Runner{Kill: gone}
	defer r.Close()
	var once sync.Once
	e := run(t, r, proc.Command{Argv: self(t, "deaf"), Grace: time.Hour, Activity: func(string) { once.Do(func() { close(gone) }) }})
	if e.Ended != proc.Killed || e.Signal != "SIGKILL" {
		t.Errorf("ended %q by %q", e.Ended, e.Signal)
	}
	if e := run(t, r, proc.Command{Argv: self(t, "exit", "0")}); e.Ended != proc.Killed {
		t.Errorf("after the kill something was started: %+v", e)
	}
}

func TestNothingStartsAfterCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := runner(t)
	r.Step = func(when proc.Moment, argv []string) error {
		t.Errorf("%s %q", when, argv)
		return nil
	}
	if e := runCtx(ctx, t, r, proc.Command{Argv: self(t, "exit", "0")}); e.Ended != proc.Stopped {
		t.Errorf("%+v", e)
	}
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	r := runner(t)
	dir := t.TempDir()
	write := func(name, text string, perm fs.FileMode) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), perm); err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain := write("plain", "#!/bin/sh\n", 0o644)
	alien := write("alien", "\x7fELF nothing", 0o755)
	orphan := write("orphan", "#!/no/such/interpreter\n", 0o755)
	for _, tt := range []struct {
		c    proc.Command
		is   error
		says string
	}{
		{proc.Command{}, nil, "start (no program): the command is empty"},
		{proc.Command{Argv: []string{"no-such-program"}, Env: []string{"PATH=/bin:/usr/bin"}}, fs.ErrNotExist, "start no-such-program: not found on PATH; install it"},
		{proc.Command{Argv: []string{dir + "/missing"}}, fs.ErrNotExist, "missing: not found; install it, or correct the path"},
		{proc.Command{Argv: []string{"plain"}, Env: []string{"PATH=" + dir}}, fs.ErrPermission, "permission denied; make it executable"},
		{proc.Command{Argv: []string{plain}}, fs.ErrPermission, "permission denied; make it executable"},
		{proc.Command{Argv: []string{alien}}, syscall.ENOEXEC, "exec format error; it is not made for " + runtime.GOOS},
		{proc.Command{Argv: []string{orphan}}, fs.ErrNotExist, "the interpreter in its first line"},
		{proc.Command{Argv: []string{dir}}, syscall.EISDIR, "is a directory"},
		{proc.Command{Argv: []string{"/bin/true"}, Dir: dir + "/gone"}, fs.ErrNotExist, "the directory is gone"},
		{proc.Command{Argv: []string{"/bin/true"}, Dir: plain}, syscall.ENOTDIR, "is a file"},
		{proc.Command{Argv: []string{"/bin/true", "a\x00b"}}, syscall.EINVAL, "a NUL byte"},
		{proc.Command{Argv: []string{"/bin/true", strings.Repeat("x", 200_000)}}, syscall.E2BIG, "pass long texts on stdin"},
	} {
		_, err := r.Run(t.Context(), tt.c)
		start, ok := errors.AsType[*proc.StartError](err)
		if !ok || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v (%T), want %q", tt.c.Argv, err, err, tt.says)
			continue
		}
		if _, _, err := r.Output(t.Context(), tt.c, 0); err == nil || err.Error() != start.Error() {
			t.Errorf("%q: Output says %v, Run says %v", tt.c.Argv, err, start)
		}
	}
	if e := run(t, r, proc.Command{Argv: self(t, "exit", "0")}); !e.OK() {
		t.Errorf("after refused starts nothing works: %+v", e)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	r := runner(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 4 {
				e, err := r.Run(t.Context(), proc.Command{Argv: self(t, "cat"), Stdin: strings.NewReader("same"), Stdout: func([]byte) {}})
				if err != nil || !e.OK() || e.Bytes != int64(len("same4 <nil>\n")) {
					t.Errorf("%+v %v", e, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestOutput(t *testing.T) {
	t.Parallel()
	r := runner(t)
	out, e, err := r.Output(t.Context(), proc.Command{Argv: self(t, "cat"), Stdin: strings.NewReader("text")}, 0)
	if string(out) != "text" || err != nil || !e.OK() || e.Tail != "4 <nil>\n" {
		t.Errorf("%q %+v %v", out, e, err)
	}
	if _, e, err = r.Output(t.Context(), proc.Command{Argv: self(t, "exit", "3")}, 0); e.Code != 3 || e.Ended != proc.Exited || err != nil {
		t.Errorf("%+v %v: an exit code is a result, not an error", e, err)
	}
	out, _, err = r.Output(t.Context(), proc.Command{Argv: self(t, "flood", "10000000")}, 100)
	if !errors.Is(err, proc.ErrOutputLimit) || len(out) != 100 {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	out = nil
	// until it ignores the signal by then
	for limit := time.Second; len(out) == 0 && limit < deadline; limit *= 2 {
		out, e, err = r.Output(t.Context(), proc.Command{Argv: self(t, "deaf"), Timeout: limit, Grace: 50 * time.Millisecond}, 0)
	}
	if e.Ended != proc.Timeout || e.Signal != "SIGKILL" || err != nil {
		t.Errorf("%+v %v", e, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	pr, pw := io.Pipe()
	go func() { _, _ = pr.Read(make([]byte, 1)); cancel() }()
	_, e, err = r.Output(ctx, proc.Command{Argv: self(t, "listen"), Stdin: readyReader{pw}}, 0)
	if e.Ended != proc.Stopped || err != nil {
		t.Errorf("%+v %v", e, err)
	}
}

// readyReader writes a byte to w when it is read, and is empty.
type readyReader struct{ w io.WriteCloser }

func (r readyReader) Read([]byte) (int, error) {
	_, _ = r.w.Write([]byte{1})
	return 0, io.EOF
}

func BenchmarkRun(b *testing.B) {
	r := runner(b)
	for b.Loop() {
		if e := run(b, r, proc.Command{Argv: []string{"/bin/true"}}); !e.OK() {
			b.Fatal(e)
		}
	}
}

func BenchmarkRunNewSupervisor(b *testing.B) {
	r := runner(b)
	for b.Loop() {
		if e := run(b, r, proc.Command{Argv: []string{"/bin/true"}}); !e.OK() {
			b.Fatal(e)
		}
		r.Close()
	}
}

// BenchmarkFlood measures how fast output is taken in, masked, escaped and kept; its allocations do
// not grow with the output.
func BenchmarkFlood(b *testing.B) {
	const size = 64 << 20
	for name, chunk := range map[string]string{
		"lines": "0123456789abcde\n", "endless": "0123456789abcdef", "NULs": "\x00\x00\x00\x00", "not text": "\xff\xfe\xff\xfe",
	} {
		b.Run(name, func(b *testing.B) {
			r := runner(b)
			argv := self(b, "flood", fmt.Sprint(size), strconv.Quote(chunk))
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if e := run(b, r, proc.Command{Argv: argv}); !e.OK() || e.Bytes < size {
					b.Fatalf("%+v", e)
				}
			}
		})
	}
}

func BenchmarkOutput(b *testing.B) {
	r := runner(b)
	for b.Loop() {
		if _, e, err := r.Output(b.Context(), proc.Command{Argv: []string{"/bin/true"}}, 0); err != nil || !e.OK() {
			b.Fatal(e, err)
		}
	}
}

// A child's output arrives alike through a file and through a pipe: in the callback, the log and
// the tail.
func TestSpooledOutput(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		log, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		e := run(t, runner(t), proc.Command{
			Argv: []string{"/bin/sh", "-c", `i=0; while [ $i -lt 5000 ]; do echo "line $i"; i=$((i+1)); done; echo words >&2; printf 'no end'`},
			Log:  log, Spool: dir, Stdout: func(b []byte) { got.Write(b) },
		})
		logged, err := os.ReadFile(log.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !e.OK() || !strings.HasPrefix(got.String(), "line 0\nline 1\n") || !strings.HasSuffix(got.String(), "line 4999\nno end") || strings.Contains(got.String(), "words") {
			t.Errorf("in %q: %+v, %d bytes", dir, e, got.Len())
		}
		if len(logged) != got.Len()+len("words\n") || !strings.Contains(e.Tail, "line 4999") {
			t.Errorf("in %q: the log has %d bytes, the tail is %q", dir, len(logged), e.Tail[max(0, len(e.Tail)-40):])
		}
	}
}

// A child that has announced its end is stopped, even while it still prints.
func TestChildThatDoesNotLeave(t *testing.T) {
	t.Parallel()
	e := run(t, runner(t), proc.Command{
		Argv: []string{"/bin/sh", "-c", "while :; do echo noise; sleep 0.1; done"}, Timeout: time.Minute,
		Done: func() bool { return true }, Gone: func() bool { return true },
	})
	if e.Ended != proc.Lingered || e.Lines == 0 {
		t.Errorf("%+v", e)
	}
}
