package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autobuild/failure"
	"autobuild/state"
)

// untouched forgets when a phase without a file was made up: nothing has happened to it, and
// nothing is stored.
func untouched(d *Dir, r *state.Run) *state.Run {
	c := *r
	c.Phases = append([]state.Phase(nil), r.Phases...)
	for i := range c.Phases {
		p := &c.Phases[i]
		if _, err := d.root.Lstat(filepath.FromSlash(PhasePath(p.ID))); err != nil {
			p.Created, p.Updated = at(0), at(0)
		}
	}
	return &c
}

func mustLoad(t tester, d *Dir, seeds []state.Seed) *state.Run {
	t.Helper()
	r, _, err := d.Load(seeds)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRoundTrip: after any sequence of events, the loaded state equals the one in memory, and a run
// goes on from a loaded one as from the one in memory.
func TestRoundTrip(t *testing.T) {
	base, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(base, strconv.Itoa(n))
		d := openDir(t, dir)
		defer func() {
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}()
		how := rapid.SampledFrom([]state.Isolation{state.Worktree, state.NoIsolation}).Draw(t, "isolation")
		r := &state.Run{}
		happen(t, d, r, begin(1, how))
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			e := draw(t, r, how)
			e.V, e.Seq, e.Time = state.EventVersion, r.Seq+1, at(int(r.Seq))
			if r.Apply(e) != nil {
				continue
			}
			if err := d.Event(e, r); err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 9).Draw(t, "crash") == 0 {
				seeds := seedsOf(r)
				loaded := mustLoad(t, d, seeds)
				if diff := cmp.Diff(untouched(d, r), loaded, same()); diff != "" {
					t.Fatalf("loaded differs (-memory +disk):\n%s", diff)
				}
				r = loaded
			}
		}
		if diff := cmp.Diff(untouched(d, r), mustLoad(t, d, seedsOf(r)), same()); diff != "" {
			t.Fatalf("loaded differs (-memory +disk):\n%s", diff)
		}
	})
}

func seedsOf(r *state.Run) []state.Seed {
	var s []state.Seed
	for _, p := range r.Phases {
		s = append(s, state.Seed{ID: p.ID, Label: p.Label, Name: p.Name, DependsOn: p.DependsOn, MaxAttempts: p.MaxAttempts})
	}
	return s
}

// TestEnd: an end is that of the session in config.json, and goes when the next one begins.
func TestEnd(t *testing.T) {
	d := openDir(t, stateDir(t))
	defer closeDir(t, d)
	r := story(t, d)
	happen(t, d, r, end())
	if diff := cmp.Diff(r, mustLoad(t, d, seeds()), same()); diff != "" {
		t.Errorf("(-memory +disk):\n%s", diff)
	}
	happen(t, d, r, begin(2, state.Worktree))
	if got := mustLoad(t, d, seeds()); got.End != nil || got.Config.Sessions != 2 {
		t.Errorf("session %d has the end %+v of the one before", got.Config.Sessions, got.End)
	}
}

// TestGolden holds the format still: a phase file in each status, config.json and result.json.
func TestGolden(t *testing.T) {
	d := openDir(t, stateDir(t))
	defer closeDir(t, d)
	r := story(t, d)
	happen(t, d, r, end())
	for _, name := range []string{
		"config.json", "result.json", "phases/phase-0.json", "phases/phase-1.json", "phases/phase-2a.json",
		"phases/phase-2b.json", "phases/phase-3.json",
	} {
		got, err := readFile(d.root, name)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Base(name), got)
	}
	log, err := readFile(d.root, logName)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "execution.log", log)
}

// TestDiary: replaying the diary into a zero run gives the saved state, also over two sessions and
// a torn line.
func TestDiary(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	r := story(t, d)
	happen(t, d, r, end())
	if err := d.Event(state.Event{Type: state.Activity, Phase: "0"}, r); err != nil {
		t.Fatal(err)
	}
	closeDir(t, d)
	tear(t, filepath.Join(dir, DiaryName), `{"v":1,"seq":99,"ty`)

	d = openDir(t, dir)
	defer closeDir(t, d)
	r = mustLoad(t, d, seeds())
	if r.Seq != 15 {
		t.Fatalf("the numbers go on from %d, want 15", r.Seq)
	}
	happen(t, d, r, begin(2, state.Worktree), of(state.PhaseReset, "2a"), started("2a", 1), failed("2a", 1, failure.Fail))
	replayed, n := &state.Run{}, int64(0)
	for e, err := range ReadDiary(dir) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if e.Seq != n {
			t.Errorf("event %d has the number %d", n, e.Seq)
		}
		if err := replayed.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(replayed, r, same()); diff != "" || n != 19 {
		t.Errorf("%d events replayed (-diary +memory):\n%s", n, diff)
	}
	if diff := cmp.Diff(untouched(d, replayed), mustLoad(t, d, seeds()), same()); diff != "" {
		t.Errorf("(-diary +disk):\n%s", diff)
	}
}

// TestUnsyncedDiary: after a power cut, the remains of unsynced lines are truncated before the next
// event is written: zeros, with or without the rest of a line. Every line before them stays.
func TestUnsyncedDiary(t *testing.T) {
	for _, lost := range []string{"\x00\x00\x00", "\x00\x00\x00e\":7}\n", "\x00\x00\n{\"v\":1}\n", strings.Repeat("\x00", 2*unsyncedEnd)} {
		dir := stateDir(t)
		d := openDir(t, dir)
		r := story(t, d)
		happen(t, d, r, end())
		closeDir(t, d)
		whole := len(read(t, filepath.Join(dir, DiaryName)))
		tear(t, filepath.Join(dir, DiaryName), lost)
		tear(t, filepath.Join(dir, logName), lost)

		d = openDir(t, dir)
		r = mustLoad(t, d, seeds())
		happen(t, d, r, begin(2, state.Worktree))
		closeDir(t, d)
		for _, err := range ReadDiary(dir) {
			if err != nil {
				t.Error(err)
			}
		}
		for _, book := range []string{DiaryName, logName} {
			if text := read(t, filepath.Join(dir, book)); bytes.IndexByte(text, 0) >= 0 || book == DiaryName && len(text) <= whole {
				t.Errorf("%s after %.9q: %d bytes, whole were %d:\n%q", book, lost, len(text), whole, text[max(0, len(text)-300):])
			}
		}
	}
}

// TestHoles: a diary and a log that were given any length without content cost nothing, and the
// events behind a hole are found and counted on from.
func TestHoles(t *testing.T) {
	const huge = 200 << 30
	dir := stateDir(t)
	d := openDir(t, dir)
	story(t, d)
	closeDir(t, d)
	diary, log := filepath.Join(dir, DiaryName), filepath.Join(dir, logName)
	text := read(t, diary)
	cut := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	if err := os.Truncate(diary, int64(cut)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{diary, log} {
		if err := os.Truncate(name, huge); err != nil {
			t.Skip("this file system has no such files:", err)
		}
	}
	tear(t, diary, string(text[cut:]))
	count := func() (n int64) {
		for e, err := range ReadDiary(dir) {
			if err != nil || e.Seq != 0 && e.Seq != n+1 {
				t.Fatalf("after event %d: %+v %v", n, e, err)
			}
			n = max(n, e.Seq)
		}
		return n
	}
	told := count()
	if told == 0 {
		t.Fatal("no event was found")
	}
	d = openDir(t, dir)
	r := mustLoad(t, d, seeds())
	happen(t, d, r, end())
	closeDir(t, d)
	if n := count(); n != told+1 {
		t.Errorf("%d events, then %d", told, n)
	}
	for _, name := range []string{diary, log} {
		if info, err := os.Stat(name); err != nil || info.Size() > 1<<20 {
			t.Errorf("%s: %v %v", name, info.Size(), err)
		}
	}
}

// TestNoDiary: nothing needs it.
func TestNoDiary(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	r := story(t, d)
	if err := os.Remove(filepath.Join(dir, DiaryName)); err != nil {
		t.Fatal(err)
	}
	got := mustLoad(t, d, seeds())
	r.Seq = 0
	if diff := cmp.Diff(r, got, same()); diff != "" {
		t.Error(diff)
	}
	for e, err := range ReadDiary(dir) {
		t.Errorf("no diary yields %v, %v", e, err)
	}
}

// TestBadDiary: a line in the middle that is no event ends the reading with its place.
func TestBadDiary(t *testing.T) {
	dir := stateDir(t)
	d := openDir(t, dir)
	defer closeDir(t, d)
	story(t, d)
	path := filepath.Join(dir, DiaryName)
	tear(t, path, "not an event\n")
	tear(t, path, `{"v":1,"seq":99,"time":"2026-01-02T03:04:05Z","type":"notice","run":"r1"}`+"\n")
	var last error
	n := 0
	for _, err := range ReadDiary(dir) {
		n, last = n+1, err
	}
	if want := "reading the diary " + path + ":15: "; n != 15 || last == nil || last.Error()[:len(want)] != want {
		t.Errorf("after %d: %v", n, last)
	}
}

func tear(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func closeDir(t testing.TB, d *Dir) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
