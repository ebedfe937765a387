package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/state"
)

// TestRedo: after a power cut each file of the session may be any version that was written, or
// empty. The run is loaded as the diary records it, and the next session writes it.
func TestRedo(t *testing.T) {
	for _, left := range []string{"older", "empty", "zeros"} {
		t.Run(left, func(t *testing.T) {
			dir := stateDir(t)
			d := openDir(t, dir)
			r := &state.Run{}
			path := filepath.Join(dir, filepath.FromSlash(PhasePath("0")))
			happen(t, d, r, begin(1, state.Worktree), started("0", 1))
			content := map[string]string{"older": string(read(t, path)), "zeros": strings.Repeat("\x00", 700)}[left]
			happen(t, d, r, passed("0", 1))
			want := string(read(t, path))
			closeDir(t, d)
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, s := range [][]state.Seed{nil, seeds()} {
				got, notes, err := Load(dir, s)
				if err != nil || len(notes) > 0 {
					t.Fatalf("%v, %q", err, notes)
				}
				if p, ok := got.Find("0"); !ok || p.Status != state.Complete || got.Seq != r.Seq {
					t.Errorf("phase 0 is %+v, and the last event %d, want %d", p, got.Seq, r.Seq)
				}
			}

			d = openDir(t, dir)
			got, notes, err := d.Load(seeds())
			if err != nil || len(notes) != 1 || notes[0].Phase != "0" || notes[0].Text != redoNote {
				t.Errorf("%v, notes %q", err, notes)
			}
			happen(t, d, got, begin(2, state.Worktree))
			if now := string(read(t, path)); now != want {
				t.Errorf("the file is\n%s\nwant\n%s", now, want)
			}
			closeDir(t, d)
		})
	}
}

// TestRedoNothing: an edited file counts, also in a session that has not ended; so does a removed
// one, and any file once the session has ended.
func TestRedoNothing(t *testing.T) {
	path := filepath.FromSlash(PhasePath("0"))
	edit := func(old, now string) func(dir string) error {
		return func(dir string) error {
			data, err := os.ReadFile(filepath.Join(dir, path))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, path), []byte(strings.Replace(string(data), old, now, 1)), 0o600))
		}
	}
	remove := func(dir string) error { return os.Remove(filepath.Join(dir, path)) }
	for name, c := range map[string]struct {
		end  bool
		do   func(dir string) error
		want state.Status
	}{
		"edited":             {false, edit(`"complete"`, `"pending"`), state.Pending},
		"removed":            {false, remove, state.Pending},
		"removed at the end": {true, remove, state.Pending},
		"untouched":          {false, func(string) error { return nil }, state.Complete},
	} {
		t.Run(name, func(t *testing.T) {
			dir := stateDir(t)
			d := openDir(t, dir)
			r := &state.Run{}
			happen(t, d, r, begin(1, state.Worktree), started("0", 1), passed("0", 1))
			if c.end {
				happen(t, d, r, end())
			}
			closeDir(t, d)
			if err := c.do(dir); err != nil {
				t.Fatal(err)
			}
			d = openDir(t, dir)
			defer closeDir(t, d)
			if p, _ := mustLoad(t, d, seeds()).Find("0"); p.Status != c.want {
				t.Errorf("phase 0 is %s, want %s", p.Status, c.want)
			}
		})
	}
}

// TestEmptyAtTheEnd: a session that has ended has synced its files, so one that is empty later is
// blamed.
func TestEmptyAtTheEnd(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	r := &state.Run{}
	happen(t, d, r, begin(1, state.Worktree), started("0", 1), passed("0", 1), end())
	closeDir(t, d)
	if err := os.Truncate(filepath.Join(dir, filepath.FromSlash(PhasePath("0"))), 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(dir, seeds()); !errors.As(err, new(*CorruptError)) {
		t.Errorf("got %v", err)
	}
}

// TestHeads: the beginning of a line is found with any text in it, and in any order.
func TestHeads(t *testing.T) {
	for line, want := range map[string]string{
		`{"v":1,"seq":7,"time":"2026-01-02T03:04:05Z","type":"phase.started","run":"r","phase":"1","attempt":1}`:                           "1",
		`{"v":1,"seq":7,"time":"2026-01-02T03:04:05Z","type":"attempt.finished","run":"r","phase":"1","label":"a, {b","result":{"n":[1]}}`: "1",
		`{"phase":"1","result":{"seq":3},"v":1,"seq":7,"time":"2026-01-02T03:04:05Z","type":"attempt.finished"}`:                           "1",
		`{"v":1,"seq":7,"time":"2026-01-02T03:04:05Z","type":"run.started","config":{},"phases":[{"id":"1"}]}`:                             "",
	} {
		if h, ok := headOf([]byte(line)); !ok || h.Seq != 7 || h.Phase != want || h.Type == "" || h.Time.Year() != 2026 {
			t.Errorf("%s: %+v", line, h)
		}
	}
	for _, line := range []string{``, `{`, `{}`, `"seq"`, `{"v":1,"time":"2026-01-02T03:04:05Z","type":"notice","text":"\"seq\":7"}`, `{"seq":-1,"type":"x"}`} {
		if h, ok := headOf([]byte(line)); ok {
			t.Errorf("%q: %+v", line, h)
		}
	}
}
