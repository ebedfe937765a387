package cmd

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"autobuild/orchestrator/session/call"
)

// Runs that an earlier version stored are shown, and resumed to the end that they would have had:
// no phase that was complete runs again, and each phase has one commit.
func TestStoredRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the recorded agents are shell scripts")
	}
	archives, err := filepath.Glob("../testdata/stored/*.tar.gz")
	if err != nil || len(archives) < 5 {
		t.Fatalf("%d archives: %v", len(archives), err)
	}
	// by the end of the recorded session: phases whose agent is called by the resume
	calls := map[string]string{
		"complete": "", "halted": "2a 3", "killed": "2a 3", "interrupted": "2a 3", "limited": "2a 3",
	}
	for _, archive := range archives {
		name := strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			unpack(t, archive, top)
			repo, home := filepath.Join(top, name), filepath.Join(top, "home")
			if err := os.Mkdir(home, 0o700); err != nil {
				t.Fatal(err)
			}
			// the recorded agents count their calls in the home directory
			env := append(plainEnviron(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "AUTOBUILD_SANDBOX=off")
			if code, out := runStored(t, repo, env, "status"); code != call.ExitOK || !strings.Contains(out, "2B") {
				t.Errorf("status: exit code %d\n%s", code, out)
			}
			if name == "halted" {
				commitFix(t, repo, env)
			}
			code, out := runStored(t, repo, env, "plan.md", "--resume", "--on-limit=wait")
			if code != call.ExitOK {
				t.Fatalf("exit code %d\n%s", code, out)
			}
			called, err := os.ReadFile(filepath.Join(home, "calls"))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if got := strings.Join(strings.Fields(string(called)), " "); got != calls[name] {
				t.Errorf("agents were called for %q, want %q", got, calls[name])
			}
			subjects := strings.Fields(strings.ReplaceAll(gitStored(t, repo, env, "log", "--format=%s"), " ", "_"))
			for _, phase := range []string{"1", "2a", "2b", "3"} {
				if n := len(slices.DeleteFunc(slices.Clone(subjects), func(s string) bool { return s != "feat:_phase_"+phase })); n != 1 {
					t.Errorf("%d commits of phase %s: %q", n, phase, subjects)
				}
			}
			if left := gitStored(t, repo, env, "status", "--porcelain"); left != "" {
				t.Errorf("the checkout has changes: %s", left)
			}
		})
	}
}

// commitFix is what a person does about the halted run.
func commitFix(t *testing.T, repo string, env []string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(repo, "fix.txt"), []byte("yes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	gitStored(t, repo, env, "add", "fix.txt")
	gitStored(t, repo, env, "commit", "-q", "-m", "fix")
}

// runStored runs the program in a directory and returns its exit code and all that it printed.
func runStored(t *testing.T, dir string, env []string, args ...string) (int, string) {
	t.Helper()
	c := exec.Command("autobuild", args...)
	c.Dir, c.Env = dir, env
	out, err := c.CombinedOutput()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode(), string(out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, string(out)
}

func gitStored(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = dir, env
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// plainEnviron is the caller's environment without what would change a run.
func plainEnviron() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "GIT_") || strings.HasPrefix(e, "AUTOBUILD_") || strings.HasPrefix(e, "HOME=")
	})
}

// unpack writes the files of an archive below dir.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o755)
		case tar.TypeReg:
			var data []byte
			if data, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(path, data, h.FileInfo().Mode().Perm())
			}
		default:
			t.Fatalf("%s is of type %q", h.Name, h.Typeflag)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
