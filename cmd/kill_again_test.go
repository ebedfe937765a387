package cmd

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A run that is killed in its second batch, and whose resume is killed three times, converges:
// complete phases are not run again. Kills from outside hold up no phase, however often they come.
func TestKilledResumes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake agents are shell scripts")
	}
	t.Parallel()
	s := newSite(t)
	var earlier []moment
	args := s.runArgs()
	for range 4 {
		// they are at work however late the kill comes
		c := s.start("autobuild", []string{"STUCK= 2a 2b "}, args...)
		for !strings.Contains(s.agents(), " 2") {
			select {
			case <-c.over:
				t.Fatalf("it ended with %d before it was killed:\n%s", c.code, c.text())
			case <-time.After(5 * time.Millisecond):
				continue
			}
			break
		}
		_ = c.Process.Kill()
		c.wait()
		earlier = append(earlier, s.now())
		s.forgetAgents()
		args = s.runArgs("--resume")
	}
	c := s.resume()
	if c.code != 0 || !strings.Contains(c.text(), "was running when the run was cut off") {
		t.Errorf("after four cuts the resume ended with %d:\n%s", c.code, c.text())
	}
	s.whole(c, earlier...)
	if n := s.calls()["1"]; n != 1 {
		t.Errorf("phase 1 was run %d times", n)
	}
}

// agents are the calls of agents since forgetAgents, as "ID ATTEMPT", each behind a blank.
func (s *site) agents() string {
	calls := s.read("calls")
	return " " + strings.ReplaceAll(calls[min(len(s.read("forgotten")), len(calls)):], "\n", " ")
}

func (s *site) forgetAgents() {
	s.t.Helper()
	if err := os.WriteFile(s.path("forgotten"), []byte(s.read("calls")), 0o600); err != nil {
		s.t.Error(err)
	}
}

// A fresh start that is killed at any instant leaves the old run whole or a directory without a
// run: the next one starts clean, and nothing of both is mixed.
func TestKilledFresh(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake agents are shell scripts")
	}
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	s := newSite(t)
	s.old = true
	// a run that halts at its first phase
	s.start("autobuild", nil, "plan.md", "--agent-cmd", "false", "--commit=auto").wait()
	logs := filepath.Join(s.path("repo"), ".autobuild", "logs")
	for i := range 300 { // much to move
		if err := os.WriteFile(filepath.Join(logs, fmt.Sprintf("old-%d.log", i)), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range max(3, *kills/4) {
		c := s.start("autobuild", nil, s.runArgs("--fresh")...)
		select {
		case <-c.over:
			t.Errorf("it ended with %d before it was killed:\n%s", c.code, c.text())
		case <-time.After(time.Duration(random.IntN(100)) * time.Millisecond):
		}
		_ = c.Process.Kill()
		c.wait()
		s.now()
		if err := os.WriteFile(s.path("calls"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := s.start("autobuild", nil, s.runArgs("--fresh")...)
	c.wait()
	s.whole(c)
	if left, _ := filepath.Glob(filepath.Join(logs, "old-*")); len(left) > 0 {
		t.Errorf("%d files of the old run are among the new ones", len(left))
	}
	if t.Failed() {
		t.Logf("seed %d", seed)
	}
}

// A delivery that dies when it has taken the plan away to write it anew is finished by the resume,
// which needs the plan for that.
func TestKilledDelivery(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake git is a shell script")
	}
	t.Parallel()
	s := newSite(t)
	path := s.shim(`case "$*" in 'read-tree -m -u'*) if mkdir %[1]s/once 2>/dev/null; then rm plan.md; kill -9 $PPID; exit 1; fi ;; esac`)
	c := s.start("autobuild", []string{path}, s.runArgs()...)
	if c.wait() != -1 || s.read("repo/plan.md") != "" {
		t.Fatalf("it was not killed in a delivery, and ended with %d:\n%s", c.code, c.text())
	}
	then := s.now()
	s.whole(s.resume(), then)
}

// shim is a PATH with a git that first runs these lines, in which %[1]s is the site's directory and
// %[2]s is git.
func (s *site) shim(lines string) string {
	s.t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		s.t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n"+lines+"\nexec %[2]s \"$@\"\n", s.dir, git)
	if err := errors.Join(os.Mkdir(s.path("bin"), 0o755), os.WriteFile(s.path("bin/git"), []byte(script), 0o755)); err != nil {
		s.t.Fatal(err)
	}
	return "PATH=" + s.path("bin") + ":" + os.Getenv("PATH")
}

// A git call of a killed run goes on to its end, and a resume waits for that: no process meets half
// a worktree.
func TestGitOutlivesTheKill(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("handles are passed on by unix, and told apart on Linux")
	}
	t.Parallel()
	s := newSite(t)
	path := s.shim("case \"$*\" in *'read-tree --reset -u'*) if mkdir %[1]s/slow 2>/dev/null; then\n" +
		"trap '' TERM; echo begun > %[1]s/begun; while [ ! -e %[1]s/go ]; do sleep 0.02; done; %[2]s \"$@\"; echo ended >> %[1]s/calls; exit; fi ;; esac")
	c := s.start("autobuild", []string{path}, s.runArgs()...)
	for s.read("begun") == "" {
		select {
		case <-c.over:
			t.Fatalf("it ended with %d before it made a clone:\n%s", c.code, c.text())
		case <-time.After(5 * time.Millisecond):
		}
	}
	_ = c.Process.Kill()
	c.wait()
	next := s.start("autobuild", nil, s.runArgs("--resume")...)
	select {
	case <-next.over:
		t.Errorf("the resume did not wait; it ended with %d:\n%s", next.code, next.text())
	case <-time.After(300 * time.Millisecond):
	}
	if err := os.WriteFile(s.path("go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	next.wait()
	if first, _, _ := strings.Cut(s.read("calls"), "\n"); first != "ended" {
		t.Errorf("an agent was called while a git of the killed run was at work: %s", s.read("calls"))
	}
	s.whole(next)
}
