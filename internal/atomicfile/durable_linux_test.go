package atomicfile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"autobuild/internal/atomicfile"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "write" {
		if atomicfile.WritePath(os.Args[2], []byte("text"), 0o600) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The system calls come in the order that a power cut demands: content synced, renamed, folder
// synced.
func TestStepsInOrder(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed, so the system calls cannot be seen")
	}
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "f")
	out, err := exec.Command(strace, "-f", "-y", "-e", "trace=write,fsync,renameat,renameat2", "-o", trace, exe, "write", file).CombinedOutput()
	if err != nil && strings.Contains(string(out), "ptrace") {
		t.Skipf("this machine allows no tracing: %s", out)
	} else if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	log, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	q := regexp.QuoteMeta(dir)
	want := `(?s)write\(\d+<` + q + `/\.atomicfile-\w+\.tmp>, "text", 4\).*fsync\(\d+<` + q + `/\.atomicfile-\w+\.tmp>\).*renameat2?\(.*"f".*\).*fsync\(\d+<` + q + `>\)`
	if !regexp.MustCompile(want).Match(log) {
		t.Errorf("the steps are not there in their order:\n%s", log)
	}
}
