//go:build linux

package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"autobuild/internal/proc"
	"go.temporal.io/api/workflowservice/v1"
	sdk "go.temporal.io/sdk/client"
)

var (
	long  = flag.Bool("long", false, "also run what takes minutes")
	other = flag.String("server", "", "a `SCRIPT` that becomes a server at a port; see postgres.sh")
	old   = flag.String("old", "", "an autobuild-temporal of an earlier version, as `PATH`")
)

// programs is where the program under test and temporal are.
var programs, temporalPath string

func TestMain(m *testing.M) {
	proc.Supervise() // of a worker within the test
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if temporalPath, err = exec.LookPath("temporal"); err != nil {
		cache, _ := os.UserCacheDir()
		temporalPath = filepath.Join(cache, "autobuild-ci", "bin", "temporal")
	}
	if _, err = os.Stat(temporalPath); err != nil {
		fmt.Println("skipped: the program temporal is neither on PATH nor at", temporalPath)
		return 0
	}
	dir, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	programs = dir
	build := exec.Command("go", "build", "-o", dir, "../cmd/autobuild-temporal")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Printf("go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// lab is a server, and a directory for everything else.
type lab struct {
	t    *testing.T
	dir  string
	port int
	env  []string

	program string // autobuild-temporal
	server  *exec.Cmd
	conn    sdk.Client
}

// newLab starts a server of its own.
func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{
		t: t, dir: t.TempDir(), port: freePort(t),
		program: filepath.Join(programs, "autobuild-temporal"),
	}
	l.env = []string{
		"PATH=" + programs + ":" + filepath.Dir(temporalPath) + ":" + os.Getenv("PATH"),
		"HOME=" + filepath.Join(l.dir, "home"), "LANG=C.UTF-8",
		"XDG_CACHE_HOME=" + filepath.Join(l.dir, "cache"),
		"TMPDIR=" + filepath.Join(l.dir, "tmp"),
		"TEMPORAL_ADDRESS=127.0.0.1:" + strconv.Itoa(l.port), "TEMPORAL_AUTOBUILD_LEASE=6",
	}
	for _, d := range []string{"home", "cache", "tmp"} {
		if err := os.MkdirAll(filepath.Join(l.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.write("home/.gitconfig", "[user]\n\tname = Test\n\temail = test@example.com\n"+
		"[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
	l.startServer()
	t.Cleanup(l.stopServer)
	return l
}

func freePort(t *testing.T) int {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close() //nolint:errcheck // a port was asked for
	tcp, ok := at.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal("no port")
	}
	return tcp.Port
}

func (l *lab) write(name, text string) {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(text), 0o644)); err != nil {
		l.t.Fatal(err)
	}
}

// startServer starts the server, with what an earlier one has stored, and waits until it answers.
func (l *lab) startServer() {
	l.t.Helper()
	l.server = exec.Command(temporalPath, "server", "start-dev", "--ip", "127.0.0.1", "--headless",
		"--port", strconv.Itoa(l.port), "--db-filename", filepath.Join(l.dir, "temporal.db"),
		"--log-level", "never")
	if *other != "" {
		l.server = exec.Command("sh", *other, "serve", strconv.Itoa(l.port))
	}
	l.server.Env = append(os.Environ(), l.env...)
	l.server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := l.server.Start(); err != nil {
		l.t.Fatal(err)
	}
	var err error
	for range 600 {
		if l.conn, err = sdk.Dial(sdk.Options{
			HostPort: "127.0.0.1:" + strconv.Itoa(l.port), Logger: silent{},
		}); err == nil {
			// the answer needs the namespace, which some servers make after they have started
			if _, err = l.conn.CountWorkflow(l.t.Context(),
				&workflowservice.CountWorkflowExecutionsRequest{}); err == nil {
				return
			}
			l.conn.Close()
		}
		<-time.After(100 * time.Millisecond)
	}
	l.t.Fatalf("the server does not answer: %v", err)
}

func (l *lab) stopServer() {
	l.conn.Close()
	_ = l.server.Process.Kill()
	_ = l.server.Wait()
}

type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

// git runs git in a directory of the lab.
func (l *lab) git(dir string, args ...string) string {
	l.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = filepath.Join(l.dir, dir), l.env
	out, err := c.CombinedOutput()
	if err != nil {
		l.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repo makes a repository with files, and its bare remote beside it.
func (l *lab) repo(name string, files map[string]string) {
	l.t.Helper()
	for f, text := range files {
		l.write(name+"/"+f, text)
	}
	l.write(name+"/id.txt", name+"\n") // the first commits differ, and so do the queues
	l.git(name, "init", "-q")
	l.git(name, "add", "-A")
	l.git(name, "commit", "-q", "-m", "start of "+name)
	l.git(".", "clone", "-q", "--bare", name, name+".git")
	l.git(name, "remote", "add", "origin", filepath.Join(l.dir, name+".git"))
}

// process is a program of ours that runs.
type process struct {
	*exec.Cmd
	out  *output
	done chan struct{}
	err  error
}

type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// start starts autobuild-temporal in a directory of the lab.
func (l *lab) start(dir string, env []string, args ...string) *process {
	l.t.Helper()
	p := &process{
		Cmd: exec.Command(l.program, args...),
		out: new(output), done: make(chan struct{}),
	}
	p.Dir, p.Env = filepath.Join(l.dir, dir), append(slices.Clone(l.env), env...)
	p.Stdout, p.Stderr = p.out, p.out
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.Start(); err != nil {
		l.t.Fatal(err)
	}
	go func() {
		p.err = p.Wait()
		close(p.done)
	}()
	l.t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.done
	})
	return p
}

// code waits for the end of a process and returns its exit code.
func (p *process) code(t *testing.T) int {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(10 * time.Minute):
		_ = p.Process.Kill()
		t.Fatalf("it does not end:\n%s", p.out)
	}
	return p.ProcessState.ExitCode()
}

// worker starts a worker for a repository, on a machine of its own, and waits until it looks for
// work.
func (l *lab) worker(name, repo string, args ...string) *process {
	l.t.Helper()
	home := filepath.Join("machines", name)
	l.write(home+"/.gitconfig", "[user]\n\tname = Worker\n\temail = worker@example.com\n")
	p := l.start(".", []string{
		"HOME=" + filepath.Join(l.dir, home),
		"XDG_CACHE_HOME=" + filepath.Join(l.dir, home, "cache"),
	}, append([]string{
		"worker", "--repo", filepath.Join(l.dir, repo+".git"), "--heartbeat", "1s",
	}, args...)...)
	l.t.Cleanup(func() {
		if l.t.Failed() {
			l.t.Logf("worker %s:\n%s", name, p.out)
		}
	})
	l.await("worker "+name, func() bool {
		select {
		case <-p.done:
			l.t.Fatalf("worker %s has ended:\n%s", name, p.out)
		default:
		}
		return strings.Contains(p.out.String(), "looks for work")
	})
	return p
}

// await waits until something is so that takes seconds.
func (l *lab) await(what string, so func() bool) {
	l.t.Helper()
	l.within(time.Minute, what, so)
}

// awaitLong waits until something is so that takes minutes.
func (l *lab) awaitLong(what string, so func() bool) {
	l.t.Helper()
	l.within(10*time.Minute, what, so)
}

func (l *lab) within(limit time.Duration, what string, so func() bool) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), limit)
	defer cancel()
	for !so() {
		select {
		case <-ctx.Done():
			l.t.Fatalf("waited too long for: %s", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// plan is a document of phases. Each is "LABEL: NEEDS | SHELL".
func plan(phases ...string) string {
	var b strings.Builder
	b.WriteString("# Plan with secret-plan-word\n")
	for _, p := range phases {
		head, shell, _ := strings.Cut(p, "|")
		label, needs, _ := strings.Cut(head, ":")
		if needs = strings.TrimSpace(needs); needs == "" {
			needs = "none"
		}
		fmt.Fprintf(&b, "\n## Phase %s: part %s\n\n**Depends on:** %s\n\n- [ ] make it\n\n```sh\n%s\n```\n",
			label, label, needs, strings.TrimSpace(shell))
	}
	return b.String()
}

const flags = "--agent=script --commit=auto --progress=plain --sandbox=off"

// local runs a plan of a repository on this machine alone.
func (l *lab) local(repo string, args ...string) (int, string) {
	l.t.Helper()
	p := l.start(repo, nil, append(append([]string{"plan.md", "--engine=local"},
		strings.Fields(flags)...), args...)...)
	return p.code(l.t), p.out.String()
}

// begin starts a run of a plan on the workers.
func (l *lab) begin(repo string, args ...string) *process {
	return l.start(repo, nil, append(append([]string{"plan.md"}, strings.Fields(flags)...),
		args...)...)
}

// many runs a plan of a repository on its workers.
func (l *lab) many(repo string, args ...string) (int, string) {
	l.t.Helper()
	p := l.begin(repo, args...)
	return p.code(l.t), p.out.String()
}

// commits are the messages and the content of a repository's branch, in an order that does not
// depend on who was first.
func (l *lab) commits(repo string) string {
	l.t.Helper()
	subjects := strings.Split(l.git(repo, "log", "--format=%s", "main"), "\n")
	sorted := map[string]int{}
	for _, s := range subjects {
		sorted[s]++
	}
	return fmt.Sprint(sorted, " ", l.git(repo, "ls-tree", "-r", "--name-only", "main"))
}
