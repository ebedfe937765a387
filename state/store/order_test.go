package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"autobuild/state"
)

// watched calls look with every path that is about to be written, renamed or removed.
func watched(d *Dir, look func(what string)) {
	d.Watch(func(what string) error {
		if before, ok := strings.CutPrefix(what, "before "); ok {
			look(before)
		}
		return nil
	})
}

// TestDiaryComesFirst: an event is in the diary before the file that it changes is replaced.
func TestDiaryComesFirst(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	r, looks := &state.Run{}, 0
	watched(d, func(what string) {
		diary, err := os.ReadFile(filepath.Join(dir, DiaryName))
		looks++
		if want := fmt.Sprintf(`"seq":%d,`, r.Seq); err != nil || !bytes.Contains(diary[bytes.LastIndexByte(diary[:len(diary)-1], '\n')+1:], []byte(want)) {
			t.Errorf("%s before the diary has event %d: %v", what, r.Seq, err)
		}
	})
	happen(t, d, r, begin(1, state.Worktree), started("0", 1), passed("0", 1), end())
	if looks < 4 {
		t.Errorf("%d changes were seen", looks)
	}
}

// TestEndOfItsSession: the end on disk is always that of the session in config.json, so it goes
// before the next session is written.
func TestEndOfItsSession(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	r := &state.Run{}
	happen(t, d, r, begin(1, state.Worktree), end())
	var seen []string
	watched(d, func(what string) {
		seen = append(seen, what)
		if _, err := os.Lstat(filepath.Join(dir, ResultName)); what == "write "+ConfigName && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the second session is written beside the first one's end: %v", err)
		}
	})
	happen(t, d, r, begin(2, state.Worktree))
	if !slices.Contains(seen, "write "+ConfigName) {
		t.Errorf("seen: %q", seen)
	}
}

// TestLockOfAnother: Close after the lock file was replaced leaves the other holder's signature in
// the new file.
func TestLockOfAnother(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	path := filepath.Join(dir, runLock)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	other := &Dir{path: dir}
	if _, err := other.takeLock(dir); err != nil {
		t.Fatal(err)
	}
	if err := other.sign(Holder{PID: 4711, RunID: "r2"}); err != nil {
		t.Fatal(err)
	}
	closeDir(t, d)
	if got := readHolder(path); got.PID != 4711 {
		t.Errorf("the other's lock names %+v", got)
	}
	if err := other.release(); err != nil {
		t.Error(err)
	}
}

// TestSeqBehindNotices: the number of the last event is found also behind many lines that have
// none.
func TestSeqBehindNotices(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	r := story(t, d)
	for range 300 {
		if err := d.Event(state.Event{V: state.EventVersion, Type: state.Notice, Run: "r1", Text: strings.Repeat("x", 200)}, r); err != nil {
			t.Fatal(err)
		}
	}
	if got := mustLoad(t, d, seeds()); got.Seq != r.Seq || r.Seq == 0 {
		t.Errorf("the numbers go on from %d, want %d", got.Seq, r.Seq)
	}
	closeDir(t, d)
}

// TestLogsSideBySide: the search for a free log name is excluded while another call moves a log out
// of the way.
func TestLogsSideBySide(t *testing.T) {
	d := openDir(t, stateDir(t))
	defer closeDir(t, d)
	moved := 0
	watched(d, func(what string) {
		if moved++; d.logs.TryLock() {
			d.logs.Unlock()
			t.Errorf("%s, and nothing keeps another from doing it too", what)
		}
	})
	for range 3 {
		f, _, err := d.Log("gate.log")
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if moved != 2 {
		t.Errorf("%d logs were moved, want 2", moved)
	}
}

// TestMarkerLeadsNowhere: a set-aside.json that names no place of its own in history is refused,
// and nothing is moved.
func TestMarkerLeadsNowhere(t *testing.T) {
	for _, to := range []string{"history/..", "history/.hidden", "history", "history/a/b", "../history/r1", "/history/r1", "phases/r1", ""} {
		dir := stateDir(t)
		d := openDir(t, dir)
		story(t, d)
		closeDir(t, d)
		if err := os.WriteFile(filepath.Join(dir, markerName), fmt.Appendf(nil, `{"schema":1,"to":%q}`, to), 0o600); err != nil {
			t.Fatal(err)
		}
		before := snapshot(t, dir)
		d, err := open(dir, "", Holder{PID: 1}, nil, 0)
		if _, ok := errors.AsType[*UnusableError](err); !ok {
			t.Errorf("%q: %v", to, err)
		}
		if err == nil {
			closeDir(t, d)
		}
		if after := snapshot(t, dir); len(after) != len(before) || after[ConfigName] != before[ConfigName] {
			t.Errorf("%q: something was moved", to)
		}
	}
}

// moves does everything that puts files into other folders, for a tracer to look at.
func moves(dir string) int {
	d, failed := Open(dir, "", Holder{}, nil)
	step := func(what string, do func() error) {
		if failed == nil {
			fmt.Println("step", what)
			failed = do()
		}
	}
	run := func() error {
		r := &state.Run{}
		for i, e := range []state.Event{begin(1, state.Worktree), started("0", 1), passed("0", 1)} {
			e.V, e.Seq, e.Time = state.EventVersion, r.Seq+1, at(i)
			if err := errors.Join(r.Apply(e), d.Event(e, r)); err != nil {
				return err
			}
		}
		return nil
	}
	step("run", run)
	step("reset", func() error { _, err := d.SetAside("0"); return err })
	step("run again", run)
	step("fresh", func() error { _, err := d.Fresh(0); return err })
	step("over", func() error { return d.Close() })
	if failed != nil {
		fmt.Println(failed)
		return 1
	}
	return 0
}
