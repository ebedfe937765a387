package cmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// site is a repository with a plan, an agent that leaves its traces outside of it, and the program,
// run there as a user runs it: in a process of its own, which can be killed.
type site struct {
	t    *testing.T
	dir  string // of everything; the repository is dir/repo
	mark string // in the environment of everything that is started here
	runs int    // calls of the program
	old  bool   // runs were set aside here: their refs stay with them
}

// sitePhases are the phases of a site's plan: two of them run side by side, and the last one is
// right only at its second try.
var sitePhases = []string{"1", "2a", "2b", "3"}

const sitePlan = `# Four phases

| Phase | Name | Depends On |
|-------|------|------------|
| 1 | Base | - |
| 2A | Left | 1 |
| 2B | Right | 1 |
| 3 | Join | 2A, 2B |

## Phase 1: Base

- [ ] work

## Phase 2A: Left

- [ ] work

## Phase 2B: Right

- [ ] work

## Phase 3: Join

- [ ] work
`

// siteAgent does its phase; the third is broken until its prompt contains the gate's output about
// it. Two phases edit one file.
const siteAgent = `prompt=$WORK/prompts/$AUTOBUILD_PHASE_ID.$AUTOBUILD_ATTEMPT.$$
cat > "$prompt"
echo "$AUTOBUILD_PHASE_ID $AUTOBUILD_ATTEMPT" >> $WORK/calls
[ -z "$PACE" ] || sleep $PACE
case "$STUCK" in *" $AUTOBUILD_PHASE_ID "*) exec sleep 600 ;; esac
rm -f broken.txt
if [ "$AUTOBUILD_PHASE_ID" = 3 ] && ! grep -q splinter "$prompt"; then echo splinter > broken.txt; fi
case $AUTOBUILD_PHASE_ID in 2a) sed -i 's/^line 3$/three/' lines.txt ;; 2b) sed -i 's/^line 30$/thirty/' lines.txt ;; esac
echo done > $AUTOBUILD_PHASE_ID.txt
fence='` + "```" + `'
echo "${fence}json"
echo "{\"nonce\": \"$AUTOBUILD_NONCE\", \"phase_id\": \"$AUTOBUILD_PHASE_ID\", \"status\": \"complete\", \"tasks\": {\"total\": 1, \"completed\": 1}, \"commit_message\": \"feat: phase $AUTOBUILD_PHASE_ID\"}"
echo "$fence"
`

const siteConfig = `gates:
  test: '[ -z "$PACE" ] || sleep $PACE; if [ -e broken.txt ]; then cat broken.txt; exit 1; fi'
`

// siteDir is where the template is made. TestMain removes it.
var siteDir string

// siteTemplate is the repository that every site is a copy of, made once.
var siteTemplate = sync.OnceValues(func() (string, error) {
	dir, lines := siteDir, ""
	for i := 1; i <= 40; i++ {
		lines += "line " + strconv.Itoa(i) + "\n"
	}
	for name, text := range map[string]string{
		"agent.sh": siteAgent, "repo/plan.md": sitePlan, "repo/autobuild.yaml": siteConfig, "repo/lines.txt": lines,
		"home/.gitconfig": "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n",
		"tmp/.keep":       "", "prompts/.keep": "",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q", "--template="}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		git := exec.Command("git", args...)
		git.Dir, git.Env = filepath.Join(dir, "repo"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := git.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return dir, nil
})

var sites atomic.Int64

func newSite(t *testing.T) *site {
	t.Helper()
	template, err := siteTemplate()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, dir: t.TempDir(), mark: fmt.Sprintf("SITE_MARK=%d-%d", os.Getpid(), sites.Add(1))}
	if err := os.CopyFS(s.dir, os.DirFS(template)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, p := range s.alive() { // of a test that has failed
			if process, err := os.FindProcess(p.pid); err == nil {
				_ = process.Kill()
			}
		}
	})
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) environ(more ...string) []string {
	return append([]string{
		"HOME=" + s.path("home"), "TMPDIR=" + s.path("tmp"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "COLUMNS=80", "AUTOBUILD_SANDBOX=off",
		"WORK=" + s.dir, s.mark,
	}, more...)
}

// read is the text of a file of the site; a missing one is empty.
func (s *site) read(name string) string {
	text, err := os.ReadFile(s.path(name))
	if err != nil && !os.IsNotExist(err) {
		s.t.Error(err)
	}
	return string(text)
}

func (s *site) git(args ...string) string {
	s.t.Helper()
	git := exec.Command("git", args...)
	git.Dir, git.Env = s.path("repo"), s.environ()
	out, err := git.CombinedOutput()
	if err != nil {
		s.t.Errorf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// started is one call of the program that is under way, or over.
type started struct {
	*exec.Cmd
	site *site
	out  string // the file of what it prints
	over chan struct{}
	code int // -1: killed
}

// start begins a call of the program. The name is a key of TestMain's table.
func (s *site) start(name string, env []string, args ...string) *started {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	s.runs++
	c := &started{site: s, out: fmt.Sprintf("out.%d", s.runs), over: make(chan struct{})}
	f, err := os.Create(s.path(c.out))
	if err != nil {
		s.t.Fatal(err)
	}
	c.Cmd = &exec.Cmd{Path: exe, Args: append([]string{name}, args...), Dir: s.path("repo"), Env: s.environ(env...), Stdout: f, Stderr: f}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	_ = f.Close()
	go func() {
		_ = c.Wait() // the state says it all
		c.code = c.ProcessState.ExitCode()
		close(c.over)
	}()
	return c
}

// sitePatience bounds one call: nothing here takes more than seconds, but the machine may be busy.
const sitePatience = 2 * time.Minute

// wait is the exit code of a call; -1 after a signal.
func (c *started) wait() int {
	c.site.t.Helper()
	select {
	case <-c.over:
	case <-time.After(sitePatience):
		_ = c.Process.Kill()
		c.site.t.Fatalf("%q does not end; it printed:\n%s", c.Args, c.text())
	}
	return c.code
}

func (c *started) text() string { return c.site.read(c.out) }

// runArgs are what every call of a site's plan says.
func (s *site) runArgs(more ...string) []string {
	return append([]string{"plan.md", "--agent-cmd", "sh " + s.path("agent.sh"), "--commit=auto"}, more...)
}

// resume is one call that goes on, to its end.
func (s *site) resume() *started {
	s.t.Helper()
	c := s.start("autobuild", nil, s.runArgs("--resume")...)
	c.wait()
	return c
}
