package cmd

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

var (
	kills    = flag.Int("kills", 6, "kill the program, or a process of it, `n` times at random instants")
	killSeed = flag.Uint64("kill-seed", 0, "of the first kill; 0: by the clock")
)

// victim is whom a stroke kills.
type victim struct {
	name  string
	weigh int                  // how often
	is    func(p process) bool // nil: the program itself
}

// victims are everyone that takes part in a run.
func victims() []victim {
	return []victim{
		{name: "autobuild", weigh: 6},
		{"supervisor", 1, func(p process) bool { return strings.Contains(p.line, "supervise-a-child") }},
		{"agent", 1, func(p process) bool { return strings.HasPrefix(p.line, "sh /") && strings.Contains(p.line, "agent.sh") }},
		{"gate", 1, func(p process) bool {
			return strings.HasPrefix(p.line, "sh -c") && strings.Contains(p.line, "broken.txt")
		}},
		{"git", 2, func(p process) bool { return strings.HasPrefix(p.line, "git ") }},
	}
}

func draw(random *rand.Rand, from []victim) victim {
	var lots []victim
	for _, v := range from {
		for range v.weigh {
			lots = append(lots, v)
		}
	}
	return lots[random.IntN(len(lots))]
}

// stroke waits for its instant, kills its victim, and waits for the end of the call. It reports
// whether there was a process to kill.
func (c *started) stroke(v victim, after time.Duration) bool {
	select {
	case <-c.over:
		return false
	case <-time.After(after):
	}
	for {
		pid := 0
		if v.is == nil {
			pid = c.Process.Pid
		}
		for _, p := range c.site.alive() {
			if v.is != nil && v.is(p) {
				pid = p.pid
			}
		}
		if pid != 0 {
			if process, err := os.FindProcess(pid); err == nil && process.Kill() == nil {
				c.wait()
				return true
			}
		}
		select {
		case <-c.over:
			return false
		default:
		}
	}
}

var lockAdvice = regexp.MustCompile(`if none is at work: rm (\S+\.lock)`)

// finish goes on until the run is complete, as a person would: by a resume, by a reset where a
// phase was cut off too often, and by removing a lock of the user's own refs and files where git
// was killed and the message names it.
func (s *site) finish(earlier *[]moment) *started {
	s.t.Helper()
	for range 4 {
		c := s.resume()
		if c.code == 0 {
			return c
		}
		*earlier = append(*earlier, s.now())
		s.obey(c.text())
		if text := c.text(); strings.Contains(text, "times in a row") {
			for _, id := range sitePhases {
				if r := s.records()[id]; r.Status == "running" || r.Status == "interrupted" {
					s.start("autobuild", nil, "reset", id).wait()
				}
			}
		}
	}
	return s.resume()
}

// obey follows the advice of a message about locks.
func (s *site) obey(text string) {
	for _, m := range lockAdvice.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "/autobuild/") {
			s.t.Errorf("the user is to remove a lock of the run's own: %s", m[1])
		}
		if err := os.Remove(m[1]); err != nil && !os.IsNotExist(err) {
			s.t.Error(err)
		}
	}
}

// The program, its supervisors, agents, gates and gits are killed at random instants, the resumes
// too. Nothing is lost, doubled, or left running.
func TestKills(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake agents are shell scripts")
	}
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for i := range *kills {
		t.Run(fmt.Sprintf("seed %d", seed+uint64(i)), func(t *testing.T) {
			t.Parallel()
			killAt(t, seed+uint64(i))
		})
	}
}

func killAt(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	s := newSite(t)
	var told []string
	var earlier []moment
	args := s.runArgs()
	for range 1 + random.IntN(3) {
		v, after := draw(random, victims()), time.Duration(random.Int64N(int64(1500*time.Millisecond)))
		c := s.start("autobuild", []string{"PACE=0.03"}, args...)
		hit := c.stroke(v, after)
		c.wait()
		told = append(told, fmt.Sprintf("%s after %v, hit: %t; ended with %d:\n%s", v.name, after, hit, c.code, c.text()))
		earlier = append(earlier, s.now())
		s.obey(c.text())
		args = s.runArgs("--resume")
	}
	last := s.finish(&earlier)
	s.whole(last, earlier...)
	if t.Failed() {
		t.Logf("again: go test ./cmd -run TestKills -kills 1 -kill-seed %d\nkilled: %s", seed, strings.Join(told, "\nkilled: "))
	}
}
