package cmd

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The system calls show that data is on the disk before the record that refers to it: the desk
// before the run's refs, the objects of a phase's commit with the new values of the refs that lead
// to them, the folders that hold the names of these, the diary, and only then the file that calls
// the phase complete. The files of phases are synced before the end is recorded.
func TestWritesInOrder(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so the system calls cannot be seen")
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
	args := append([]string{"-f", "-qq", "-y", "-s", "200", "-e", "trace=execve,syncfs,fsync,rename,renameat,renameat2", "-e", "signal=none", "-o", s.path("trace"), program},
		s.runArgs("--only=1", "--progress=plain")...)
	run := exec.Command(strace, args...)
	run.Dir, run.Env = s.path("repo"), s.environ()
	if out, err := run.CombinedOutput(); err != nil && strings.Contains(string(out), "ptrace") {
		t.Skipf("this machine allows no tracing: %s", out)
	} else if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := s.read("trace")
	state := regexp.QuoteMeta(s.path("repo/.autobuild"))
	own := regexp.QuoteMeta(s.path("repo/.autobuild/git"))
	flush, theirs := `syncfs\(\d+<`+own+`>`, `syncfs\(\d+<`+regexp.QuoteMeta(s.path("repo/.git"))+`>`
	at := 0
	for _, want := range []string{
		`fsync\(\d+<` + own + `/\.autobuild-\d+>`,
		`renameat2?\(.*/git/branch"\)`,
		`rename\(".*/base\.lock", ".*/base"\)`, flush, `renameat2?\(.*/git/refs/autobuild/.*/base"\)`,
		`execve\("[^"]*git", .*"commit-tree"`,
		flush, `renameat2?\(.*/integration"\)`,
		theirs, `rename\(".*/heads/main\.lock", ".*/heads/main"\)`,
		`renameat2?\(.*/git/refs/autobuild/.*/delivered"\)`,
		`fsync\(\d+<` + state + `/events\.jsonl>`,
		`renameat2?\(\d+<` + state + `/phases>, ".*\.tmp", \d+<.*>, "phase-1\.json"`,
		`syncfs\(\d+<` + state + `/phases>`,
		`fsync\(\d+<` + state + `/events\.jsonl>`,
		`renameat2?\(\d+<` + state + `>, ".*\.tmp", \d+<.*>, "result\.json"`,
	} {
		found := regexp.MustCompile(want).FindStringIndex(text[at:])
		if found == nil {
			t.Fatalf("after byte %d of the trace, nothing is %s:\n%s", at, want, text)
		}
		at += found[1]
	}
	if last := strings.LastIndex(text, `"phase-1.json"`); last > at {
		t.Errorf("the phase's file is written once more after the end:\n%s", text[at:])
	}
}
