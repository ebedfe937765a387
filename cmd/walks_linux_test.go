package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The files that a phase opens, looks at and lists are as many in a plan of 250 phases as in one of
// 50: no event walks over the plan, the state or the environment. A walk over the complete phases
// at each phase's end makes 120 calls a phase more, (50+250)/2 - (10+50)/2. Looks again at files
// that were just written are fewer where the machine is slow: up to 30 a phase.
func TestNoWalks(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so the system calls cannot be seen")
	}
	if testing.Short() {
		t.Skip("it runs 560 phases")
	}
	t.Parallel()
	s := newSite(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := s.path("autobuild") // the test binary is the program under this name
	if err = os.Symlink(exe, program); err != nil {
		t.Fatal(err)
	}
	calls := func(phases int) float64 {
		t.Helper()
		dir := s.path(fmt.Sprintf("walk%d", phases))
		var plan strings.Builder
		for i := range phases {
			fmt.Fprintf(&plan, "## Phase %d: Part %d\n\n**Depends on:** %s\n\n- [ ] work\n\n", i+1, i+1,
				map[bool]string{true: "none", false: fmt.Sprintf("Phase %d", i-3)}[i < 4])
		}
		config := "agent: noop\nagents:\n  noop:\n    command: [/bin/true]\n    result: exit\n"
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"plan.md": plan.String(), "c.yaml": config} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		trace := s.path(fmt.Sprintf("trace%d", phases))
		run := exec.Command(strace, "-f", "-qq", "--seccomp-bpf", "-e", "signal=none", "-o", trace,
			"-e", "trace=open,openat,stat,lstat,newfstatat,statx,readlink,readlinkat,getdents64",
			program, "plan.md", "--config=c.yaml", "--isolation=none",
			"--allow-unverified", "--jobs=1",
			"--baseline=off", "--progress=plain")
		run.Dir, run.Env = dir, append(s.environ(), "AUTOBUILD_ALLOW_EMPTY=true", "AUTOBUILD_KNOWLEDGE=off")
		if out, err := run.CombinedOutput(); err != nil && strings.Contains(string(out), "ptrace") {
			t.Skipf("this machine allows no tracing: %s", out)
		} else if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for line := range strings.Lines(string(text)) {
			// as many as the machine has processes, and the second half of a call
			if !strings.Contains(line, `"/proc`) && !strings.Contains(line, " resumed>") {
				count++
			}
		}
		return float64(count)
	}
	few, some, many := calls(10), calls(50), calls(250)
	small, large := (some-few)/40, (many-some)/200
	t.Logf("%.0f calls a phase of 50, %.0f of 250", small, large)
	if large-small > 60 {
		t.Errorf("%.1f calls a phase in a plan of 250 phases, %.1f in one of 50", large, small)
	}
}
