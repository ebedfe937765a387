package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// The test binary is also the stage, and the program that a sandbox confines.
func TestMain(m *testing.M) {
	if Confined(os.Args) {
		fmt.Fprintln(os.Stderr, Enter(os.Args, os.Environ()))
		os.Exit(126)
	}
	if len(os.Args) > 1 && os.Args[1] == "deeds" {
		for _, d := range deeds() {
			fmt.Println(d.name, d.do(os.Args[2]))
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// deed is one way to change a directory that holds old.txt, dir/ and nothing else.
type deed struct {
	name string
	do   func(dir string) error
}

func deeds() []deed {
	in := func(do func(string) error, name string) func(string) error {
		return func(dir string) error { return do(filepath.Join(dir, name)) }
	}
	return []deed{
		{"create", in(func(p string) error { return os.WriteFile(p, []byte("x"), 0o600) }, "new.txt")},
		{"write", in(appendTo, "old.txt")},
		{"truncate", in(func(p string) error { return os.Truncate(p, 1) }, "old.txt")},
		{"mkdir", in(func(p string) error { return os.Mkdir(p, 0o700) }, "more")},
		{"symlink", in(func(p string) error { return os.Symlink("old.txt", p) }, "link")},
		{"fifo", in(func(p string) error { return syscall.Mkfifo(p, 0o600) }, "fifo")},
		{"hardlink", func(dir string) error { return os.Link(filepath.Join(dir, "old.txt"), filepath.Join(dir, "hard")) }},
		{"rename", func(dir string) error {
			return os.Rename(filepath.Join(dir, "old.txt"), filepath.Join(dir, "dir", "moved"))
		}},
		{"remove", func(dir string) error { return os.RemoveAll(filepath.Join(dir, "dir")) }},
	}
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("more")
	return errors.Join(err, f.Close())
}

// means are those that can be used on this machine.
func means(t *testing.T) []Means {
	t.Helper()
	var out []Means
	for _, f := range Possible(func(argv []string) error { return exec.Command(argv[0], argv[1:]...).Run() }) {
		if f.Err != nil {
			t.Logf("not tried: %v", f.Err)
			continue
		}
		out = append(out, f.Means)
	}
	if len(out) == 0 {
		t.Skip("this machine has neither Landlock nor a bubblewrap that works")
	}
	return out
}

// ground is a directory on which every deed is possible.
func ground(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "old.txt"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func content(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, rerr := os.ReadFile(path)
			b.Write(data)
			err = rerr
		}
		fmt.Fprintln(&b, path, d.Type())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// perform lets this binary do all of it in dir, allowed to write places alone.
func perform(t *testing.T, m Means, dir string, places ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv, err := m.Command(exe, []string{"me", "deeds", dir}, "/", Rights{Write: places})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err = cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", m, err, &out)
	}
	return out.String()
}

// The law of every sandbox: below its places everything can be done, elsewhere nothing, and what is
// there stays as it is.
func TestConfined(t *testing.T) {
	t.Parallel()
	for _, m := range means(t) {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			inside, outside := ground(t), ground(t)
			for line := range strings.Lines(perform(t, m, inside, inside)) {
				if !strings.HasSuffix(line, " <nil>\n") {
					t.Errorf("inside: %s", line)
				}
			}
			before := content(t, outside)
			said := perform(t, m, outside, inside)
			if n := strings.Count(said, "\n"); n != len(deeds()) {
				t.Fatalf("%d of %d were tried:\n%s", n, len(deeds()), said)
			}
			for line := range strings.Lines(said) {
				refused := slices.ContainsFunc([]string{"permission denied", "read-only file system", "invalid cross-device link"}, func(w string) bool { return strings.Contains(line, w) })
				if !refused {
					t.Errorf("outside: %s", line)
				}
			}
			if after := content(t, outside); after != before {
				t.Errorf("outside was changed:\n%s\nwas\n%s", after, before)
			}
		})
	}
}

// A link cannot carry the right to write elsewhere into a place: neither one that is made there,
// nor one that lies there.
func TestLinksLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, m := range means(t) {
		inside, outside := t.TempDir(), ground(t)
		if err := os.Symlink(outside, filepath.Join(inside, "out")); err != nil {
			t.Fatal(err)
		}
		before := content(t, outside)
		perform(t, m, filepath.Join(inside, "out"), inside)
		if after := content(t, outside); after != before {
			t.Errorf("%s: %s\nwas\n%s", m, after, before)
		}
	}
}

// A hidden directory's files cannot be read, those in what is shown of it can, and so can all others.
func TestHidden(t *testing.T) {
	t.Parallel()
	for _, m := range means(t) {
		hidden, beside := t.TempDir(), t.TempDir()
		shown := filepath.Join(hidden, "shown")
		if err := os.Mkdir(shown, 0o700); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(beside, "link")
		if err := os.Symlink(hidden, link); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{hidden, beside, shown} {
			if err := os.WriteFile(filepath.Join(dir, "file"), []byte(filepath.Base(dir)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for path, visible := range map[string]bool{
			filepath.Join(hidden, "file"): false, filepath.Join(link, "file"): false,
			filepath.Join(shown, "file"): true, filepath.Join(beside, "file"): true, "/etc/passwd": true,
		} {
			argv, err := m.Command("/bin/cat", []string{"cat", path}, "/", Rights{Hide: hidden, Show: []string{shown}})
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
			if (err == nil) != visible {
				t.Errorf("%s: %s: %v, %s", m, path, err, out)
			}
		}
	}
}

// A start does not fail because files beside what is hidden go while it is made.
func TestHiddenBesideChange(t *testing.T) {
	t.Parallel()
	for _, m := range means(t) {
		top := t.TempDir()
		hidden := filepath.Join(top, "hidden")
		if err := os.Mkdir(hidden, 0o700); err != nil {
			t.Fatal(err)
		}
		done, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			for {
				for n := range 50 {
					_ = os.WriteFile(filepath.Join(top, strconv.Itoa(n)), nil, 0o600)
				}
				for n := range 50 {
					_ = os.Remove(filepath.Join(top, strconv.Itoa(n)))
				}
				select {
				case <-done:
					return
				default:
				}
			}
		}()
		for range 30 {
			argv, err := m.Command("/bin/true", []string{"true"}, "/", Rights{Hide: hidden})
			if err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v, %s", m, err, out)
			}
		}
		close(done)
		<-ended
	}
}

// A program that cannot be confined is not started.
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"x"}, {"{}"}, {"{}", "/bin/true"}, {"[]", "/bin/true", "true"}, {`{"Write":"/tmp"`, "/bin/echo", "echo", "started"}} {
		out, err := exec.Command(exe, append([]string{stageWord}, args...)...).CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 126 || !strings.Contains(string(out), "not for use by hand") {
			t.Errorf("%q: %v, %s", args, err, out)
		}
	}
}

// Each kernel is asked for the rights that it supports and no more, and the finding names the
// rights that it cannot stop.
func TestLimitsOfKernels(t *testing.T) {
	t.Parallel()
	known := []landlock.AccessFSSet{1: 1<<13 - 1, 2: 1<<14 - 1, 3: 1<<15 - 1, 4: 1<<15 - 1, 5: 1<<16 - 1, 6: 1<<16 - 1, 7: 1<<16 - 1, 9: 1<<17 - 1}
	readable := reading | ll.AccessFSReadDir | ll.AccessFSExecute
	for abi := 1; abi < len(known); abi++ {
		c := limits(abi)
		if k := known[abi]; k != 0 && c.HandledAccessFS&^k != 0 {
			t.Errorf("version %d is asked for %v", abi, c.HandledAccessFS&^k)
		}
		if c.HandledAccessFS&readable != 0 || c.HandledAccessNet != 0 {
			t.Errorf("version %d: reading or the network is limited: %v", abi, c)
		}
		if c.HandledAccessFS&devices != devices {
			t.Errorf("version %d lets devices be made: %v", abi, c.HandledAccessFS)
		}
		if (gaps(abi) == "") != (c.Scoped != 0) {
			t.Errorf("version %d: gaps %q, scopes %v", abi, gaps(abi), c.Scoped)
		}
	}
}

// A confined program cannot read the environment of another process, even of the same user: neither
// of a confined agent nor of autobuild.
func TestEnvironmentsAreNotRead(t *testing.T) {
	for _, m := range means(t) {
		t.Run(string(m), func(t *testing.T) {
			dir := ground(t)
			const secret, script = "NONCE=of-another", "echo ready; read line"
			plain := exec.Command("sh", "-c", script)
			argv, err := m.Command("/bin/sh", []string{"sh", "-c", script}, dir, Rights{Write: []string{dir}})
			if err != nil {
				t.Fatal(err)
			}
			for _, victim := range []*exec.Cmd{plain, exec.Command(argv[0], argv[1:]...)} {
				victim.Env = append(os.Environ(), secret)
				stdin, failed := victim.StdinPipe()
				stdout, err := victim.StdoutPipe()
				if err = errors.Join(failed, err, victim.Start()); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = stdin.Close(); _ = victim.Wait() })
				if _, err = stdout.Read(make([]byte, len("ready"))); err != nil {
					t.Fatal(err)
				}
				path := fmt.Sprintf("/proc/%d/environ", victim.Process.Pid)
				if seen, unread := os.ReadFile(path); unread != nil || !bytes.Contains(seen, []byte(secret)) {
					t.Fatalf("it cannot be read without a sandbox either: %v", unread)
				}
				argv, err := m.Command("/bin/cat", []string{"cat", path, "/proc/self/status"}, dir, Rights{Write: []string{dir}})
				if err != nil {
					t.Fatal(err)
				}
				// cat fails for the first
				out, _ := exec.Command(argv[0], argv[1:]...).CombinedOutput()
				if bytes.Contains(out, []byte(secret)) || !bytes.Contains(out, []byte("Name:")) {
					t.Errorf("%s", out)
				}
			}
		})
	}
}
