package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"autobuild/internal/proc"
	"autobuild/internal/sandbox"
	"autobuild/state/store"
)

// The test binary is also the program, its supervisor, and nothing else: fake agents are shell
// scripts.
func TestMain(m *testing.M) {
	proc.Supervise()
	becomeConfined()
	testscript.Main(tidy{m}, map[string]func(){"autobuild": Main, "autobuild-cut": cutMain})
}

// tidy takes away what the tests have shared.
type tidy struct{ *testing.M }

// Run runs the tests.
func (t tidy) Run() int {
	dir, err := os.MkdirTemp("", "site-")
	if err != nil {
		panic(err)
	}
	siteDir = dir
	go reap()
	code := t.M.Run()
	_ = os.RemoveAll(dir)
	return code
}

var nthScript = flag.Int("scripts", 1, "run each `n`th script")

// The specification: every script runs the real program in a directory of its own.
func TestScripts(t *testing.T) {
	const dir = "../testdata/scripts"
	scripts, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts in %s: %v", dir, err)
	}
	some := make([]string, 0, len(scripts))
	for i := 0; i < len(scripts); i += *nthScript {
		some = append(some, scripts[i])
	}
	testscript.Run(t, testscript.Params{
		Files:               some,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               heldToSchemas(t),
		Condition:           machine,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
			"repo":  repo,
			"count": countLines,
			"mount": mount,
			"holds": holds,
		},
	})
}

// setupScript gives every script a home and a git configuration of its own, and no trace of the
// caller's.
func setupScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	config := "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = home
	}
	env.Defer(func() { stopDetached(filepath.Join(env.WorkDir, "work")) })
	env.Setenv("HOME", home)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	env.Setenv("GOFLAGS", "-mod=mod")
	env.Setenv("GOPROXY", "off")
	env.Setenv("LANG", "C.UTF-8")
	env.Setenv("COLUMNS", "80")
	env.Setenv("AUTOBUILD_SANDBOX", "off") // agents of scripts count what they do beside the repository
	return nil
}

// stopDetached ends what a script that failed half-way has left running on its own.
func stopDetached(dir string) {
	if h, held := store.Held(filepath.Join(dir, ".autobuild"), filepath.Join(dir, ".git")); held && h.PID != 0 {
		_ = proc.Terminate(context.Background(), h.PID, h.Process, true)
	}
}

// exits runs a command that must end with this exit code: exits 1 autobuild plan.md.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// repo makes the current directory a repository whose first commit holds everything in it.
func repo(ts *testscript.TestScript, neg bool, _ []string) {
	if neg {
		ts.Fatalf("usage: repo")
	}
	// where the phases of a run in this directory work
	git := sha256.Sum256([]byte(ts.MkAbs(".git")))
	ts.Setenv("WORKTREES", filepath.Join(ts.Getenv("HOME"), ".cache", "build-"+hex.EncodeToString(git[:6]), "worktrees"))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "start"}} {
		ts.Check(ts.Exec("git", args...))
	}
}

// countLines compares how many lines a file has: count 3 log.txt. A missing file has none.
func countLines(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: count N FILE")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	n := 0
	if data, err := os.ReadFile(ts.MkAbs(args[1])); err == nil {
		for _, b := range data {
			if b == '\n' {
				n++
			}
		}
	}
	if (n == want) == neg {
		ts.Fatalf("%s has %d lines, want %d (negated: %v)", args[1], n, want, neg)
	}
}

// machine evaluates the conditions of scripts about the machine.
func machine(name string) (bool, error) {
	for _, f := range sandbox.Possible(nil) {
		if name == string(f.Means) {
			return f.Err == nil, nil
		}
	}
	return condition(name)
}
