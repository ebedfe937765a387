package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestScriptRunsItsBlocksInOrder(t *testing.T) {
	s := newStage(t, "unused")
	s.job.Script = []string{"echo one > a", "cat a; echo two >> a; echo \"$PWD\""}
	out := s.do(Script(s.run))
	if out.ExitCode != 0 || out.Claims || out.TimedOut || out.Final != "" {
		t.Errorf("outcome %+v", out)
	}
	if raw, err := os.ReadFile(filepath.Join(s.job.Dir, "a")); err != nil || string(raw) != "one\ntwo\n" {
		t.Errorf("it left %q, %v", raw, err)
	}
	want := "== block 1 of 2 ==\n== block 2 of 2 ==\none\n" + s.job.Dir + "\n"
	if got := s.logged(); got != want {
		t.Errorf("log:\n%s\nwant:\n%s", got, want)
	}
}

func TestScriptStopsAtTheFirstFailure(t *testing.T) {
	s := newStage(t, "unused")
	s.job.Script = []string{"true", "false; touch within", "touch after"}
	out := s.do(Script(s.run))
	if out.ExitCode != 1 || out.Message != "in block 2 of 3, which printed nothing; set -x in it shows each command" {
		t.Errorf("outcome %+v", out)
	}
	if left, err := os.ReadDir(s.job.Dir); err != nil || len(left) != 0 {
		t.Errorf("it went on: %v, %v", left, err)
	}
}

func TestScriptThatFailsWithoutAWord(t *testing.T) {
	for _, c := range []struct {
		blocks []string
		want   string
	}{
		{[]string{"false"}, "in block 1 of 1, which printed nothing; set -x in it shows each command"},
		{[]string{"echo why; exit 1"}, ""},
		{[]string{"true", "echo why; exit 1"}, "in block 2 of 2"},
		{[]string{"echo hello", "exit 1"}, "in block 2 of 2, which printed nothing; set -x in it shows each command"},
	} {
		s := newStage(t, "unused")
		s.job.Script = c.blocks
		if out := s.do(Script(s.run)); out.ExitCode != 1 || out.Message != c.want {
			t.Errorf("%q: outcome %+v", c.blocks, out)
		}
	}
}

func TestScriptsDeadlineIsForAllBlocks(t *testing.T) {
	s := newStage(t, "unused")
	now := time.Unix(1000, 0)
	s.run.Now = func() time.Time { // every look at the clock costs a second
		now = now.Add(time.Second)
		return now
	}
	s.job.Timeout = 1500 * time.Millisecond
	s.job.Script = []string{"true", "true", "touch late"}
	out := s.do(Script(s.run))
	if !out.TimedOut {
		t.Errorf("outcome %+v", out)
	}
	if left, _ := filepath.Glob(filepath.Join(s.job.Dir, "*")); len(left) != 0 {
		t.Errorf("it went on: %v", left)
	}
}

func TestScriptHidesNothingOfTheEnvironment(t *testing.T) {
	s := newStage(t, "unused", "AUTOBUILD_PHASE_ID=2a")
	s.job.Script = []string{`echo "phase $AUTOBUILD_PHASE_ID"; exit 3`}
	if out := s.do(Script(s.run)); out.ExitCode != 3 || !strings.Contains(out.Tail, "phase 2a") || out.Last != "phase 2a" {
		t.Errorf("outcome %+v", out)
	}
}
