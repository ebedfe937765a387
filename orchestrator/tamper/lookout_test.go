package tamper_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autobuild/orchestrator/tamper"
)

// watchedRun is a Lookout over an environment with one steering file.
func watchedRun(t *testing.T) (l *tamper.Lookout, npmrc string) {
	t.Helper()
	home, root := t.TempDir(), t.TempDir()
	npmrc = filepath.Join(home, ".npmrc")
	if err := os.WriteFile(npmrc, []byte("registry=a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(root, ".autobuild")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	w, err := tamper.Take(tamper.Config{Environ: []string{"HOME=" + home}, Root: root, StateDir: state, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, data []byte, _ bool) error {
		return os.WriteFile(filepath.Join(state, name), data, 0o600)
	}
	clean := func(s string) string { return s }
	return &tamper.Lookout{
		Env: &tamper.Environment{Watch: w, StateDir: state, Put: put, Note: t.Logf, Clean: clean},
	}, npmrc
}

// begin takes a phase to the start of its agent.
func begin(t *testing.T, l *tamper.Lookout, phase string) {
	t.Helper()
	ctx := t.Context()
	if err := l.Enter(ctx, phase); err != nil {
		t.Fatal(err)
	}
	l.Opened(phase, true)
	if err := l.Watch(ctx, phase); err != nil {
		t.Fatal(err)
	}
}

// end returns the breaches of a phase.
func end(t *testing.T, l *tamper.Lookout, phase string) tamper.Breaches {
	t.Helper()
	found, err := l.Breaches(t.Context(), phase, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err = l.Rest(t.Context(), phase); err != nil {
		t.Fatal(err)
	}
	return found
}

// A change by the only phase at work is its breach; the file is put back.
func TestLookoutBlamesOnePhase(t *testing.T) {
	l, npmrc := watchedRun(t)
	begin(t, l, "1")
	if err := os.WriteFile(npmrc, []byte("registry=b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := end(t, l, "1")
	if len(found.Found) != 1 || found.Unattributed || !strings.Contains(found.Found[0], ".npmrc") {
		t.Errorf("%+v", found)
	}
	if text, err := os.ReadFile(npmrc); err != nil || string(text) != "registry=a\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A change while two phases are at work is a breach of both, and attributed to neither.
func TestLookoutBlamesAllPhasesAtWork(t *testing.T) {
	l, npmrc := watchedRun(t)
	begin(t, l, "1")
	begin(t, l, "2")
	if err := os.WriteFile(npmrc, []byte("registry=b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, phase := range []string{"1", "2"} {
		found := end(t, l, phase)
		if len(found.Found) != 1 || !found.Unattributed || !strings.Contains(found.Found[0], "several phases were at work") {
			t.Errorf("phase %s: %+v", phase, found)
		}
	}
}

// A kill while no agent is at work leaves nothing to put back: the user may have changed it since.
func TestRecoverAtRest(t *testing.T) {
	l, npmrc := watchedRun(t)
	begin(t, l, "1")
	if err := errors.Join(l.Rest(t.Context(), "1"), os.WriteFile(npmrc, []byte("registry=b\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	state := l.Env.StateDir
	notes, err := tamper.Recover(tamper.Config{
		Environ: []string{"HOME=" + filepath.Dir(npmrc)}, Root: filepath.Dir(state), StateDir: state, Now: time.Now,
	})
	if text, failed := os.ReadFile(npmrc); err != nil || failed != nil || len(notes) > 0 || string(text) != "registry=b\n" {
		t.Errorf("%q, %v, %q, %v", notes, err, text, failed)
	}
	if left, _ := filepath.Glob(filepath.Join(state, "environment*")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// The session after a kill puts back what changed since the agent began.
func TestRecover(t *testing.T) {
	l, npmrc := watchedRun(t)
	begin(t, l, "1")
	if err := os.WriteFile(npmrc, []byte("registry=b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := l.Env.StateDir
	c := tamper.Config{
		Environ: []string{"HOME=" + filepath.Dir(npmrc)}, Root: filepath.Dir(state), StateDir: state, Now: time.Now,
	}
	for n, want := range []int{1, 0} {
		notes, err := tamper.Recover(c)
		if err != nil || len(notes) != want {
			t.Errorf("recovery %d: %q, %v", n+1, notes, err)
		}
	}
	if text, err := os.ReadFile(npmrc); err != nil || string(text) != "registry=a\n" {
		t.Errorf("%q, %v", text, err)
	}
}
