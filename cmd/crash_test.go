package cmd

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"testing"

	"autobuild/orchestrator/session/call"
)

var stride = flag.Int("stride", 61, "stop a run at each `n`th of its steps, in one of the three ways; 1: at each step, in each way")

// cutting is how a run ends at a step.
type cutting string

const (
	cutKill  cutting = "kill"  // SIGKILL
	cutFail  cutting = "fail"  // this and every later step fails, and has no effect
	cutPause cutting = "pause" // SIGINT, as by Ctrl-C
	cutAsk   cutting = "ask"   // not at all: each step waits until who follows the run has answered
)

var errCut = errors.New("cut off by the test")

// cutter counts the steps of a run and ends it at one of them.
type cutter struct {
	mu    sync.Mutex
	how   cutting
	at, n int
	trace io.ReadWriter // one line a step; in the way of cutAsk, and one byte back
}

func (c *cutter) step(what string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if _, err := fmt.Fprintf(c.trace, "%q\n", what); err != nil {
		return err
	}
	switch {
	case c.how == cutAsk:
		_, err := c.trace.Read(make([]byte, 1))
		return err
	case c.n < c.at:
	case c.how == cutFail:
		return errCut
	case c.n > c.at:
	case c.how == cutPause:
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		return self.Signal(os.Interrupt)
	case c.how == cutKill:
		if self, err := os.FindProcess(os.Getpid()); err != nil || self.Kill() != nil {
			return errCut
		}
		select {} // nothing more happens, the lock included
	}
	return nil
}

// cutMain is the program, cut off at a step: HOW STEP TRACE and then its own arguments. The trace
// is a file, or the socket of who follows.
func cutMain() {
	at, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	var trace io.ReadWriter
	if os.Args[1] == string(cutAsk) {
		trace, err = net.Dial("unix", os.Args[3])
	} else {
		trace, err = os.OpenFile(os.Args[3], os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	}
	if err != nil {
		panic(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	signal.Reset() // of what the test binary listens to
	c := &cutter{how: cutting(os.Args[1]), at: at, trace: trace}
	a := newApp(&call.Call{Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Dir: dir, Step: c.step})
	os.Exit(a.run(os.Args[4:]))
}

// cut runs the plan until a step.
func (s *site) cut(how cutting, at int, more ...string) *started {
	s.t.Helper()
	c := s.start("autobuild-cut", nil, append([]string{string(how), strconv.Itoa(at), s.path("steps")}, s.runArgs(more...)...)...)
	c.wait()
	return c
}

// steps are those of the run, as they were counted.
func (s *site) steps() []string {
	var all []string
	for line := range strings.Lines(s.read("steps")) {
		what, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			s.t.Fatalf("step %q: %v", line, err)
		}
		all = append(all, what)
	}
	return all
}

// For every k, a run is stopped at its k-th step: before or after one of its git calls, agents,
// gates or state files. It is killed there, or every step from there on fails, or it is
// interrupted. The resume comes to the end that the run would have come to.
func TestEveryStep(t *testing.T) {
	s := newSite(t)
	c := s.cut(cutKill, 0)
	s.whole(c)
	steps := s.steps()
	if len(steps) < 100 {
		t.Fatalf("only %d steps: the plan does not do what it says:\n%s", len(steps), strings.Join(steps, "\n"))
	}
	ways := []cutting{cutKill, cutFail, cutPause}
	for i, k := 0, 1; k <= len(steps); i, k = i+1, k+*stride {
		for j, how := range ways {
			if *stride > 1 && j != i%len(ways) {
				continue
			}
			t.Run(fmt.Sprintf("%s at %d", how, k), func(t *testing.T) {
				t.Parallel()
				stopAt(t, how, k)
			})
		}
	}
}

func stopAt(t *testing.T, how cutting, k int) {
	s := newSite(t)
	c := s.cut(how, k)
	at := s.steps()
	defer func() {
		if t.Failed() {
			t.Logf("stopped %s: %s\nit printed:\n%s", how, at[min(k, len(at))-1], c.text())
		}
	}()
	if how == cutKill && c.code != -1 && len(at) >= k || how == cutFail && c.code == 0 && len(at) > k {
		t.Errorf("%s at step %d, it ended with %d", how, k, c.code)
	}
	then := s.now()
	s.whole(s.resume(), then)
}
