// Package gittest makes repositories for tests: a user's checkout with one commit, cut off from the
// configuration of the machine. Each is a copy of one template, so making one starts no git. It
// does not know what is tested with it.
package gittest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"autobuild/internal/proc"
)

// Lab is a repository of a user, and the environment in which git works in it.
type Lab struct {
	T       testing.TB
	Top     string // root of the checkout
	Home    string // the user's home directory
	Environ []string
	Run     *proc.Runner
}

// New makes a repository whose branch main has one commit with README.md and files, by name.
func New(t testing.TB, files map[string]string) *Lab {
	t.Helper()
	home := t.TempDir()
	l := &Lab{T: t, Top: filepath.Join(t.TempDir(), "repo"), Home: home, Run: &proc.Runner{}}
	l.Environ = environment(home)
	if err := os.CopyFS(l.Top, os.DirFS(template(t, files))); err != nil {
		t.Fatal(err)
	}
	return l
}

// environment is one in which git finds no configuration but the user's.
func environment(home string) []string {
	return []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C",
	}
}

// Main runs the tests of a package that starts git. Every landing flushes the file system that it
// is on: in memory that is quick, and it waits for no other program's writes.
func Main(m *testing.M) (code int) {
	proc.Supervise()
	_, chosen := os.LookupEnv("TMPDIR")
	if info, err := os.Stat("/dev/shm"); err != nil || !info.IsDir() || chosen {
		return m.Run()
	}
	dir, err := os.MkdirTemp("/dev/shm", "git-test-")
	if err != nil || os.Setenv("TMPDIR", dir) != nil {
		return m.Run()
	}
	defer func() { _ = os.RemoveAll(dir) }() // leftovers are in memory
	return m.Run()
}

// templates holds the repositories that labs are copies of, by their files.
var templates sync.Map

// template makes the repository for a set of files, once in a process.
func template(t testing.TB, files map[string]string) string {
	t.Helper()
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		key.WriteString(name + "\x00" + files[name] + "\x00")
	}
	stored, _ := templates.LoadOrStore(key.String(), sync.OnceValue(func() string {
		dir, err := os.MkdirTemp("", "lab-") //nolint:usetesting // it outlives the test that happens to make it
		if err != nil {
			t.Fatal(err)
		}
		l := &Lab{T: t, Top: dir, Environ: environment(dir)}
		l.Git("init", "-q", "-b", "main", "--template=")
		l.Git("config", "user.name", "Uma User")
		l.Git("config", "user.email", "uma@example.org")
		l.Write("README.md", "hello\n")
		for name, data := range files {
			l.Write(name, data)
		}
		l.Git("add", "-A")
		l.Git("commit", "-q", "-m", "first")
		return dir
	}))
	made, _ := stored.(func() string)
	return made()
}

// Git runs git in the checkout and gives its output without the line break at the end. An error
// fails the test.
func (l *Lab) Git(args ...string) string { l.T.Helper(); return l.GitIn(l.Top, args...) }

// Own is Git in the repository of the run.
func (l *Lab) Own(args ...string) string {
	l.T.Helper()
	return l.Git(append([]string{"--git-dir=" + filepath.Join(l.Top, ".autobuild", "git")}, args...)...)
}

// GitIn is Git in another directory.
func (l *Lab) GitIn(dir string, args ...string) string {
	l.T.Helper()
	out, err := l.TryGit(dir, args...)
	if err != nil {
		l.T.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return out
}

// TryGit is GitIn that gives the error; the output is then that of both streams.
func (l *Lab) TryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...) //nolint:noctx // the cleanup of a test runs git too
	cmd.Dir, cmd.Env = dir, l.Environ
	if !slices.Contains(args, "clone") { // to look at what was not delivered
		cmd.Env = append(slices.Clip(l.Environ),
			"GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(l.Top, ".autobuild", "git", "objects"))
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return errs.String() + string(out), err
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// Write writes a file of the checkout.
func (l *Lab) Write(name, data string) { l.T.Helper(); Put(l.T, l.Top, name, data) }

// Put writes a file below dir and makes its folder.
func Put(t testing.TB, dir, name, data string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Get reads a file below dir.
func Get(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Missing reports whether nothing lies at a path below dir.
func Missing(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return os.IsNotExist(err)
}

// OK passes a value on, and fails the test where there is an error instead: OK(f())(t).
func OK[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Want compares what a test got with what it wants.
func Want[T comparable](t testing.TB, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s:\n got %v\nwant %v", what, got, wanted)
	}
}

// Words puts values side by side.
func Words(v ...any) string { return strings.TrimSuffix(fmt.Sprintln(v...), "\n") }
