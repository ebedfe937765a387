//go:build unix

package cmd

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"autobuild/orchestrator/session/call"
)

// livePlan has two phases side by side, which wait for each other's files so that both are seen
// running, and one that fails once.
const livePlan = `# Three phases

## Phase 1: One

**Depends on:** none

- [ ] Do it

` + "```sh\necho meeting; touch $HOME/met1; until test -e $HOME/met2; do sleep 0.02; done; until test -e $HOME/go; do sleep 0.02; done; echo 1 > one.txt\n```" + `

## Phase 2: Two 品質

**Depends on:** none

- [ ] Do it

` + "```sh\necho meeting; touch $HOME/met2; until test -e $HOME/met1; do sleep 0.02; done; until test -e $HOME/go; do sleep 0.02; done; echo 2 > two.txt\n```" + `

## Phase 3: Three

**Depends on:** 1, 2

- [ ] Do it

` + "```sh\ntest -e $HOME/twice || { touch $HOME/twice; exit 3; }; echo 3 > three.txt\n```\n"

// seatDeadline is what a slow machine has until something is to be seen.
const seatDeadline = 60 * time.Second

// seat is a terminal with a program in it.
type seat struct {
	t    *testing.T
	dir  string // of the project
	tty  *os.File
	cmd  *exec.Cmd
	gone chan struct{} // when everything has been read

	mu    sync.Mutex
	shown bytes.Buffer
	look  chan struct{} // something new is there
}

// sit starts a shell command in a terminal of 80 by 24, with autobuild on its path.
func sit(t *testing.T, command string) *seat {
	t.Helper()
	top := t.TempDir()
	s := &seat{t: t, dir: filepath.Join(top, "project"), gone: make(chan struct{}), look: make(chan struct{}, 1)}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(top, "bin"), 0o700))
	must(os.Mkdir(s.dir, 0o700))
	must(os.WriteFile(filepath.Join(s.dir, "plan.md"), []byte(livePlan), 0o600))
	self, err := os.Executable()
	must(err)
	must(os.Symlink(self, filepath.Join(top, "bin", "autobuild")))

	env := []string{"PATH=" + filepath.Join(top, "bin") + ":" + os.Getenv("PATH"), "HOME=" + top, "TERM=xterm-256color", "LANG=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "AUTOBUILD_SANDBOX=off"}
	repo := exec.Command("sh", "-ec", "git init -q; git config user.name A; git config user.email a@example.com; git add plan.md; git commit -qm plan")
	repo.Dir, repo.Env = s.dir, env
	out, err := repo.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.cmd = exec.Command("sh", "-c", command)
	s.cmd.Dir, s.cmd.Env = s.dir, env
	s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Cols: 80, Rows: 24})
	must(err)
	go func() {
		defer close(s.gone)
		_, _ = io.Copy(s, s.tty) // ends with an error when the last program has gone
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		_ = s.cmd.Wait()
		_ = s.tty.Close()
	})
	return s
}

func (s *seat) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Write(p)
	select {
	case s.look <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (s *seat) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// until waits for something to be shown.
func (s *seat) until(pattern string) {
	s.t.Helper()
	late := time.After(seatDeadline)
	for sought := regexp.MustCompile(pattern); !sought.MatchString(s.text()); {
		select {
		case <-s.look:
		case <-late:
			s.t.Fatalf("%s is not shown:\n%q", pattern, s.text())
		case <-s.gone:
			if !sought.MatchString(s.text()) {
				s.t.Fatalf("%s was never shown:\n%q", pattern, s.text())
			}
		}
	}
}

// rest waits for the end, and returns everything that was shown.
func (s *seat) rest() string {
	s.t.Helper()
	select {
	case <-s.gone:
	case <-time.After(seatDeadline):
		s.t.Fatalf("it does not end:\n%q", s.text())
	}
	return s.text()
}

func (s *seat) file(name string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "..", name), nil, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *seat) press(keys string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// lastingLines are what has to be on the terminal exactly once.
var lastingLines = []string{"start    autobuild", "✓ 1   done", "✓ 2   done", "✗ 3   FAILED", "retry with the error as context", "✓ 3   done", "all phases complete"}

func (s *seat) complete(text string) {
	s.t.Helper()
	for _, line := range lastingLines {
		if n := strings.Count(colours.ReplaceAllString(text, ""), line); n != 1 {
			s.t.Errorf("%q is there %d times in\n%q", line, n, text)
		}
	}
}

var (
	colours = regexp.MustCompile("\x1b\\[[0-9;]*m")
	obeyed  = regexp.MustCompile("\x1b\\[([0-9;]*m|K|[0-9]+A|[0-9]+G|\\?2026[hl])")
)

// The real program in a real terminal: rows while phases run, a new window in between, every
// lasting line once, no sequence but the few that are meant, the box below everything, and what is
// typed meanwhile is left for the shell.
func TestLiveTerminal(t *testing.T) {
	s := sit(t, `autobuild plan.md --agent script --commit=auto; read -r keys; echo "left: $keys"`)
	s.until(`2 running.*(?s:.*)Two 品質.*meeting`)
	s.press("typed\r")
	if err := pty.Setsize(s.tty, &pty.Winsize{Cols: 50, Rows: 10}); err != nil {
		t.Fatal(err)
	}
	s.until(`(?s)done.*typed.*0/3 done`)
	s.file("go")
	text := s.rest()
	s.complete(text)
	if !strings.Contains(text, "left: typed") {
		t.Errorf("the keyboard was read:\n%q", text)
	}
	if odd := strings.Index(obeyed.ReplaceAllString(text, ""), "\x1b"); odd >= 0 {
		t.Errorf("a sequence that nobody meant: %q", obeyed.ReplaceAllString(text, "")[odd:])
	}
	_, below, ok := strings.Cut(text, "╔")
	if !ok || strings.Contains(below, "running") || strings.Contains(below, "\x1b[K") {
		t.Errorf("below the first row of the box there is %q", below)
	}
}

// A job in the background writes its lines, and does not move the cursor of another job.
func TestLiveBackground(t *testing.T) {
	s := sit(t, `set -m; touch $HOME/go; autobuild plan.md --agent script --commit=auto & wait; echo waited`)
	text := s.rest()
	s.complete(text)
	if strings.Contains(text, "\x1b[K") || strings.Contains(text, "?2026") || !strings.Contains(text, "waited") {
		t.Errorf("drawn in the background:\n%q", text)
	}
}

// Ctrl-Z leaves the shell its place: after it the run draws below the shell's lines.
func TestLiveStopped(t *testing.T) {
	s := sit(t, `set -m; autobuild plan.md --agent script --commit=auto; echo shell; fg`)
	s.until(`One .*meeting(?s:.*)Two 品質.*meeting`) // a process that is just being started would be stopped before it has a group of its own
	s.press("\x1a")
	s.until(`shell`)
	s.until(`(?s)shell.*2 running`)
	s.file("go")
	text := s.rest()
	s.complete(text)
	_, after, _ := strings.Cut(text, "shell")
	first, _, _ := strings.Cut(after, "running")
	if strings.Contains(first, "A") && regexp.MustCompile("\x1b\\[[0-9]+A").MatchString(first) {
		t.Errorf("the first frame goes up into the shell's lines: %q", first)
	}
}

// The conditions for a live screen, by default and on request.
func TestWantsLive(t *testing.T) {
	leader, follower, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = leader.Close(), follower.Close() })
	if err = pty.Setsize(leader, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.Create(filepath.Join(t.TempDir(), "pipe"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pipe.Close() })
	for _, c := range []struct {
		name, progress, env string
		out                 io.Writer
		want                bool
	}{
		{"a person", "auto", "TERM=xterm", follower, true},
		{"CI is not true", "auto", "TERM=xterm CI=false", follower, true},
		{"no terminal", "auto", "TERM=xterm", pipe, false},
		{"no file", "live", "TERM=xterm", io.Discard, false},
		{"asked for without a terminal", "live", "TERM=xterm", pipe, false},
		{"a terminal that obeys nothing", "auto", "TERM=dumb", follower, false},
		{"asked for on one", "live", "TERM=dumb", follower, false},
		{"nothing known of the terminal", "auto", "", follower, false},
		{"asked for there", "live", "", follower, true},
		{"CI", "auto", "TERM=xterm CI=true", follower, false},
		{"asked for in CI", "live", "TERM=xterm CI=true", follower, true},
		{"inside an agent", "auto", "TERM=xterm CLAUDECODE=1", follower, false},
		{"lines", "plain", "TERM=xterm", follower, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newApp(&call.Call{Stderr: c.out, Environ: strings.Fields(c.env)})
			if _, got := a.WantsLive(c.progress); got != c.want {
				t.Errorf("live: %v, want %v", got, c.want)
			}
		})
	}
}
