package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"autobuild/orchestrator/verify"
	"autobuild/orchestrator/verify/referee"
	"autobuild/state"
)

// runner makes referee runs of Go tests in a worktree of its own: of the tests in question alone.
type runner struct {
	h       *history
	dir     string // the worktree
	timeout time.Duration
	env     []string
	runs    int
}

// open makes the worktree. It is removed by close.
func (r *runner) open() error {
	_, err := r.h.git("worktree", "add", "--detach", "--force", r.dir, "HEAD")
	return err
}

func (r *runner) close() error {
	_, err := r.h.git("worktree", "remove", "--force", r.dir)
	return err
}

func (r *runner) git(args ...string) error {
	_, err := (&history{dir: r.dir}).git(args...)
	return err
}

// referee runs the tests in question on the commit's code with the overlays; tests that fail on the
// parent too are left out.
func (r *runner) referee(
	c commit, overlays []referee.Overlay, open []state.RefereeChange,
) (referee.Outcome, error) {
	packages, pattern := scopeOf(open)
	if len(packages) == 0 {
		return referee.Outcome{}, errors.New("no Go package is concerned")
	}
	if err := r.checkout(c.id); err != nil {
		return referee.Outcome{}, err
	}
	for _, o := range overlays {
		if err := r.overlay(c, o); err != nil {
			return referee.Outcome{}, err
		}
	}
	run, err := r.test(packages, pattern)
	if err != nil || run.Passed {
		return run, err
	}
	if err = r.checkout(c.parent); err != nil {
		return referee.Outcome{}, err
	}
	before, err := r.test(packages, pattern)
	if err != nil {
		return referee.Outcome{}, err
	}
	return run.Worse(before), nil
}

func (r *runner) checkout(id string) error {
	if err := r.git("checkout", "--quiet", "--force", "--detach", id); err != nil {
		return err
	}
	return r.git("clean", "-fdxq")
}

func (r *runner) overlay(c commit, o referee.Overlay) error {
	file := filepath.Join(r.dir, filepath.FromSlash(o.Path))
	switch {
	case o.Mode == "":
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("take out %s: %w", o.Path, err)
		}
		return nil
	case o.Base:
		return r.git("checkout", "--quiet", c.parent, "--", o.Path)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return fmt.Errorf("put in %s: %w", o.Path, err)
	}
	return os.WriteFile(file, []byte(o.Content), 0o600)
}

// scopeOf are the packages whose tests are in question and a pattern for -run; a changed fixture
// concerns all tests of the package above it, but a script of testscript only itself.
func scopeOf(open []state.RefereeChange) (packages []string, pattern string) {
	var names, scripts []string
	all := false
	for _, c := range open {
		dir := path.Dir(c.File)
		at := strings.Index(c.File+"/", "/testdata/")
		switch {
		case strings.HasPrefix(c.File, "testdata/scripts/") && strings.HasSuffix(c.File, ".txtar"):
			scripts = append(scripts,
				regexp.QuoteMeta(strings.TrimSuffix(path.Base(c.File), ".txtar")))
			dir = "cmd"
		case strings.HasPrefix(c.File, "testdata/"):
			dir, all = "cmd", true
		case at >= 0:
			dir, all = c.File[:at], true
		case strings.HasSuffix(c.File, "_test.go") && c.Cause != state.CauseSupport && c.Test != "":
			names = append(names, regexp.QuoteMeta(c.Test))
		default:
			all = true
		}
		if !slices.Contains(packages, "./"+dir) {
			packages = append(packages, "./"+dir)
		}
	}
	switch {
	case all:
		return packages, ""
	case len(scripts) == 0:
		return packages, "^(" + strings.Join(names, "|") + ")$"
	case len(names) == 0:
		return packages, "^TestScripts?$/^(" + strings.Join(scripts, "|") + ")$"
	}
	return packages, "^(TestScripts?|" + strings.Join(names, "|") + ")$/^(" + strings.Join(scripts,
		"|") + ")$"
}

// test runs go test for a verdict and for names.
func (r *runner) test(packages []string, pattern string) (referee.Outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout)
	defer cancel()
	args := []string{"test", "-vet=off", "-json", "-timeout", r.timeout.String()}
	if pattern != "" {
		args = append(args, "-run", pattern)
	}
	var kept []string
	for _, p := range packages {
		if info, err := os.Stat(filepath.Join(r.dir, p)); err == nil && info.IsDir() {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return referee.Outcome{}, errors.New("the packages are gone")
	}
	c := exec.CommandContext(ctx, "nice", append(append([]string{"go"}, args...), kept...)...)
	c.Dir, c.WaitDelay = r.dir, 10*time.Second
	c.Env = r.env
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	r.runs++
	err := c.Run()
	if ctx.Err() != nil {
		return referee.Outcome{}, fmt.Errorf("longer than %s", r.timeout)
	}
	g := state.Gate{Name: "test", Kind: state.KindTest, Status: state.GatePassed}
	if err != nil {
		g.Status, g.Exit = state.GateFailed, 1
	}
	return verify.NamesIn(out.String(), r.dir, g), nil
}
