package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// counts are system calls of a run, its children included.
type counts struct{ syncs, renames, processes int }

// phaseCounts are the most that a phase adds to a run whose agent writes one file, without gates:
// bounds of the state alone, and of git and the state together. A figure that falls is written
// here.
var phaseCounts = map[bool]counts{
	false: {syncs: 4, renames: 2, processes: 2},
	true:  {syncs: 9, renames: 22, processes: 20},
}

// A phase costs a bounded number of syncs, renames and processes in a plan of any size:
// two runs differ by that many for each phase that one has more. Marks in a plan that git does not
// track are gathered by time, and are not counted.
func TestCounts(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so the system calls cannot be seen")
	}
	const few, many = 3, 9
	for git, most := range phaseCounts {
		t.Run(fmt.Sprintf("git %t", git), func(t *testing.T) {
			t.Parallel()
			a, b := countRun(t, strace, few, git), countRun(t, strace, many, git)
			t.Logf("%d phases %+v, %d phases %+v", few, a, many, b)
			for what, n := range map[string][3]int{
				"syncs":     {a.syncs, b.syncs, most.syncs},
				"renames":   {a.renames, b.renames, most.renames},
				"processes": {a.processes, b.processes, most.processes},
			} {
				if each := float64(n[1]-n[0]) / (many - few); each > float64(n[2]) || n[0] == 0 {
					t.Errorf("%s: %.1f a phase (%d in %d phases, %d in %d), at most %d", what, each, n[0], few, n[1], many, n[2])
				}
			}
		})
	}
}

var (
	countedCall = regexp.MustCompile(`^\d+ +(fsync|fdatasync|syncfs|rename|renameat|renameat2|execve)\(`)
	planMark    = regexp.MustCompile(`/repo/\.atomicfile-|/repo>\)|"plan\.md"`)
)

// countRun runs a chain of n phases under strace.
func countRun(t *testing.T, strace string, n int, git bool) (c counts) {
	t.Helper()
	s := newSite(t)
	var plan strings.Builder
	plan.WriteString("# Plan\n\n| Phase | Name | Depends On | Status |\n|---|---|---|---|\n")
	for i := range n {
		fmt.Fprintf(&plan, "| %d | node | %s | Pending |\n", i+1, strings.Replace(fmt.Sprint(i), "0", "-", 1))
	}
	for i := range n {
		fmt.Fprintf(&plan, "\n## Phase %d: node\n\n- [ ] run the node\n", i+1)
	}
	args := []string{
		"plan.md", "--agent=node", "--allow-unverified", "--baseline=off",
		"--progress=plain", "--jobs=1", "--config", s.path("counts.yaml"),
	}
	if git {
		args = append(args, "--commit=auto")
	} else {
		args = append(args, "--isolation=none")
		if err := os.RemoveAll(s.path("repo/.git")); err != nil {
			t.Fatal(err)
		}
	}
	config := "agents:\n  node:\n    command: [sh, -c, 'echo x > new.$AUTOBUILD_PHASE_ID']\n    result: exit\n"
	for name, text := range map[string]string{"counts.yaml": config, "repo/plan.md": plan.String()} {
		if err := os.WriteFile(s.path(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if git {
		s.git("add", "-A")
		s.git("commit", "-q", "-m", "plan")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := s.path("autobuild") // the test binary is the program under this name
	if err = os.Symlink(exe, program); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(strace, append([]string{
		"-f", "-qq", "-y", "-s", "100", "-e", "signal=none", "-o", s.path("trace"),
		"-e", "trace=execve,syncfs,fsync,fdatasync,rename,renameat,renameat2", program,
	}, args...)...)
	run.Dir, run.Env = s.path("repo"), append(s.environ(), "AUTOBUILD_GUARD=off", "AUTOBUILD_KNOWLEDGE=off")
	if !git {
		run.Env = append(run.Env, "AUTOBUILD_ALLOW_EMPTY=true")
	}
	if out, err := run.CombinedOutput(); err != nil && strings.Contains(string(out), "ptrace") {
		t.Skipf("this machine allows no tracing: %s", out)
	} else if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(s.read("trace")) {
		m := countedCall.FindStringSubmatch(line)
		switch {
		case m == nil || strings.Contains(line, ") = -1 "):
		case m[1] == "execve":
			c.processes++
		case planMark.MatchString(line) && m[1] != "syncfs":
		case strings.HasPrefix(m[1], "rename"):
			c.renames++
		default:
			c.syncs++
		}
	}
	return c
}
