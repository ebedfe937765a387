package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/state"
)

var errCrash = errors.New("crash")

// crashAt makes the n-th change from now on, and every later one, fail. It returns the count of
// changes.
func crashAt(d *Dir, n int) *int {
	disk, count := d.files, new(int)
	dead := func() bool {
		*count++
		return *count >= n
	}
	d.files.write = func(root *os.Root, name string, data []byte, perm os.FileMode) error {
		if dead() {
			return errCrash
		}
		return disk.write(root, name, data, perm)
	}
	d.files.rename = func(root *os.Root, from, to string) error {
		if dead() {
			return errCrash
		}
		return disk.rename(root, from, to)
	}
	d.files.remove = func(root *os.Root, name string) error {
		if dead() {
			return errCrash
		}
		return disk.remove(root, name)
	}
	return count
}

// without are the files of a snapshot that a run does not own.
func without(files map[string]string) map[string]string {
	own := map[string]string{}
	for name, text := range files {
		first, _, _ := strings.Cut(name, "/")
		switch first {
		case HistoryDir, gitDir, runLock, agentsLock, ignoreName:
		default:
			own[name] = text
		}
	}
	return own
}

// TestFreshCrash stops Fresh after each of its changes. Load then returns the old run, whole, or
// none. The next Fresh finishes, and history holds all of the old run, once.
func TestFreshCrash(t *testing.T) {
	for n := 1; ; n++ {
		if n > 50 {
			t.Fatal("Fresh never ends")
		}
		dir := stateDir(t)
		d := openDir(t, dir)
		r := story(t, d)
		happen(t, d, r, end())
		log, _, err := d.Log("phase-0.1.log")
		if err != nil {
			t.Fatal(err)
		}
		if err = errors.Join(log.Close(), d.Put("commits.sh", []byte("#!/bin/sh\n"), true)); err != nil {
			t.Fatal(err)
		}
		work := filepath.Join(dir, gitDir, "2a")
		if err = errors.Join(os.MkdirAll(work, 0o700), os.WriteFile(filepath.Join(work, "unmerged"), []byte("work"), 0o600)); err != nil {
			t.Fatal(err)
		}
		old := without(snapshot(t, dir))
		count := crashAt(d, n)
		_, err = d.Fresh(0)
		closeDir(t, d)
		through := *count < n
		if !through && !errors.Is(err, errCrash) {
			t.Fatalf("change %d: %v", n, err)
		}

		switch loaded, _, err := Load(dir, seeds()); {
		case err == nil:
			if diff := cmp.Diff(r, loaded, same()); diff != "" {
				t.Fatalf("after %d changes the run is neither old nor gone:\n%s", n-1, diff)
			}
			if !Exists(dir) {
				t.Errorf("after %d changes Load and Exists disagree", n-1)
			}
		case errors.Is(err, ErrNoRun):
			if Exists(dir) {
				t.Errorf("after %d changes Load and Exists disagree", n-1)
			}
		default:
			t.Fatalf("after %d changes: %v", n-1, err)
		}

		d = openDir(t, dir)
		if _, err := d.Fresh(0); err != nil {
			t.Fatalf("the second --fresh after %d changes: %v", n-1, err)
		}
		if _, _, err := d.Load(seeds()); !errors.Is(err, ErrNoRun) {
			t.Errorf("after the second --fresh: %v", err)
		}
		after := snapshot(t, dir)
		if rest := without(after); len(rest) > 0 {
			t.Errorf("left behind: %v", rest)
		}
		for name, text := range old {
			if after["history/r1/"+name] != text {
				t.Errorf("%s is not in history as it was", name)
			}
		}
		if after["git/2a/unmerged"] != "work" {
			t.Error("unmerged work is gone")
		}
		happen(t, d, &state.Run{}, begin(1, state.Worktree))
		closeDir(t, d)
		if through {
			if n < 6 {
				t.Errorf("Fresh made only %d changes", n-1)
			}
			return
		}
	}
}

// TestHistory: the last runs are kept, the oldest go, and a run id that was used before gets a
// number.
func TestHistory(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	for i := range 5 {
		happen(t, d, &state.Run{}, begin(1, state.Worktree), started("0", 1))
		got, err := d.Fresh(3)
		want := "history/r1"
		if i > 0 && i < 3 {
			want = fmt.Sprintf("history/r1.%d", i)
		}
		if err != nil || i < 3 && got != want {
			t.Fatalf("run %d went to %s, want %s: %v", i, got, want, err)
		}
		stamp := at(i)
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(got)), stamp, stamp); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, HistoryDir))
	if err != nil || len(entries) != 3 {
		t.Errorf("%d runs are kept: %v", len(entries), err)
	}
	if got, err := d.Fresh(3); got != "" || err != nil {
		t.Errorf("with nothing to set aside: %q, %v", got, err)
	}
}

// TestFreshFromCorrupt: --fresh resolves any damage, and keeps the files that it sets aside.
func TestFreshFromCorrupt(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	story(t, d)
	if err := os.WriteFile(filepath.Join(dir, ConfigName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := d.Fresh(0)
	if err != nil || got != "history/unknown-20260102-030400" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestSetAside: a person's reset of a phase whose file cannot be read keeps the file.
func TestSetAside(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	story(t, d)
	for i, want := range []string{"history/files/phase-2a.json", "history/files/phase-2a.json.1", ""} {
		if i < 2 {
			if err := os.WriteFile(filepath.Join(dir, PhasePath("2a")), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := d.SetAside("2a"); got != want || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if p, _ := mustLoad(t, d, seeds()).Find("2a"); p.Status != state.Pending {
		t.Errorf("phase 2a is %s", p.Status)
	}
	if _, err := d.SetAside("../x"); err == nil {
		t.Error("an id is never a path")
	}
}
