package repair

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autobuild/state"
	"autobuild/state/store"
)

// live lets things happen at random that can happen.
func (l *lab) live(t *rapid.T) {
	for range rapid.IntRange(0, 14).Draw(t, "events") {
		id := rapid.SampledFrom([]string{"1", "2a", "2b", "3"}).Draw(t, "phase")
		switch rapid.SampledFrom([]string{"start", "pass", "complete", "complete", "fail", "interrupt", "reset", "block", "skip"}).Draw(t, "what") {
		case "start":
			l.happen(l.start(id))
		case "pass":
			l.happenIfRunning(id, l.pass)
		case "fail":
			l.happenIfRunning(id, l.fail)
		case "complete":
			l.complete(id)
		case "interrupt":
			l.happen(of(state.PhaseInterrupted, id))
		case "reset":
			l.happen(of(state.PhaseReset, id))
		case "block":
			l.happen(of(state.PhaseBlocked, id))
		case "skip":
			l.happen(of(state.PhaseSkipped, id))
		}
	}
}

func (l *lab) happenIfRunning(id string, end func(string) state.Event) {
	if p, _ := l.run.Find(id); p.Status == state.Running {
		l.happen(end(id))
	}
}

// damage changes the directory or git in a way that is never allowed.
func (l *lab) damage(t *rapid.T) {
	var paths []string
	for path := range l.contents() {
		if !strings.Contains(path, "history") && !strings.HasSuffix(path, ".gitignore") {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return
	}
	slices.Sort(paths)
	path := rapid.SampledFrom(paths).Draw(t, "file")
	text := []byte(l.read(path))
	place := rapid.IntRange(0, len(text)).Draw(t, "place")
	switch rapid.SampledFrom([]string{"cut", "flip", "remove", "empty", "twice", "status", "line", "commit", "swap", "directory"}).Draw(t, "damage") {
	case "cut":
		l.write(path, string(text[:place]))
	case "flip":
		if place < len(text) {
			text[place] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			l.write(path, string(text))
		}
	case "remove":
		l.remove(path)
	case "empty":
		l.write(path, "")
	case "twice":
		l.write(path, string(text)+string(text))
	case "status":
		now := rapid.SampledFrom([]string{"complete", "running", "pending", "failed", "blocked", "done"}).Draw(t, "status")
		for _, old := range []string{"complete", "running", "pending", "failed", "blocked", "skipped"} {
			text = []byte(strings.Replace(string(text), `"status": "`+old+`"`, `"status": "`+now+`"`, 1))
		}
		l.write(path, string(text))
	case "line":
		lines := slices.Collect(strings.Lines(string(text)))
		if len(lines) > 0 {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			l.write(path, strings.Join(slices.Delete(lines, i, i+1), ""))
		}
	case "commit":
		l.lose(rapid.SampledFrom([]string{"1", "2a", "2b", "3"}).Draw(t, "lost"))
	case "swap":
		l.write(path, l.read(rapid.SampledFrom(paths).Draw(t, "other")))
	case "directory":
		l.remove(path)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRepairLaws: after any damage to the directory and to git, loading succeeds or returns an
// error. A repair invents no completion, loses nothing and is idempotent. Then the run loads, or
// the report names the obstacle.
func TestRepairLaws(t *testing.T) {
	base, n, mended := t.TempDir(), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(base, strconv.Itoa(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		l := newLab(t, dir)
		defer func() { l.close() }()
		l.live(t)
		l.close()
		for range rapid.IntRange(0, 4).Draw(t, "damages") {
			l.damage(t)
		}
		_, _, err := store.Load(l.path, seeds())
		checkLoaded(t, err)
		l.open()
		if _, err := store.Inspect(l.path); err != nil {
			if !errors.Is(err, store.ErrNoRun) {
				t.Fatal(err)
			}
			return
		}
		before := l.contents()
		r, _ := l.repair()
		mended += r.Mendable()
		l.checkKept(before)
		l.checkComplete(t)
		if _, _, err := store.Load(l.path, seeds()); err != nil && !r.Open() {
			t.Fatalf("repaired, but: %v\n%s", err, strings.Join(told(r), "\n"))
		}
		after := l.contents()
		again, _ := l.repair()
		if again.Mendable() > 0 || !maps.Equal(after, l.contents()) {
			t.Fatalf("once more:\n%s\nafter:\n%s", strings.Join(told(again), "\n"), strings.Join(told(r), "\n"))
		}
	})
	if mended == 0 {
		t.Error("nothing was ever mended")
	}
}

// checkLoaded: a refusal names the file.
func checkLoaded(t *rapid.T, err error) {
	if err == nil || errors.Is(err, store.ErrNoRun) {
		return
	}
	_, corrupt := errors.AsType[*store.CorruptError](err)
	_, unusable := errors.AsType[*store.UnusableError](err)
	if !corrupt && !unusable {
		t.Fatalf("refused without a place: %v", err)
	}
}

// checkKept: every text that was there is there still, in its place or in the backup, logs and
// diary with more behind them.
func (l *lab) checkKept(before map[string]string) {
	l.t.Helper()
	after := slices.Collect(maps.Values(l.contents()))
	for path, text := range before {
		if !slices.Contains(after, text) && !slices.ContainsFunc(after, func(now string) bool { return strings.HasPrefix(now, text) }) {
			l.t.Fatalf("%s is lost:\n%s", path, text)
		}
	}
}

// checkComplete: every complete phase has its commit in git.
func (l *lab) checkComplete(t *rapid.T) {
	files, err := store.Inspect(l.path)
	if err != nil {
		t.Fatal(err)
	}
	x := &exam{ev: Evidence{Commits: l.commits}}
	for _, f := range files.Phases {
		if f.Status == state.Complete && !x.has(f.ID, f.Commit) && files.Config.RunID == "r1" && files.Config.Isolation == state.Worktree {
			t.Fatalf("phase %s is complete without its commit", f.ID)
		}
	}
}
